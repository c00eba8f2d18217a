      ******************************************************************
      * How long the API took, as the caller is told.
      ******************************************************************
       CLOCK-START.
           CALL 'CEEGMT' USING CLK-LILIAN CLK-START CLK-FEEDBACK.

       CLOCK-STOP.
           CALL 'CEEGMT' USING CLK-LILIAN CLK-STOP CLK-FEEDBACK
           COMPUTE AP-MICROSECONDS = (CLK-STOP - CLK-START) * 1000000
              ON SIZE ERROR MOVE 999999 TO AP-MICROSECONDS
           END-COMPUTE.
