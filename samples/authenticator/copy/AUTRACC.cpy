      ******************************************************************
      * Customer account: a card and what is known of its counter.
      ******************************************************************
       01  ACCOUNT-RECORD.
           05  ACC-KEY.
               10  ACC-PAN                 PIC X(19).
               10  ACC-SEQUENCE            PIC X(02).
           05  ACC-PORTFOLIO               PIC X(04).
           05  ACC-EXPIRY                  PIC X(04).
           05  ACC-SERVICE-CODE            PIC X(03).
           05  ACC-COUNTER                 PIC 9(10).
           05  ACC-TIME-BLOCK              PIC 9(10).
      * Codes that were refused since the last one that was authentic.
           05  ACC-REFUSED                 PIC 9(05).
           05  ACC-LAST-RETURN-CODE        PIC 9(03).
           05  ACC-LAST-STAMP              PIC X(17).
           05  FILLER                      PIC X(23).
