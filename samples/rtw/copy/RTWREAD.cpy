      ******************************************************************
      * One row of a table by its key.
      ******************************************************************
       READ-CUSTOMER.
           EXEC SQL
              SELECT NAME, DEPOT_NO, TERMS_CODE, BALANCE
                INTO :ROW-LONG-NAME, :KEY-DEPOT, :KEY-TERMS, :ROW-AMOUNT
                FROM CUSTOMER
               WHERE CUST_NO = :KEY-CUSTOMER
           END-EXEC
           PERFORM CHECK-CODE.

       READ-ADDRESS.
           EXEC SQL
              SELECT STREET, DEPOT_NO, CARRIER_NO
                INTO :ROW-LONG-NAME, :KEY-DEPOT, :KEY-CARRIER
                FROM ADDRESS
               WHERE CUST_NO = :KEY-CUSTOMER AND KIND = :KEY-KIND
           END-EXEC
           PERFORM CHECK-CODE.

       READ-CREDIT.
           EXEC SQL
              SELECT MOST, USED
                INTO :ROW-AMOUNT, :ROW-USED
                FROM CREDIT
               WHERE CUST_NO = :KEY-CUSTOMER
           END-EXEC
           PERFORM CHECK-CODE.

       READ-TERMS.
           EXEC SQL
              SELECT TEXT, DAYS
                INTO :ROW-TEXT, :ROW-DAYS
                FROM TERMS
               WHERE TERMS_CODE = :KEY-TERMS
           END-EXEC
           PERFORM CHECK-CODE.

       READ-DEPOT.
           EXEC SQL
              SELECT NAME, MANAGER
                INTO :ROW-NAME, :KEY-CLERK
                FROM DEPOT
               WHERE DEPOT_NO = :KEY-DEPOT
           END-EXEC
           PERFORM CHECK-CODE.

       READ-CLERK.
           EXEC SQL
              SELECT NAME, DEPOT_NO
                INTO :ROW-NAME, :KEY-DEPOT
                FROM CLERK
               WHERE CLERK_NO = :KEY-CLERK
           END-EXEC
           PERFORM CHECK-CODE.

       READ-CARRIER.
           EXEC SQL
              SELECT NAME, DAYS
                INTO :ROW-NAME, :ROW-DAYS
                FROM CARRIER
               WHERE CARRIER_NO = :KEY-CARRIER
           END-EXEC
           PERFORM CHECK-CODE.

       READ-PRODUCT.
           EXEC SQL
              SELECT NAME, GROUP_CODE
                INTO :ROW-LONG-NAME, :KEY-GROUP
                FROM PRODUCT
               WHERE PROD_NO = :KEY-PRODUCT
           END-EXEC
           PERFORM CHECK-CODE.

       READ-GROUP.
           EXEC SQL
              SELECT NAME, TAX_CODE
                INTO :ROW-NAME, :KEY-TAX
                FROM PRODGROUP
               WHERE GROUP_CODE = :KEY-GROUP
           END-EXEC
           PERFORM CHECK-CODE.

       READ-TAX.
           EXEC SQL
              SELECT RATE
                INTO :ROW-RATE
                FROM TAX
               WHERE TAX_CODE = :KEY-TAX
           END-EXEC
           PERFORM CHECK-CODE.

       READ-SUPPLIER.
           EXEC SQL
              SELECT NAME, CARRIER_NO
                INTO :ROW-NAME, :KEY-CARRIER
                FROM SUPPLIER
               WHERE SUPPLIER_NO = :KEY-SUPPLIER
           END-EXEC
           PERFORM CHECK-CODE.

       READ-STOCK.
           EXEC SQL
              SELECT SUM(ON_HAND), SUM(RESERVED)
                INTO :ROW-QUANTITY, :ROW-RESERVED
                FROM STOCK
               WHERE PROD_NO = :KEY-PRODUCT
           END-EXEC
           PERFORM CHECK-CODE.

       READ-ORDER.
           EXEC SQL
              SELECT CUST_NO, CLERK_NO, PLACED
                INTO :KEY-CUSTOMER, :KEY-CLERK, :ROW-DATE
                FROM ORDERS
               WHERE ORDER_NO = :KEY-ORDER
           END-EXEC
           PERFORM CHECK-CODE.

       READ-INVOICE.
           EXEC SQL
              SELECT AMOUNT
                INTO :ROW-AMOUNT
                FROM INVOICE
               WHERE INVOICE_NO = :KEY-INVOICE
           END-EXEC
           PERFORM CHECK-CODE.
