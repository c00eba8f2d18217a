      ******************************************************************
      * How long the API took, as the caller is told.
      ******************************************************************
       CLOCK-START.
           EXEC CICS ASKTIME ABSTIME(CLK-START) END-EXEC.

       CLOCK-STOP.
           EXEC CICS ASKTIME ABSTIME(CLK-STOP) END-EXEC
           COMPUTE AP-MICROSECONDS = (CLK-STOP - CLK-START) * 1000
              ON SIZE ERROR MOVE 999999 TO AP-MICROSECONDS
           END-COMPUTE.
