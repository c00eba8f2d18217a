      ******************************************************************
      * BIN table: which portfolio a BIN and sub-BIN belong to, and
      * where the code's sub-fields are. Positions count from 1; a
      * length of 0 leaves a sub-field out.
      ******************************************************************
       01  BIN-RECORD.
           05  BIN-KEY                     PIC X(08).
           05  BIN-PORTFOLIO               PIC X(04).
      * Counters ahead of the last one that are taken.
           05  BIN-WINDOW                  PIC 9(04).
      * Time: units of so many seconds since so many seconds after
      * 1970-01-01 00:00 in Greenwich, and how many units apart.
           05  BIN-TIME-UNIT               PIC 9(06).
           05  BIN-TIME-BEGIN              PIC 9(10).
           05  BIN-TOLERANCE               PIC 9(04).
      * Layouts: TIB, CV, TCB, SIB in the discretionary data ...
           05  BIN-CP-LAYOUT.
               10  BIN-CP-FIELD            OCCURS 4.
                   15  BIN-CP-POSITION     PIC 9(02).
                   15  BIN-CP-LENGTH       PIC 9(01).
      * ... in a security code of three digits, and in one of four. A
      * layout without CV: such codes are not used.
           05  BIN-N3-LAYOUT.
               10  BIN-N3-FIELD            OCCURS 4.
                   15  BIN-N3-POSITION     PIC 9(02).
                   15  BIN-N3-LENGTH       PIC 9(01).
           05  BIN-N4-LAYOUT.
               10  BIN-N4-FIELD            OCCURS 4.
                   15  BIN-N4-POSITION     PIC 9(02).
                   15  BIN-N4-LENGTH       PIC 9(01).
      * The window of security codes: so few digits are soon guessed in
      * a wide one.
           05  BIN-NP-WINDOW               PIC 9(04).
           05  FILLER                      PIC X(04).
