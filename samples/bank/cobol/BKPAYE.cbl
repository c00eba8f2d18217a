      ******************************************************************
      * BKPAYE    BKPY   Whom an account pays: payees are shown, added
      *           and removed. They lie in table PAYEE; the accounts
      *           are records of BKACCT.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BKPAYE.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-PROGRAM                      PIC X(08) VALUE 'BKPAYE'.
       01  WS-TRANID                       PIC X(04) VALUE 'BKPY'.
       01  WS-MAPSET                       PIC X(08) VALUE 'BKPAY'.
       01  WS-MAP                          PIC X(08) VALUE 'BKPAYM'.
       01  WS-NEXT-PROGRAM                 PIC X(08).
       01  WS-MOST-PAYEES                  PIC S9(09) COMP VALUE 8.
       01  WS-PAYEE-KEY                    PIC 9(08).
       01  WS-PAYEE-LINE.
           05  LIN-NO                      PIC ZZZZZ9.
           05  FILLER                      PIC X(02) VALUE SPACES.
           05  LIN-NAME                    PIC X(24).
           05  FILLER                      PIC X(02) VALUE SPACES.
           05  LIN-ACCOUNT                 PIC 9(08).
           05  FILLER                      PIC X(02) VALUE SPACES.
           05  LIN-ADDED-BY                PIC X(08).
           05  FILLER                      PIC X(02) VALUE SPACES.
           05  LIN-ORDERS                  PIC ZZ9.
       COPY BKWORK.
       COPY BKPAYW.
       COPY BKCOMM.
       COPY BKRACC.
       COPY BKLENQ.
       COPY BKPAY.
       COPY DFHAID.
       COPY DFHBMSCA.
           EXEC SQL INCLUDE SQLCA  END-EXEC.
           EXEC SQL INCLUDE BKDPAY END-EXEC.
      * The payees of an account, and how many orders pay each.
           EXEC SQL DECLARE PAYEES CURSOR FOR
              SELECT P.PAYEE_NO, P.NAME, P.PAYEE_ACC, P.ADDED_BY,
                     COUNT(O.ORDER_NO)
                FROM PAYEE P
                     LEFT OUTER JOIN STANDING_ORDER O
                     ON O.PAYEE_NO = P.PAYEE_NO
               WHERE P.ACC_NO = :PAY-ACC-NO
               GROUP BY P.PAYEE_NO, P.NAME, P.PAYEE_ACC, P.ADDED_BY
               ORDER BY P.NAME
           END-EXEC.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  FILLER                      PIC X(01)
               OCCURS 1 TO 32767 TIMES DEPENDING ON EIBCALEN.
       PROCEDURE DIVISION.
       MAIN-LINE.
           PERFORM TAKE-THE-COMMAREA
           MOVE LOW-VALUES             TO BKPAYMO
           IF BK-JUST-ENTERED
              SET BK-SHOWN             TO TRUE
              SET WS-ERASE-FIRST       TO TRUE
              PERFORM FIND-THE-ACCOUNT
           ELSE
              PERFORM TAKE-THE-KEY
           END-IF
           PERFORM SHOW-THE-PAYEES
           PERFORM SEND-THE-SCREEN
           PERFORM WAIT-FOR-KEY
           GOBACK.

       TAKE-THE-KEY.
           EVALUATE EIBAID
              WHEN DFHPF3
                 MOVE 'BKMENU'         TO WS-NEXT-PROGRAM
                 PERFORM HAND-OVER
              WHEN DFHPF4
                 PERFORM TAKE-THE-SCREEN
                 MOVE 'BKSTOR'         TO WS-NEXT-PROGRAM
                 PERFORM HAND-OVER
              WHEN DFHCLEAR
                 PERFORM FIND-THE-ACCOUNT
              WHEN DFHENTER
                 PERFORM TAKE-THE-SCREEN
              WHEN DFHPF5
                 PERFORM TAKE-THE-SCREEN
                 IF WS-ACCOUNT-FOUND
                    PERFORM ADD-A-PAYEE
                 END-IF
              WHEN DFHPF9
                 PERFORM TAKE-THE-SCREEN
                 IF WS-ACCOUNT-FOUND
                    PERFORM REMOVE-A-PAYEE
                 END-IF
              WHEN OTHER
                 PERFORM FIND-THE-ACCOUNT
                 MOVE 'That key does nothing here.' TO WS-MESSAGE
           END-EVALUATE.

       ADD-A-PAYEE.
           MOVE NAMEI OF BKPAYMI       TO PAY-NAME-TEXT
           INSPECT PAY-NAME-TEXT REPLACING ALL LOW-VALUES BY SPACES
           MOVE ZERO                   TO WS-PAYEE-KEY
           IF PAYACI OF BKPAYMI IS NUMERIC
              MOVE PAYACI OF BKPAYMI   TO WS-PAYEE-KEY
           END-IF
           EXEC CICS READ
                     FILE  ('BKACCT')
                     INTO  (ACCOUNT-RECORD)
                     RIDFLD(WS-PAYEE-KEY)
                     RESP  (WS-RESP)
           END-EXEC
           EVALUATE TRUE
              WHEN PAY-NAME-TEXT = SPACES
                 MOVE 'Please enter the name of the payee.'
                                       TO WS-MESSAGE
              WHEN WS-RESP NOT = DFHRESP(NORMAL)
              WHEN WS-PAYEE-KEY = BK-ACC-NO
                 MOVE 'Which account shall be paid?' TO WS-MESSAGE
              WHEN OTHER
                 PERFORM COUNT-THE-PAYEES
                 IF SQLCODE = ZERO
                    IF WS-COUNT < WS-MOST-PAYEES
                       PERFORM INSERT-THE-PAYEE
                    ELSE
                       MOVE 'An account has eight payees at most.'
                                       TO WS-MESSAGE
                    END-IF
                 ELSE
                    PERFORM SQL-TROUBLE
                 END-IF
           END-EVALUATE
           PERFORM FIND-THE-ACCOUNT.

       COUNT-THE-PAYEES.
           EXEC SQL
              SELECT COUNT(*) INTO :WS-COUNT FROM PAYEE
               WHERE ACC_NO = :PAY-ACC-NO
           END-EXEC.

      * The length of a VARCHAR is that without the blanks behind it.
       INSERT-THE-PAYEE.
           PERFORM VARYING PAY-NAME-LEN FROM 24 BY -1
              UNTIL PAY-NAME-TEXT(PAY-NAME-LEN:1) NOT = SPACE
              CONTINUE
           END-PERFORM
           MOVE WS-PAYEE-KEY           TO PAY-PAYEE-ACC
           MOVE BK-USER-ID             TO PAY-ADDED-BY
           EXEC SQL
              SELECT PAYEE_NO INTO :PAY-NO
                FROM FINAL TABLE
                    (INSERT INTO PAYEE
                        (ACC_NO, NAME, PAYEE_ACC, ADDED_BY)
                        VALUES (:PAY-ACC-NO, :PAY-NAME,
                                :PAY-PAYEE-ACC, :PAY-ADDED-BY))
           END-EXEC
           EVALUATE SQLCODE
              WHEN ZERO
                 EXEC CICS SYNCPOINT END-EXEC
                 SET WS-ERASE-FIRST    TO TRUE
                 MOVE PAY-NO           TO LIN-NO
                 STRING 'Payee ' FUNCTION TRIM(LIN-NO) ' was added.'
                        DELIMITED BY SIZE INTO WS-MESSAGE
                 SET WS-MOOD-GOOD      TO TRUE
              WHEN -803
                 MOVE 'That account is a payee already.' TO WS-MESSAGE
              WHEN OTHER
                 PERFORM SQL-TROUBLE
           END-EVALUATE.

       REMOVE-A-PAYEE.
           MOVE ZERO                   TO PAY-NO
           IF PAYNOI OF BKPAYMI IS NUMERIC
              MOVE PAYNOI OF BKPAYMI   TO PAY-NO
           END-IF
           EXEC SQL
              DELETE FROM PAYEE
               WHERE PAYEE_NO = :PAY-NO
                 AND ACC_NO   = :PAY-ACC-NO
           END-EXEC
           EVALUATE SQLCODE
              WHEN ZERO
                 EXEC CICS SYNCPOINT END-EXEC
                 SET WS-ERASE-FIRST    TO TRUE
                 MOVE 'The payee was removed.' TO WS-MESSAGE
                 SET WS-MOOD-GOOD      TO TRUE
              WHEN 100
                 MOVE 'There is no such payee of this account.'
                                       TO WS-MESSAGE
              WHEN -532
                 MOVE 'Standing orders pay this payee.'
                                       TO WS-MESSAGE
              WHEN OTHER
                 PERFORM SQL-TROUBLE
           END-EVALUATE.

       SHOW-THE-PAYEES.
           PERFORM CLEAR-THE-LINES
           IF WS-ACCOUNT-FOUND
              PERFORM SHOW-THE-ACCOUNT
              EXEC SQL OPEN PAYEES END-EXEC
              IF SQLCODE = ZERO
                 PERFORM SHOW-ONE-PAYEE
                    VARYING WS-ROW FROM 1 BY 1
                      UNTIL SQLCODE NOT = ZERO
                         OR WS-ROW > WS-PAGE-SIZE
                 IF SQLCODE < ZERO
                    PERFORM SQL-TROUBLE
                 ELSE
                    EXEC SQL CLOSE PAYEES END-EXEC
                 END-IF
              ELSE
                 PERFORM SQL-TROUBLE
              END-IF
           END-IF.

       SHOW-ONE-PAYEE.
           EXEC SQL
              FETCH PAYEES
               INTO :PAY-NO, :PAY-NAME, :PAY-PAYEE-ACC, :PAY-ADDED-BY,
                    :WS-COUNT
           END-EXEC
           IF SQLCODE = ZERO
              MOVE PAY-NO              TO LIN-NO
              MOVE PAY-NAME-TEXT(1:PAY-NAME-LEN) TO LIN-NAME
              MOVE PAY-PAYEE-ACC       TO LIN-ACCOUNT
              MOVE PAY-ADDED-BY        TO LIN-ADDED-BY
              MOVE WS-COUNT            TO LIN-ORDERS
              MOVE WS-PAYEE-LINE       TO LINESO OF BKPAYMO(WS-ROW)
           END-IF.

       COPY BKPAYP REPLACING ==:MAP:== BY ==BKPAYM==.
       COPY BKHEAD REPLACING ==:MAP:== BY ==BKPAYM==.
       COPY BKSIGNED.
       COPY BKLEAVE.
