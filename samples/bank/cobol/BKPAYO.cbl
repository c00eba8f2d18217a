      ******************************************************************
      * BKPAYO    Carries out a standing order: LINKed with a COMMAREA.
      *           The table has the order, the files have the money. The
      *           order's next date is set first, which locks it; the
      *           caller ends the unit of work, with SYNCPOINT ROLLBACK
      *           unless the answer is PMT-PAID.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BKPAYO.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                         PIC S9(08) COMP.
       01  WS-NOW                          PIC S9(15) COMP-3.
       01  WS-FROM-NO                      PIC 9(08).
       01  WS-TO-NO                        PIC 9(08).
       01  WS-AMOUNT                       PIC S9(09)V99.
       01  WS-TEXT                         PIC X(24).
       01  WS-FROM-BALANCE                 PIC S9(09)V99.
       COPY BKRACC.
       COPY BKRMOV.
       COPY BKLSEQ.
           EXEC SQL INCLUDE SQLCA  END-EXEC.
           EXEC SQL INCLUDE BKDPAY END-EXEC.
           EXEC SQL INCLUDE BKDORD END-EXEC.
       COPY BKLPAY.
       LINKAGE SECTION.
       01  DFHCOMMAREA                     PIC X(19).
       PROCEDURE DIVISION.
       MAIN-LINE.
           MOVE DFHCOMMAREA            TO PAYMENT-WANTED
           SET PMT-PAID                TO TRUE
           MOVE PMT-ORDER-NO           TO ORD-NO
           MOVE PMT-DUE                TO ORD-NEXT-DUE
           PERFORM SET-THE-NEXT-DATE
           IF SQLCODE = ZERO
              PERFORM READ-THE-ORDER
           END-IF
           EVALUATE SQLCODE
              WHEN ZERO
                 PERFORM PAY
              WHEN 100
                 SET PMT-NOT-DUE       TO TRUE
              WHEN OTHER
                 SET PMT-SQL-TROUBLE   TO TRUE
           END-EVALUATE
           MOVE SQLCODE                TO PMT-SQLCODE
           MOVE PAYMENT-WANTED         TO DFHCOMMAREA
           EXEC CICS RETURN END-EXEC
           GOBACK.

       SET-THE-NEXT-DATE.
           EXEC SQL
              UPDATE STANDING_ORDER
                 SET LAST_PAID = CURRENT DATE,
                     NEXT_DUE  = NEXT_DUE + EVERY_MONTHS MONTHS
               WHERE ORDER_NO = :ORD-NO
                 AND NEXT_DUE = :ORD-NEXT-DUE
           END-EXEC.

       READ-THE-ORDER.
           EXEC SQL
              SELECT P.ACC_NO, P.NAME, P.PAYEE_ACC, O.AMOUNT
                INTO :PAY-ACC-NO, :PAY-NAME, :PAY-PAYEE-ACC, :ORD-AMOUNT
                FROM STANDING_ORDER O, PAYEE P
               WHERE O.ORDER_NO = :ORD-NO
                 AND P.PAYEE_NO = O.PAYEE_NO
           END-EXEC.

      * An account may have been closed since the order was given.
       PAY.
           MOVE PAY-ACC-NO             TO WS-FROM-NO
           MOVE PAY-PAYEE-ACC          TO WS-TO-NO
           MOVE ORD-AMOUNT             TO WS-AMOUNT
           MOVE PAY-NAME-TEXT(1:PAY-NAME-LEN) TO WS-TEXT
           MOVE WS-TO-NO               TO ACC-NO
           PERFORM LOOK-AT-AN-ACCOUNT
           IF PMT-PAID
              MOVE WS-FROM-NO          TO ACC-NO
              PERFORM LOOK-AT-AN-ACCOUNT
           END-IF
           IF PMT-PAID
              PERFORM TAKE-IT-FROM-THE-ONE
              PERFORM GIVE-IT-TO-THE-OTHER
              IF WS-FROM-BALANCE < ZERO
                 SET PMT-NO-FUNDS      TO TRUE
              END-IF
           END-IF.

       LOOK-AT-AN-ACCOUNT.
           EXEC CICS READ
                     FILE  ('BKACCT')
                     INTO  (ACCOUNT-RECORD)
                     RIDFLD(ACC-NO)
                     RESP  (WS-RESP)
           END-EXEC
           EVALUATE TRUE
              WHEN WS-RESP NOT = DFHRESP(NORMAL)
                 SET PMT-NO-ACCOUNT    TO TRUE
              WHEN ACC-BLOCKED
                 SET PMT-BLOCKED       TO TRUE
           END-EVALUATE.

       COPY BKMOVP.
