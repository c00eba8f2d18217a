      ******************************************************************
      * What lies in the tables, as far as it is read. A key that a row
      * refers to another row by goes straight into RTW-KEYS, so that
      * the next paragraph finds it there.
      ******************************************************************
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  RTW-KEYS.
           05  KEY-CUSTOMER                PIC S9(09) COMP.
           05  KEY-PRODUCT                 PIC S9(09) COMP.
           05  KEY-ORDER                   PIC S9(09) COMP.
           05  KEY-INVOICE                 PIC S9(09) COMP.
           05  KEY-DEPOT                   PIC S9(09) COMP.
           05  KEY-CLERK                   PIC S9(09) COMP.
           05  KEY-CARRIER                 PIC S9(09) COMP VALUE 0.
           05  KEY-TERMS                   PIC S9(09) COMP VALUE 0.
           05  KEY-GROUP                   PIC S9(09) COMP.
           05  KEY-TAX                     PIC S9(09) COMP VALUE 0.
           05  KEY-SUPPLIER                PIC S9(09) COMP.
           05  KEY-KIND                    PIC S9(09) COMP.
           05  KEY-TASK                    PIC S9(09) COMP.
           05  KEY-ENTRY                   PIC S9(09) COMP VALUE 0.
       01  RTW-VALUES.
           05  ROW-NAME                    PIC X(20).
           05  ROW-LONG-NAME.
               49  ROW-LONG-NAME-LEN       PIC S9(04) COMP.
               49  ROW-LONG-NAME-TEXT      PIC X(30).
           05  ROW-TEXT.
               49  ROW-TEXT-LEN            PIC S9(04) COMP.
               49  ROW-TEXT-TEXT           PIC X(40).
           05  ROW-DAYS                    PIC S9(04) COMP.
           05  ROW-RATE                    PIC S9(03)V99 COMP-3.
           05  ROW-PRICE                   PIC S9(07)V99 COMP-3.
           05  ROW-AMOUNT                  PIC S9(09)V99 COMP-3.
           05  ROW-USED                    PIC S9(09)V99 COMP-3.
           05  ROW-QUANTITY                PIC S9(09) COMP.
           05  ROW-RESERVED                PIC S9(09) COMP.
           05  ROW-DATE                    PIC X(10).
           05  ROW-TIMESTAMP               PIC X(26).
       01  RTW-WORK.
           05  WS-ROWS                     PIC S9(09) COMP VALUE 0.
           05  WS-SUM                      PIC S9(09)V99 COMP-3 VALUE 0.
           05  WS-ROUND                    PIC S9(04) COMP VALUE 0.
           05  WS-TURN                     PIC S9(04) COMP.
           05  WS-LINE-NO                  PIC S9(09) COMP VALUE 9.
           05  WS-KEY                      PIC 9(08) VALUE 7.
           05  WS-LENGTH                   PIC S9(04) COMP.
           05  WS-RESP                     PIC S9(08) COMP.
       01  WS-INPUT.
           05  FILLER                      PIC X(05).
           05  WS-INPUT-KEY                PIC X(08).
       01  WS-ANSWER.
           05  ANS-TRANSACTION             PIC X(04).
           05  FILLER                      PIC X(08) VALUE ' number '.
           05  ANS-KEY                     PIC 9(08).
           05  FILLER                      PIC X(07) VALUE ': rows '.
           05  ANS-ROWS                    PIC 9(04).
           05  FILLER                      PIC X(06) VALUE ', sum '.
           05  ANS-SUM                     PIC Z(08)9.99.
