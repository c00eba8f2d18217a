      ******************************************************************
      * What the two APIs hand to AUTVER: a card, and where its code is.
      ******************************************************************
       01  AUTWRK.
           05  AW-PAN                      PIC X(19).
           05  AW-PAN-LENGTH               PIC S9(04) COMP.
           05  AW-SEQUENCE                 PIC X(02).
           05  AW-EXPIRY                   PIC X(04).
      * Blank: not known from the card, the account tells it.
           05  AW-SERVICE-CODE             PIC X(03).
           05  AW-KIND                     PIC X(02).
               88  AW-CARD-PRESENT             VALUE 'CP'.
               88  AW-CARD-NOT-PRESENT         VALUE 'NP'.
      * Track 2's discretionary data, or the security code.
           05  AW-CARRIER                  PIC X(20).
           05  AW-CARRIER-LENGTH           PIC S9(04) COMP.
