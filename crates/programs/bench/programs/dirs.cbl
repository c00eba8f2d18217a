       IDENTIFICATION DIVISION.
       PROGRAM-ID. DIRS.
      * Answers a message on the direct path with what one SELECT finds.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  LIST-ADDRESS            POINTER.
       01  CODE-PSYNC              PIC S9(09) COMP-5.
       01  WS-ID                   PIC S9(09) COMP.
       01  WS-NAME                 PIC X(30).
       LINKAGE SECTION.
       COPY VSVCLIST.
       01  REQU                    PIC 9(08).
       01  RESP.
           05  RESP-KEY            PIC 9(08).
           05  RESP-NAME           PIC X(92).
       01  RESPL                   PIC S9(09) COMP.
       01  RC                      PIC S9(09) COMP.
       PROCEDURE DIVISION.
           CALL 'VSVPSYNC' USING LIST-ADDRESS RETURNING CODE-PSYNC
           PERFORM UNTIL CODE-PSYNC NOT = ZERO
              SET ADDRESS OF LIST-POINTER TO LIST-ADDRESS
              SET ADDRESS OF REQU TO LIST-ADR-REQU
              SET ADDRESS OF RESP TO LIST-ADR-RESP
              SET ADDRESS OF RESPL TO LIST-ADR-RESPL
              SET ADDRESS OF RC TO LIST-ADR-RC
              MOVE REQU TO WS-ID RESP-KEY
              EXEC SQL
                 SELECT NAME INTO :WS-NAME
                    FROM CONTACT WHERE ID = :WS-ID
              END-EXEC
              IF SQLCODE NOT = ZERO MOVE 500 TO RC END-IF
              MOVE WS-NAME TO RESP-NAME
              MOVE 100 TO RESPL
              CALL 'VSVPSYNC' USING LIST-ADDRESS RETURNING CODE-PSYNC
           END-PERFORM
           GOBACK.
