      * What BKREPT hands to the started task BKPT, which prints a
      * statement.
       01  STATEMENT-ORDER.
           05  ORD-ACC-NO                  PIC 9(08).
           05  ORD-QUEUE                   PIC X(08).
           05  ORD-USER-ID                 PIC X(08).
