      * The COMMAREA of BKWTRF, a transfer.
       01  TRANSFER.
           05  TRF-FROM-NO                 PIC 9(08).
           05  TRF-TO-NO                   PIC 9(08).
           05  TRF-AMOUNT                  PIC 9(09)V99.
           05  TRF-TEXT                    PIC X(24).
           05  TRF-ANSWER                  PIC X(01).
               88  TRF-MOVED                   VALUE 'M'.
               88  TRF-REFUSED                 VALUE 'R'.
           05  TRF-MESSAGE                 PIC X(50).
