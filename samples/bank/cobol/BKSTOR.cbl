      ******************************************************************
      * BKSTOR    BKSO   Standing orders of an account: they are shown,
      *           given, cancelled and carried out, one (PF5) or all
      *           that are due (PF6). BKPAYO pays each, in a unit of
      *           work of its own over tables and files; the cursor over
      *           those that are due is held from one to the next.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BKSTOR.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-PROGRAM                      PIC X(08) VALUE 'BKSTOR'.
       01  WS-TRANID                       PIC X(04) VALUE 'BKSO'.
       01  WS-MAPSET                       PIC X(08) VALUE 'BKSTO'.
       01  WS-MAP                          PIC X(08) VALUE 'BKSTOM'.
       01  WS-NEXT-PROGRAM                 PIC X(08).
       01  WS-MOST-ORDERS                  PIC S9(09) COMP VALUE 8.
       01  WS-PAID-COUNT                   PIC 9(02) VALUE ZERO.
       01  WS-AMOUNT-TYPED                 PIC X(12).
       01  WS-ORDER-LINE.
           05  LIN-NO                      PIC ZZZZZ9.
           05  FILLER                      PIC X(02) VALUE SPACES.
           05  LIN-NAME                    PIC X(24).
           05  LIN-AMOUNT                  PIC Z,ZZZ,ZZ9.99.
           05  FILLER                      PIC X(02) VALUE SPACES.
           05  LIN-MONTHS                  PIC Z9.
           05  FILLER                      PIC X(05) VALUE SPACES.
           05  LIN-NEXT-DUE                PIC X(10).
           05  FILLER                      PIC X(02) VALUE SPACES.
           05  LIN-LAST-PAID               PIC X(10).
       COPY BKWORK.
       COPY BKPAYW.
       COPY BKCOMM.
       COPY BKRACC.
       COPY BKLENQ.
       COPY BKLPAY.
       COPY BKSTO.
       COPY DFHAID.
       COPY DFHBMSCA.
           EXEC SQL INCLUDE SQLCA  END-EXEC.
           EXEC SQL INCLUDE BKDPAY END-EXEC.
           EXEC SQL INCLUDE BKDORD END-EXEC.
           EXEC SQL DECLARE ORDERS CURSOR FOR
              SELECT O.ORDER_NO, P.NAME, O.AMOUNT, O.EVERY_MONTHS,
                     O.NEXT_DUE, O.LAST_PAID
                FROM STANDING_ORDER O
                     INNER JOIN PAYEE P ON P.PAYEE_NO = O.PAYEE_NO
               WHERE P.ACC_NO = :PAY-ACC-NO
               ORDER BY O.NEXT_DUE, O.ORDER_NO
               FOR FETCH ONLY
           END-EXEC.
           EXEC SQL DECLARE DUE CURSOR WITH HOLD FOR
              SELECT O.ORDER_NO, O.NEXT_DUE
                FROM STANDING_ORDER O, PAYEE P
               WHERE P.PAYEE_NO = O.PAYEE_NO
                 AND P.ACC_NO   = :PAY-ACC-NO
                 AND O.NEXT_DUE <= CURRENT DATE
               ORDER BY O.NEXT_DUE, O.ORDER_NO
           END-EXEC.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  FILLER                      PIC X(01)
               OCCURS 1 TO 32767 TIMES DEPENDING ON EIBCALEN.
       PROCEDURE DIVISION.
       MAIN-LINE.
           PERFORM TAKE-THE-COMMAREA
           MOVE LOW-VALUES             TO BKSTOMO
           IF BK-JUST-ENTERED
              SET BK-SHOWN             TO TRUE
              SET WS-ERASE-FIRST       TO TRUE
              PERFORM FIND-THE-ACCOUNT
           ELSE
              PERFORM TAKE-THE-KEY
           END-IF
           PERFORM SHOW-THE-ORDERS
           PERFORM SEND-THE-SCREEN
           PERFORM WAIT-FOR-KEY
           GOBACK.

       TAKE-THE-KEY.
           EVALUATE EIBAID
              WHEN DFHPF3
                 IF BK-CALLER = 'BKPAYE'
                    MOVE 'BKPAYE'      TO WS-NEXT-PROGRAM
                 ELSE
                    MOVE 'BKMENU'      TO WS-NEXT-PROGRAM
                 END-IF
                 PERFORM HAND-OVER
              WHEN DFHCLEAR
                 PERFORM FIND-THE-ACCOUNT
              WHEN DFHENTER
              WHEN DFHPF4
              WHEN DFHPF5
              WHEN DFHPF6
              WHEN DFHPF9
                 PERFORM TAKE-THE-SCREEN
                 IF WS-ACCOUNT-FOUND
                    PERFORM DO-WHAT-THE-KEY-SAYS
                 END-IF
              WHEN OTHER
                 PERFORM FIND-THE-ACCOUNT
                 MOVE 'That key does nothing here.' TO WS-MESSAGE
           END-EVALUATE.

       DO-WHAT-THE-KEY-SAYS.
           MOVE ZERO                   TO ORD-NO
           IF ORDNOI OF BKSTOMI IS NUMERIC
              MOVE ORDNOI OF BKSTOMI   TO ORD-NO
           END-IF
           EVALUATE EIBAID
              WHEN DFHPF4
                 PERFORM GIVE-AN-ORDER
              WHEN DFHPF5
                 PERFORM PAY-ONE
              WHEN DFHPF6
                 PERFORM PAY-ALL-THAT-ARE-DUE
              WHEN DFHPF9
                 PERFORM CANCEL-AN-ORDER
           END-EVALUATE.

       GIVE-AN-ORDER.
           MOVE ZERO                   TO ORD-PAYEE-NO ORD-AMOUNT
                                          ORD-EVERY-MONTHS
           IF PAYNOI OF BKSTOMI IS NUMERIC
              MOVE PAYNOI OF BKSTOMI   TO ORD-PAYEE-NO
           END-IF
           IF MONTHSI OF BKSTOMI IS NUMERIC
              MOVE MONTHSI OF BKSTOMI  TO ORD-EVERY-MONTHS
           END-IF
           MOVE FIRSTI  OF BKSTOMI     TO ORD-NEXT-DUE
           MOVE AMOUNTI OF BKSTOMI     TO WS-AMOUNT-TYPED
           INSPECT ORD-NEXT-DUE    REPLACING ALL LOW-VALUES BY SPACES
           INSPECT WS-AMOUNT-TYPED REPLACING ALL LOW-VALUES BY SPACES
           IF FUNCTION TEST-NUMVAL(WS-AMOUNT-TYPED) = ZERO
              COMPUTE ORD-AMOUNT = FUNCTION NUMVAL(WS-AMOUNT-TYPED)
           END-IF
           IF ORD-AMOUNT NOT > ZERO
              MOVE 'How much? For example 125.50' TO WS-MESSAGE
           ELSE
              PERFORM COUNT-THE-ORDERS
              EVALUATE TRUE
                 WHEN SQLCODE NOT = ZERO
                    PERFORM SQL-TROUBLE
                 WHEN WS-COUNT < WS-MOST-ORDERS
                    PERFORM INSERT-THE-ORDER
                 WHEN OTHER
                    MOVE 'An account has eight orders at most.'
                                       TO WS-MESSAGE
              END-EVALUATE
           END-IF.

       COUNT-THE-ORDERS.
           EXEC SQL
              SELECT COUNT(*) INTO :WS-COUNT
                FROM STANDING_ORDER
               WHERE PAYEE_NO IN (SELECT PAYEE_NO FROM PAYEE
                                   WHERE ACC_NO = :PAY-ACC-NO)
           END-EXEC.

      * The tables know what may be in them; the codes say what is not.
       INSERT-THE-ORDER.
           EXEC SQL
              INSERT INTO STANDING_ORDER
                    (PAYEE_NO, AMOUNT, EVERY_MONTHS, NEXT_DUE)
              SELECT PAYEE_NO, :ORD-AMOUNT, :ORD-EVERY-MONTHS,
                     DATE(:ORD-NEXT-DUE)
                FROM PAYEE
               WHERE PAYEE_NO = :ORD-PAYEE-NO
                 AND ACC_NO   = :PAY-ACC-NO
           END-EXEC
           EVALUATE SQLCODE
              WHEN ZERO
                 EXEC CICS SYNCPOINT END-EXEC
                 SET WS-ERASE-FIRST    TO TRUE
                 MOVE 'The order was given.' TO WS-MESSAGE
                 SET WS-MOOD-GOOD      TO TRUE
              WHEN 100
                 MOVE 'There is no such payee of this account.'
                                       TO WS-MESSAGE
              WHEN -180
              WHEN -181
                 MOVE 'There is no such date. For example 2026-12-31'
                                       TO WS-MESSAGE
              WHEN -545
                 MOVE 'Every how many months? 1 to 12.' TO WS-MESSAGE
              WHEN OTHER
                 PERFORM SQL-TROUBLE
           END-EVALUATE.

       CANCEL-AN-ORDER.
           EXEC SQL
              DELETE FROM STANDING_ORDER
               WHERE ORDER_NO = :ORD-NO
                 AND PAYEE_NO IN (SELECT PAYEE_NO FROM PAYEE
                                   WHERE ACC_NO = :PAY-ACC-NO)
           END-EXEC
           EVALUATE SQLCODE
              WHEN ZERO
                 EXEC CICS SYNCPOINT END-EXEC
                 SET WS-ERASE-FIRST    TO TRUE
                 MOVE 'The order was cancelled.' TO WS-MESSAGE
                 SET WS-MOOD-GOOD      TO TRUE
              WHEN 100
                 PERFORM SAY-NO-SUCH-ORDER
              WHEN OTHER
                 PERFORM SQL-TROUBLE
           END-EVALUATE.

       PAY-ONE.
           EXEC SQL
              SELECT O.NEXT_DUE INTO :ORD-NEXT-DUE
                FROM STANDING_ORDER O, PAYEE P
               WHERE O.ORDER_NO = :ORD-NO
                 AND P.PAYEE_NO = O.PAYEE_NO
                 AND P.ACC_NO   = :PAY-ACC-NO
           END-EXEC
           EVALUATE SQLCODE
              WHEN ZERO
                 PERFORM CARRY-OUT-THE-ORDER
                 IF PMT-PAID
                    MOVE 'The order was paid.' TO WS-MESSAGE
                    SET WS-MOOD-GOOD   TO TRUE
                 END-IF
              WHEN 100
                 PERFORM SAY-NO-SUCH-ORDER
              WHEN OTHER
                 PERFORM SQL-TROUBLE
           END-EVALUATE
           PERFORM FIND-THE-ACCOUNT.

      * The first order that cannot be paid ends it: ROLLBACK has closed
      * the cursor. Those before it stay paid.
       PAY-ALL-THAT-ARE-DUE.
           EXEC SQL OPEN DUE END-EXEC
           PERFORM UNTIL SQLCODE NOT = ZERO
              EXEC SQL
                 FETCH DUE INTO :ORD-NO, :ORD-NEXT-DUE
              END-EXEC
              IF SQLCODE = ZERO
                 PERFORM CARRY-OUT-THE-ORDER
                 IF PMT-PAID
                    ADD 1              TO WS-PAID-COUNT
                 ELSE
                    MOVE 100           TO SQLCODE
                 END-IF
              END-IF
           END-PERFORM
           EVALUATE TRUE
              WHEN SQLCODE < ZERO
                 PERFORM SQL-TROUBLE
              WHEN WS-MESSAGE = SPACES
                 EXEC SQL CLOSE DUE END-EXEC
                 STRING 'Orders paid: ' WS-PAID-COUNT '.'
                        DELIMITED BY SIZE INTO WS-MESSAGE
                 SET WS-MOOD-GOOD      TO TRUE
           END-EVALUATE
           PERFORM FIND-THE-ACCOUNT.

      * ORD-NO, due on ORD-NEXT-DUE: one unit of work.
       CARRY-OUT-THE-ORDER.
           MOVE ORD-NO                 TO PMT-ORDER-NO
           MOVE ORD-NEXT-DUE           TO PMT-DUE
           EXEC CICS LINK
                     PROGRAM ('BKPAYO')
                     COMMAREA(PAYMENT-WANTED)
                     LENGTH  (LENGTH OF PAYMENT-WANTED)
           END-EXEC
           IF PMT-PAID
              EXEC CICS SYNCPOINT END-EXEC
           ELSE
              EXEC CICS SYNCPOINT ROLLBACK END-EXEC
              PERFORM SAY-WHY-NOT
           END-IF.

       SAY-WHY-NOT.
           EVALUATE TRUE
              WHEN PMT-NOT-DUE
                 MOVE 'Somebody else has paid that order.'
                                       TO WS-MESSAGE
              WHEN PMT-NO-ACCOUNT
                 MOVE 'One of the accounts was closed. Nothing moved.'
                                       TO WS-MESSAGE
              WHEN PMT-BLOCKED
                 MOVE 'One of the accounts is blocked. Nothing moved.'
                                       TO WS-MESSAGE
              WHEN PMT-NO-FUNDS
                 MOVE 'Insufficient funds. Nothing moved.'
                                       TO WS-MESSAGE
              WHEN OTHER
                 MOVE PMT-SQLCODE      TO SQLCODE
                 PERFORM SQL-TROUBLE
           END-EVALUATE.

       SAY-NO-SUCH-ORDER.
           MOVE 'There is no such order of this account.'
                                       TO WS-MESSAGE.

       SHOW-THE-ORDERS.
           PERFORM CLEAR-THE-LINES
           IF WS-ACCOUNT-FOUND
              PERFORM SHOW-THE-ACCOUNT
              EXEC SQL OPEN ORDERS END-EXEC
              IF SQLCODE = ZERO
                 PERFORM SHOW-ONE-ORDER
                    VARYING WS-ROW FROM 1 BY 1
                      UNTIL SQLCODE NOT = ZERO
                         OR WS-ROW > WS-PAGE-SIZE
                 IF SQLCODE < ZERO
                    PERFORM SQL-TROUBLE
                 ELSE
                    EXEC SQL CLOSE ORDERS END-EXEC
                 END-IF
              ELSE
                 PERFORM SQL-TROUBLE
              END-IF
           END-IF.

      * An order that was never paid has no date there: NULL.
       SHOW-ONE-ORDER.
           EXEC SQL
              FETCH ORDERS
               INTO :ORD-NO, :PAY-NAME, :ORD-AMOUNT, :ORD-EVERY-MONTHS,
                    :ORD-NEXT-DUE,
                    :ORD-LAST-PAID :ORD-LAST-PAID-NULL
           END-EXEC
           IF SQLCODE = ZERO
              MOVE ORD-NO              TO LIN-NO
              MOVE PAY-NAME-TEXT(1:PAY-NAME-LEN) TO LIN-NAME
              MOVE ORD-AMOUNT          TO LIN-AMOUNT
              MOVE ORD-EVERY-MONTHS    TO LIN-MONTHS
              MOVE ORD-NEXT-DUE        TO LIN-NEXT-DUE
              IF ORD-LAST-PAID-NULL < ZERO
                 MOVE 'never'          TO LIN-LAST-PAID
              ELSE
                 MOVE ORD-LAST-PAID    TO LIN-LAST-PAID
              END-IF
              MOVE WS-ORDER-LINE       TO LINESO OF BKSTOMO(WS-ROW)
           END-IF.

       COPY BKPAYP REPLACING ==:MAP:== BY ==BKSTOM==.
       COPY BKHEAD REPLACING ==:MAP:== BY ==BKSTOM==.
       COPY BKSIGNED.
       COPY BKLEAVE.
