      ******************************************************************
      * The COMMAREA that every screen program of the bank hands on.
      * BK-OWN belongs to the program that holds the terminal: it is
      * cleared when control passes to another program.
      ******************************************************************
       01  BK-COMMAREA.
           05  BK-USER.
               10  BK-USER-ID              PIC X(08).
               10  BK-USER-NAME            PIC X(30).
               10  BK-USER-KIND            PIC X(01).
                   88  BK-MANAGER              VALUE 'M'.
                   88  BK-CLERK                VALUE 'C'.
           05  BK-CALLER                   PIC X(08).
           05  BK-STEP                     PIC 9(01).
               88  BK-JUST-ENTERED             VALUE 0.
               88  BK-ASKED                    VALUE 1.
               88  BK-SHOWN                    VALUE 2.
               88  BK-CHECKED                  VALUE 3.
           05  BK-CUS-NO                   PIC 9(06).
           05  BK-ACC-NO                   PIC 9(08).
           05  BK-QUEUE                    PIC X(08).
           05  BK-OWN                      PIC X(320).
