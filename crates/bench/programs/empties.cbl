      * The floor of an EXEC CICS call: the CALL that the translator
      * writes for it, with an empty C function behind it.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. EMPTIES.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 WS-SYSID PIC X(4).
       01 WS-RETURNED USAGE POINTER.
       PROCEDURE DIVISION.
       MAIN-PARA.
           PERFORM 100000 TIMES
              CALL 'EMPTYC' USING X'01000100010000000003DF' WS-SYSID
                   RETURNING INTO WS-RETURNED
           END-PERFORM.
           GOBACK.
