       IDENTIFICATION DIVISION.
       PROGRAM-ID. DIRN.
      * Answers a message on the direct path.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  LIST-ADDRESS            POINTER.
       01  CODE-PSYNC              PIC S9(09) COMP-5.
       LINKAGE SECTION.
       COPY VSVCLIST.
       01  REQU                    PIC X(08).
       01  RESP.
           05  RESP-KEY            PIC X(08).
           05  RESP-NAME           PIC X(92).
       01  RESPL                   PIC S9(09) COMP.
       PROCEDURE DIVISION.
           CALL 'VSVPSYNC' USING LIST-ADDRESS RETURNING CODE-PSYNC
           PERFORM UNTIL CODE-PSYNC NOT = ZERO
              SET ADDRESS OF LIST-POINTER TO LIST-ADDRESS
              SET ADDRESS OF REQU TO LIST-ADR-REQU
              SET ADDRESS OF RESP TO LIST-ADR-RESP
              SET ADDRESS OF RESPL TO LIST-ADR-RESPL
              MOVE REQU TO RESP-KEY
              MOVE 'NOBODY' TO RESP-NAME
              MOVE 100 TO RESPL
              CALL 'VSVPSYNC' USING LIST-ADDRESS RETURNING CODE-PSYNC
           END-PERFORM
           GOBACK.
