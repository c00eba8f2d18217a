      ******************************************************************
      * The cursors of RTWLOOK.
      ******************************************************************
           EXEC SQL DECLARE PRICES CURSOR FOR
              SELECT AMOUNT, TERMS_CODE
                FROM PRICE
               WHERE PROD_NO = :KEY-PRODUCT
               ORDER BY FROM_QUANTITY
           END-EXEC.
           EXEC SQL DECLARE STOCKS CURSOR FOR
              SELECT DEPOT_NO, ON_HAND, RESERVED
                FROM STOCK
               WHERE PROD_NO = :KEY-PRODUCT
               ORDER BY DEPOT_NO
           END-EXEC.
           EXEC SQL DECLARE SUPPLIES CURSOR FOR
              SELECT SUPPLIER_NO, DAYS
                FROM SUPPLY
               WHERE PROD_NO = :KEY-PRODUCT
               ORDER BY SUPPLIER_NO
           END-EXEC.
           EXEC SQL DECLARE ADDRESSES CURSOR FOR
              SELECT KIND, STREET, DEPOT_NO, CARRIER_NO
                FROM ADDRESS
               WHERE CUST_NO = :KEY-CUSTOMER
               ORDER BY KIND
           END-EXEC.
           EXEC SQL DECLARE CONTACTS CURSOR FOR
              SELECT NAME, CLERK_NO
                FROM CONTACT
               WHERE CUST_NO = :KEY-CUSTOMER
               ORDER BY CONTACT_NO
           END-EXEC.
           EXEC SQL DECLARE ORDERED CURSOR FOR
              SELECT ORDER_NO, CLERK_NO, PLACED
                FROM ORDERS
               WHERE CUST_NO = :KEY-CUSTOMER
               ORDER BY ORDER_NO
           END-EXEC.
           EXEC SQL DECLARE INVOICES CURSOR FOR
              SELECT ORDER_NO, AMOUNT
                FROM INVOICE
               WHERE CUST_NO = :KEY-CUSTOMER
               ORDER BY INVOICE_NO
           END-EXEC.
           EXEC SQL DECLARE LINES CURSOR FOR
              SELECT PROD_NO, QUANTITY
                FROM ORDERLINE
               WHERE ORDER_NO = :KEY-ORDER
               ORDER BY LINE_NO
           END-EXEC.
           EXEC SQL DECLARE SHIPMENTS CURSOR FOR
              SELECT CARRIER_NO, KIND, SENT
                FROM SHIPMENT
               WHERE ORDER_NO = :KEY-ORDER
               ORDER BY SHIPMENT_NO
           END-EXEC.
