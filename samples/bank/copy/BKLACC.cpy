      * The COMMAREA of BKWACC, the accounts of a customer.
       01  ACCOUNTS-OF.
           05  AOF-CUS-NO                  PIC 9(06).
           05  AOF-COUNT                   PIC 9(02).
           05  AOF-ACCOUNT OCCURS 10 TIMES.
               10  AOF-ACC-NO              PIC 9(08).
               10  AOF-KIND                PIC X(01).
               10  AOF-STATUS              PIC X(01).
               10  AOF-BALANCE             PIC S9(09)V99.
