      ******************************************************************
      * Validation Log: what came of each authentication.
      ******************************************************************
       01  LOG-RECORD.
           05  LOG-KEY.
               10  LOG-PAN                 PIC X(19).
      * YYYYMMDDhhmmssmmm in Greenwich.
               10  LOG-STAMP               PIC X(17).
               10  LOG-STAMP-NUMBER REDEFINES LOG-STAMP
                                           PIC 9(17).
           05  LOG-KIND                    PIC X(02).
           05  LOG-RETURN-CODE             PIC 9(03).
           05  LOG-HSM-ERROR               PIC X(02).
           05  LOG-COUNTER                 PIC 9(10).
           05  LOG-SEQUENCE                PIC X(02).
           05  LOG-AMOUNT                  PIC X(12).
           05  LOG-TERMINAL                PIC X(08).
           05  LOG-MERCHANT                PIC X(15).
           05  FILLER                      PIC X(30).
