      ******************************************************************
      * What an API's clock needs: seconds since 14 October 1582, as
      * Language Environment counts them.
      ******************************************************************
       01  AUTCLK.
           05  CLK-LILIAN                  PIC S9(09) COMP.
           05  CLK-START                   COMP-2.
           05  CLK-STOP                    COMP-2.
           05  CLK-FEEDBACK                PIC X(12).
