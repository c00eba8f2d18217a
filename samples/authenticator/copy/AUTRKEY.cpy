      ******************************************************************
      * Key table: the cryptogram of each portfolio's master key under
      * the HSM's local master key. No key is ever here in clear.
      ******************************************************************
       01  KEY-RECORD.
           05  KEY-PORTFOLIO               PIC X(04).
           05  KEY-CRYPTOGRAM              PIC X(33).
           05  KEY-CHECK-VALUE             PIC X(06).
           05  FILLER                      PIC X(37).
