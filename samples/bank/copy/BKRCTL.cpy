      * BKCTRL: the last number given out in each series. 40 bytes, key
      * CTL-SERIES. Starts empty; BKSEQN writes the first records.
       01  CONTROL-RECORD.
           05  CTL-SERIES                  PIC X(08).
           05  CTL-LAST                    PIC 9(08).
           05  FILLER                      PIC X(24).
