      * The floor of an EXEC CICS call: calls of an empty C function.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. EMPTIES.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 WS-A PIC X(8) VALUE 'A'.
       01 WS-B PIC X(8) VALUE 'B'.
       PROCEDURE DIVISION.
       MAIN-PARA.
           PERFORM 100000 TIMES
              CALL 'EMPTYC' USING WS-A WS-B
           END-PERFORM.
           GOBACK.
