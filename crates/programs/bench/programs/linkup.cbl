      * Waits until the other region is linked, for 60 seconds at most.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LINKUP.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 WS-STATUS PIC S9(8) COMP.
       PROCEDURE DIVISION.
           PERFORM 6000 TIMES
              EXEC CICS INQUIRE CONNECTION('OWNR')
                   CONNSTATUS(WS-STATUS) END-EXEC
              IF WS-STATUS = DFHVALUE(ACQUIRED)
                 EXEC CICS RETURN END-EXEC
              END-IF
              EXEC CICS DELAY FOR MILLISECS(10) END-EXEC
           END-PERFORM.
           EXEC CICS ABEND ABCODE('GONE') END-EXEC.
