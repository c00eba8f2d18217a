      ******************************************************************
      * The two ends of a transaction, and what is no row. The number
      * comes in a COMMAREA, or is typed behind the transaction's name;
      * a terminal sees how many rows the cursors found.
      ******************************************************************
       BEGIN-TASK.
           IF EIBCALEN > ZERO
              MOVE CA-KEY              TO WS-KEY
           ELSE
              MOVE LENGTH OF WS-INPUT  TO WS-LENGTH
              MOVE SPACES              TO WS-INPUT
              EXEC CICS RECEIVE
                        INTO  (WS-INPUT)
                        LENGTH(WS-LENGTH)
                        RESP  (WS-RESP)
              END-EXEC
              IF WS-INPUT-KEY IS NUMERIC
                 MOVE WS-INPUT-KEY     TO WS-KEY
              END-IF
           END-IF
           MOVE EIBTASKN               TO KEY-TASK
           PERFORM CHOOSE-CUSTOMER
           PERFORM CHOOSE-PRODUCT.

      * The customer of the number, and those behind it by WS-ROUND.
       CHOOSE-CUSTOMER.
           COMPUTE KEY-CUSTOMER = FUNCTION MOD(WS-KEY + WS-ROUND 1000).

       CHOOSE-PRODUCT.
           COMPUTE KEY-PRODUCT =
              FUNCTION MOD(WS-KEY + WS-ROUND * 3 1000).

       END-TASK.
           IF EIBCALEN = ZERO
              MOVE EIBTRNID            TO ANS-TRANSACTION
              MOVE WS-KEY              TO ANS-KEY
              MOVE WS-ROWS             TO ANS-ROWS
              MOVE WS-SUM              TO ANS-SUM
              EXEC CICS SEND TEXT
                        FROM  (WS-ANSWER)
                        LENGTH(LENGTH OF WS-ANSWER)
                        ERASE
                        FREEKB
              END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.

      * Behind a statement that must find its row.
       CHECK-CODE.
           IF SQLCODE NOT = ZERO
              EXEC CICS ABEND ABCODE('RTWS') END-EXEC
           END-IF.

      * Behind a FETCH, which may find the end.
       CHECK-ROW.
           EVALUATE SQLCODE
              WHEN ZERO
                 ADD 1                 TO WS-ROWS
              WHEN 100
                 CONTINUE
              WHEN OTHER
                 PERFORM CHECK-CODE
           END-EVALUATE.
