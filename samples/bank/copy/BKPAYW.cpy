      ******************************************************************
      * Working fields of BKPAYE and BKSTOR, the programs with tables.
      ******************************************************************
       01  BK-PAYMENTS-WORK.
           05  WS-FULL-SCREEN              PIC X(01) VALUE 'N'.
               88  WS-ERASE-FIRST              VALUE 'Y'.
           05  WS-ACCOUNT                  PIC X(01) VALUE 'N'.
               88  WS-ACCOUNT-FOUND            VALUE 'Y'.
               88  WS-NO-ACCOUNT               VALUE 'N'.
           05  WS-PAGE-SIZE                PIC S9(04) COMP VALUE 8.
           05  WS-ROW                      PIC S9(04) COMP.
           05  WS-COUNT                    PIC S9(09) COMP.
       01  WS-SQL-TEXT.
           05  WS-SQL-LENGTH               PIC S9(04) COMP VALUE +156.
           05  WS-SQL-LINE                 PIC X(78) OCCURS 2.
       01  WS-SQL-WIDTH                    PIC S9(09) COMP VALUE +78.
