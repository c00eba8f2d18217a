      * The trace study: as many commands as were typed, each of which
      * has an entry before and one behind it.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WLTRACE.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-SYSID                    PIC X(4).
       COPY WLDATA.
       LINKAGE SECTION.
       01  DFHCOMMAREA                 PIC X(16).
       PROCEDURE DIVISION.
       COPY WLTASK.

       WORK.
           PERFORM ST-COUNT TIMES
              EXEC CICS ASSIGN SYSID(WS-SYSID) END-EXEC
           END-PERFORM.
