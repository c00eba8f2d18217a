      * BKUSER: who may use the bank's screens. 80 bytes, key USR-ID.
       01  USER-RECORD.
           05  USR-ID                      PIC X(08).
           05  USR-NAME                    PIC X(30).
           05  USR-DIGEST                  PIC 9(15).
           05  USR-KIND                    PIC X(01).
           05  FILLER                      PIC X(26).
