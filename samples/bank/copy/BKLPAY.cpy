      * The COMMAREA of BKPAYO, which carries out a standing order. The
      * date due is the one that was seen: an order that somebody else
      * has paid meanwhile has another one.
       01  PAYMENT-WANTED.
           05  PMT-ORDER-NO                PIC S9(09) COMP.
           05  PMT-DUE                     PIC X(10).
           05  PMT-SQLCODE                 PIC S9(09) COMP.
           05  PMT-ANSWER                  PIC X(01).
               88  PMT-PAID                    VALUE 'P'.
               88  PMT-NOT-DUE                 VALUE 'N'.
               88  PMT-NO-ACCOUNT              VALUE 'A'.
               88  PMT-BLOCKED                 VALUE 'B'.
               88  PMT-NO-FUNDS                VALUE 'F'.
               88  PMT-SQL-TROUBLE             VALUE 'X'.
