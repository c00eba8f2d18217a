      * BKMOVE: what moved on an account. 80 bytes, key MOV-KEY. Packed
      * and binary fields: this file has no text twin.
       01  MOVEMENT-RECORD.
           05  MOV-KEY.
               10  MOV-ACC-NO              PIC 9(08).
               10  MOV-SEQUENCE            PIC 9(08).
           05  MOV-AMOUNT                  PIC S9(09)V99 COMP-3.
           05  MOV-BALANCE                 PIC S9(09)V99 COMP-3.
           05  MOV-OTHER-ACC               PIC 9(08).
           05  MOV-DATE                    PIC X(10).
           05  MOV-TEXT                    PIC X(24).
           05  MOV-BRANCH                  PIC S9(04) COMP.
           05  FILLER                      PIC X(08).
