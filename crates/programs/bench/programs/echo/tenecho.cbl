      * The document's program: takes the request's record, makes a new
      * structure of its fields, and answers with that.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. TENECHO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-REQUEST.
           05  RQ-FIELD               PIC X(80) OCCURS 10 TIMES.
       01  WS-RESPONSE.
           05  RS-FIELD               PIC X(80) OCCURS 10 TIMES.
       01  WS-LENGTH                  PIC S9(8) COMP.
       01  WS-FIELD                   PIC S9(4) COMP.
       PROCEDURE DIVISION.
           MOVE LENGTH OF WS-REQUEST  TO WS-LENGTH
           EXEC CICS GET CONTAINER('DFHWS-DATA') INTO(WS-REQUEST)
                     FLENGTH(WS-LENGTH)
           END-EXEC
           PERFORM VARYING WS-FIELD FROM 1 BY 1 UNTIL WS-FIELD > 10
              MOVE RQ-FIELD(WS-FIELD) TO RS-FIELD(WS-FIELD)
           END-PERFORM
           EXEC CICS PUT CONTAINER('DFHWS-DATA') FROM(WS-RESPONSE)
                     FLENGTH(LENGTH OF WS-RESPONSE)
           END-EXEC
           EXEC CICS RETURN END-EXEC.
