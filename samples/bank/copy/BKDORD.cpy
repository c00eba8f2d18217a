      * Table STANDING_ORDER: what is paid again and again.
           EXEC SQL DECLARE STANDING_ORDER TABLE
              (ORDER_NO                    INTEGER NOT NULL,
               PAYEE_NO                    INTEGER NOT NULL,
               AMOUNT                      DECIMAL(9,2) NOT NULL,
               EVERY_MONTHS                SMALLINT NOT NULL,
               NEXT_DUE                    DATE NOT NULL,
               LAST_PAID                   DATE)
           END-EXEC.
       01  DCLSTANDING-ORDER.
           10  ORD-NO                      PIC S9(09) COMP.
           10  ORD-PAYEE-NO                PIC S9(09) COMP.
           10  ORD-AMOUNT                  PIC S9(07)V99 COMP-3.
           10  ORD-EVERY-MONTHS            PIC S9(04) COMP.
           10  ORD-NEXT-DUE                PIC X(10).
           10  ORD-LAST-PAID               PIC X(10).
       01  ORD-LAST-PAID-NULL              PIC S9(04) COMP.
