       IDENTIFICATION DIVISION.
       PROGRAM-ID. HELLO.
      * Asks for a name, greets its owner and counts the visits.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  VISIT.
           05  VISIT-NAME          PIC X(20).
           05  VISIT-COUNT         PIC 9(8).
       01  ANSWER                  PIC S9(8) COMP.
       01  COUNT-SHOWN             PIC Z(7)9.
       01  STATE                   PIC X VALUE 'A'.
       COPY HELLOS.
       COPY DFHAID.
       LINKAGE SECTION.
       01  DFHCOMMAREA             PIC X.
       PROCEDURE DIVISION.
       MAIN-PARAGRAPH.
           EVALUATE TRUE
               WHEN EIBCALEN = 0
                   MOVE LOW-VALUES TO HELLOMO
                   PERFORM ASK-AGAIN
               WHEN EIBAID = DFHPF3
                   EXEC CICS SEND CONTROL ERASE FREEKB END-EXEC
                   EXEC CICS RETURN END-EXEC
               WHEN OTHER
                   PERFORM GREET
                   PERFORM ASK-AGAIN
           END-EVALUATE.

       GREET.
           EXEC CICS RECEIVE MAP('HELLOM') MAPSET('HELLOS')
               RESP(ANSWER)
           END-EXEC
           IF ANSWER NOT = DFHRESP(NORMAL) OR VISITORL = 0
               MOVE LOW-VALUES TO HELLOMO
               MOVE 'Please type your name.' TO MESSAGEO
           ELSE
               PERFORM COUNT-VISIT
               MOVE VISIT-COUNT TO COUNT-SHOWN
               MOVE SPACES TO MESSAGEO
               STRING 'Hello ' FUNCTION TRIM(VISIT-NAME)
                      ', this is visit '
                      FUNCTION TRIM(COUNT-SHOWN)
                      DELIMITED BY SIZE INTO MESSAGEO
           END-IF.

       COUNT-VISIT.
           MOVE FUNCTION UPPER-CASE(VISITORI) TO VISIT-NAME
           INSPECT VISIT-NAME REPLACING ALL LOW-VALUES BY SPACES
           EXEC CICS READ FILE('VISITS') INTO(VISIT)
               RIDFLD(VISIT-NAME) UPDATE RESP(ANSWER)
           END-EXEC
           IF ANSWER = DFHRESP(NORMAL)
               ADD 1 TO VISIT-COUNT
               EXEC CICS REWRITE FILE('VISITS') FROM(VISIT) END-EXEC
           ELSE
               MOVE 1 TO VISIT-COUNT
               EXEC CICS WRITE FILE('VISITS') FROM(VISIT)
                   RIDFLD(VISIT-NAME)
               END-EXEC
           END-IF.

       ASK-AGAIN.
           EXEC CICS SEND MAP('HELLOM') MAPSET('HELLOS') FROM(HELLOMO)
               ERASE
           END-EXEC
           EXEC CICS RETURN TRANSID('HELO') COMMAREA(STATE) END-EXEC.
