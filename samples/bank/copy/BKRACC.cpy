      * BKACCT: the accounts. 100 bytes, key ACC-NO; alternate index
      * over ACC-CUS-NO, several accounts to a customer.
       01  ACCOUNT-RECORD.
           05  ACC-NO                      PIC 9(08).
           05  ACC-CUS-NO                  PIC 9(06).
           05  ACC-KIND                    PIC X(01).
               88  ACC-CURRENT                 VALUE 'C'.
               88  ACC-SAVINGS                 VALUE 'S'.
           05  ACC-STATUS                  PIC X(01).
               88  ACC-OPEN                    VALUE 'O'.
               88  ACC-BLOCKED                 VALUE 'B'.
           05  ACC-BALANCE                 PIC S9(09)V99.
           05  ACC-OVERDRAFT               PIC S9(07)V99.
           05  ACC-OPENED                  PIC X(10).
           05  ACC-BRANCH                  PIC 9(04).
           05  FILLER                      PIC X(50).
