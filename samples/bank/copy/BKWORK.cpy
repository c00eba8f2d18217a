      ******************************************************************
      * Working fields that every screen program has.
      ******************************************************************
       01  BK-WORK.
           05  WS-RESP                     PIC S9(08) COMP.
           05  WS-RESP2                    PIC S9(08) COMP.
           05  WS-NOW                      PIC S9(15) COMP-3.
           05  WS-DATE                     PIC X(10).
           05  WS-TIME                     PIC X(08).
           05  WS-MESSAGE                  PIC X(78) VALUE SPACES.
           05  WS-MOOD                     PIC X(01) VALUE 'B'.
               88  WS-MOOD-GOOD                VALUE 'G'.
               88  WS-MOOD-BAD                 VALUE 'B'.
           05  WS-ABOUT-FILE.
               10  FILLER                  PIC X(06) VALUE 'File '.
               10  WS-BAD-FILE             PIC X(08) VALUE SPACES.
               10  FILLER                  PIC X(17)
                       VALUE ' answers RESP/2: '.
               10  WS-BAD-RESP             PIC 9(03).
               10  FILLER                  PIC X(01) VALUE '/'.
               10  WS-BAD-RESP2            PIC 9(03).
