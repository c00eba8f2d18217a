      * What a web service asks BKWACC for: the begin of ACCOUNTS-OF.
       01  ACCOUNTS-FOR.
           05  AOF-CUS-NO                  PIC 9(06).
