      ******************************************************************
      * Changes: an INSERT, an UPDATE and a DELETE of what was inserted,
      * so that the tables stay as they are however long tasks run.
      ******************************************************************
       NOTE-IT.
           ADD 1                       TO KEY-ENTRY
           MOVE 'LOOKED AT'            TO ROW-TEXT-TEXT
           MOVE 9                      TO ROW-TEXT-LEN
           EXEC SQL
              INSERT INTO JOURNAL (TASK_NO, ENTRY_NO, CUST_NO, TEXT)
                 VALUES (:KEY-TASK, :KEY-ENTRY, :KEY-CUSTOMER,
                         :ROW-TEXT)
           END-EXEC
           PERFORM CHECK-CODE
           EXEC SQL
              UPDATE CREDIT SET USED = USED + 0.01
               WHERE CUST_NO = :KEY-CUSTOMER
           END-EXEC
           PERFORM CHECK-CODE
           EXEC SQL
              DELETE FROM JOURNAL
               WHERE TASK_NO = :KEY-TASK AND ENTRY_NO = :KEY-ENTRY
           END-EXEC
           PERFORM CHECK-CODE.

       ORDER-THE-PRODUCT.
           MOVE 1                      TO ROW-QUANTITY
           EXEC SQL
              INSERT INTO ORDERLINE
                 VALUES (:KEY-ORDER, :WS-LINE-NO, :KEY-PRODUCT,
                         :ROW-QUANTITY)
           END-EXEC
           PERFORM CHECK-CODE
           EXEC SQL
              UPDATE STOCK SET RESERVED = RESERVED + :ROW-QUANTITY
               WHERE PROD_NO = :KEY-PRODUCT
           END-EXEC
           PERFORM CHECK-CODE
           EXEC SQL
              DELETE FROM ORDERLINE
               WHERE ORDER_NO = :KEY-ORDER AND LINE_NO = :WS-LINE-NO
           END-EXEC
           PERFORM CHECK-CODE.
