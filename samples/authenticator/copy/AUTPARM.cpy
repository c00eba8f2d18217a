      ******************************************************************
      * The Authenticator's API: the COMMAREA of AUTCPA (card present)
      * and AUTCNA (card not present).
      ******************************************************************
       01  AUTPARM.
      * What the card gave: track 2 without sentinels ...
           05  AP-TRACK2                   PIC X(37).
      * ... or, with no card present, what its holder typed.
           05  AP-PAN                      PIC X(19).
           05  AP-EXPIRY                   PIC X(04).
           05  AP-SECURITY-CODE            PIC X(04).
           05  AP-SEQUENCE                 PIC X(02).
      * For the Validation Log.
           05  AP-AMOUNT                   PIC X(12).
           05  AP-TERMINAL                 PIC X(08).
           05  AP-MERCHANT                 PIC X(15).
      * The answer.
           05  AP-RETURN-CODE              PIC 9(03).
               88  AP-AUTHENTIC                VALUE 0.
               88  AP-WRONG                    VALUE 4.
               88  AP-REPLAYED                 VALUE 8.
               88  AP-OUTSIDE-WINDOW           VALUE 12.
               88  AP-OUTSIDE-TIME             VALUE 16.
               88  AP-UNKNOWN-BIN              VALUE 20.
               88  AP-UNKNOWN-ACCOUNT          VALUE 24.
               88  AP-EXPIRED                  VALUE 28.
               88  AP-MALFORMED                VALUE 32.
               88  AP-NO-HSM                   VALUE 36.
               88  AP-FAILURE                  VALUE 40.
           05  AP-PORTFOLIO                PIC X(04).
           05  AP-MICROSECONDS             PIC 9(06).
