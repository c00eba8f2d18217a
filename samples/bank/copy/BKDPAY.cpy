      * Table PAYEE: whom an account pays.
           EXEC SQL DECLARE PAYEE TABLE
              (PAYEE_NO                    INTEGER NOT NULL,
               ACC_NO                      INTEGER NOT NULL,
               NAME                        VARCHAR(24) NOT NULL,
               PAYEE_ACC                   INTEGER NOT NULL,
               ADDED_BY                    CHAR(8) NOT NULL,
               ADDED                       TIMESTAMP NOT NULL)
           END-EXEC.
       01  DCLPAYEE.
           10  PAY-NO                      PIC S9(09) COMP.
           10  PAY-ACC-NO                  PIC S9(09) COMP.
           10  PAY-NAME.
               49  PAY-NAME-LEN            PIC S9(04) COMP.
               49  PAY-NAME-TEXT           PIC X(24).
           10  PAY-PAYEE-ACC               PIC S9(09) COMP.
           10  PAY-ADDED-BY                PIC X(08).
           10  PAY-ADDED                   PIC X(26).
