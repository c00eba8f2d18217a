      ******************************************************************
      * AUTTEL    ACNP   An order by telephone: the clerk types what the
      *                  card's holder says, and sees whether the card
      *                  has made that code. ACNP card expiry code, and
      *                  the card's sequence number if it is not 01.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. AUTTEL.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                         PIC S9(08) COMP.
       01  WS-INPUT                        PIC X(60) VALUE SPACES.
       01  WS-INPUT-LENGTH                 PIC S9(04) COMP VALUE 60.
       01  WS-TRANSACTION                  PIC X(04).
       01  WS-ANSWER.
           05  WS-ANSWER-CODE              PIC 9(03).
           05  FILLER                      PIC X(01) VALUE SPACE.
           05  WS-ANSWER-MEANING           PIC X(21).
       COPY AUTMEAN.
       01  WS-PARM.
           COPY AUTPARM REPLACING ==01  AUTPARM== BY ==03  AUTPARM==.
       PROCEDURE DIVISION.
       MAIN-LINE.
           EXEC CICS RECEIVE INTO(WS-INPUT) LENGTH(WS-INPUT-LENGTH)
                     RESP(WS-RESP)
           END-EXEC
           MOVE SPACES                 TO AUTPARM
           UNSTRING WS-INPUT DELIMITED BY ALL SPACES
                    INTO WS-TRANSACTION AP-PAN AP-EXPIRY
                         AP-SECURITY-CODE AP-SEQUENCE
           END-UNSTRING
           IF AP-SEQUENCE = SPACES
              MOVE '01'                TO AP-SEQUENCE
           END-IF
           MOVE EIBTRMID               TO AP-TERMINAL
           PERFORM AUTHENTICATE
           PERFORM TELL
           EXEC CICS RETURN END-EXEC
           GOBACK.

       AUTHENTICATE.
           EXEC CICS LINK PROGRAM('AUTCNA') COMMAREA(WS-PARM)
                     LENGTH(LENGTH OF WS-PARM) RESP(WS-RESP)
           END-EXEC
           IF WS-RESP NOT = DFHRESP(NORMAL)
              SET AP-FAILURE           TO TRUE
           END-IF
           IF AP-FAILURE
              EXEC CICS SYNCPOINT ROLLBACK END-EXEC
           ELSE
              EXEC CICS SYNCPOINT RESP(WS-RESP) END-EXEC
              IF WS-RESP NOT = DFHRESP(NORMAL)
                 SET AP-FAILURE        TO TRUE
              END-IF
           END-IF.

      * The card number is not shown again.
       TELL.
           MOVE AP-RETURN-CODE         TO WS-ANSWER-CODE
           SET MEANING-INDEX           TO 1
           SEARCH MEANING
              AT END
                 MOVE SPACES           TO WS-ANSWER-MEANING
              WHEN MEANING-CODE(MEANING-INDEX) = AP-RETURN-CODE
                 MOVE MEANING-TEXT(MEANING-INDEX)
                                       TO WS-ANSWER-MEANING
           END-SEARCH
           EXEC CICS SEND TEXT FROM(WS-ANSWER)
                     LENGTH(LENGTH OF WS-ANSWER) ERASE FREEKB
           END-EXEC.
