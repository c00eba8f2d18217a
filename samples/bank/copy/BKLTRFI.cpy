      * What a web service asks BKWTRF for: the begin of TRANSFER.
       01  TRANSFER-FOR.
           05  TRF-FROM-NO                 PIC 9(08).
           05  TRF-TO-NO                   PIC 9(08).
           05  TRF-AMOUNT                  PIC 9(09)V99.
           05  TRF-TEXT                    PIC X(24).
