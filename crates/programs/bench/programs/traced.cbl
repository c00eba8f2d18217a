      * A hundred commands, each of which has two entries in a trace.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. TRACED.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 WS-SYSID PIC X(4).
       PROCEDURE DIVISION.
           PERFORM 100 TIMES
              EXEC CICS ASSIGN SYSID(WS-SYSID) END-EXEC
           END-PERFORM.
           EXEC CICS RETURN END-EXEC.
