      ******************************************************************
      * Rows that belong to a row, by a cursor. Two rows are read before
      * it and two for each of its rows, by key: eleven statements where
      * there are two rows (stocks, supplies, addresses, lines,
      * shipments), fourteen where there are three (prices, contacts,
      * orders, invoices).
      ******************************************************************
       PRICES-OF-PRODUCT.
           PERFORM READ-PRODUCT
           PERFORM READ-GROUP
           EXEC SQL OPEN PRICES END-EXEC
           PERFORM CHECK-CODE
           PERFORM FETCH-PRICE
           PERFORM UNTIL SQLCODE = 100
              ADD ROW-PRICE            TO WS-SUM
              PERFORM READ-TAX
              PERFORM READ-TERMS
              PERFORM FETCH-PRICE
           END-PERFORM
           EXEC SQL CLOSE PRICES END-EXEC
           PERFORM CHECK-CODE.

       FETCH-PRICE.
           EXEC SQL
              FETCH PRICES
               INTO :ROW-PRICE, :KEY-TERMS
           END-EXEC
           PERFORM CHECK-ROW.

       STOCKS-OF-PRODUCT.
           PERFORM READ-PRODUCT
           PERFORM READ-GROUP
           EXEC SQL OPEN STOCKS END-EXEC
           PERFORM CHECK-CODE
           PERFORM FETCH-STOCK
           PERFORM UNTIL SQLCODE = 100
              ADD ROW-QUANTITY         TO WS-SUM
              PERFORM READ-DEPOT
              PERFORM READ-CLERK
              PERFORM FETCH-STOCK
           END-PERFORM
           EXEC SQL CLOSE STOCKS END-EXEC
           PERFORM CHECK-CODE.

       FETCH-STOCK.
           EXEC SQL
              FETCH STOCKS
               INTO :KEY-DEPOT, :ROW-QUANTITY, :ROW-RESERVED
           END-EXEC
           PERFORM CHECK-ROW.

       SUPPLIES-OF-PRODUCT.
           PERFORM READ-PRODUCT
           PERFORM READ-TAX
           EXEC SQL OPEN SUPPLIES END-EXEC
           PERFORM CHECK-CODE
           PERFORM FETCH-SUPPLY
           PERFORM UNTIL SQLCODE = 100
              PERFORM READ-SUPPLIER
              PERFORM READ-CARRIER
              PERFORM FETCH-SUPPLY
           END-PERFORM
           EXEC SQL CLOSE SUPPLIES END-EXEC
           PERFORM CHECK-CODE.

       FETCH-SUPPLY.
           EXEC SQL
              FETCH SUPPLIES
               INTO :KEY-SUPPLIER, :ROW-DAYS
           END-EXEC
           PERFORM CHECK-ROW.

       ADDRESSES-OF-CUSTOMER.
           PERFORM READ-CUSTOMER
           PERFORM READ-CREDIT
           EXEC SQL OPEN ADDRESSES END-EXEC
           PERFORM CHECK-CODE
           PERFORM FETCH-ADDRESS
           PERFORM UNTIL SQLCODE = 100
              PERFORM READ-DEPOT
              PERFORM READ-CARRIER
              PERFORM FETCH-ADDRESS
           END-PERFORM
           EXEC SQL CLOSE ADDRESSES END-EXEC
           PERFORM CHECK-CODE.

       FETCH-ADDRESS.
           EXEC SQL
              FETCH ADDRESSES
               INTO :KEY-KIND, :ROW-LONG-NAME, :KEY-DEPOT, :KEY-CARRIER
           END-EXEC
           PERFORM CHECK-ROW.

       CONTACTS-OF-CUSTOMER.
           PERFORM READ-CUSTOMER
           PERFORM READ-TERMS
           EXEC SQL OPEN CONTACTS END-EXEC
           PERFORM CHECK-CODE
           PERFORM FETCH-CONTACT
           PERFORM UNTIL SQLCODE = 100
              PERFORM READ-CLERK
              PERFORM READ-DEPOT
              PERFORM FETCH-CONTACT
           END-PERFORM
           EXEC SQL CLOSE CONTACTS END-EXEC
           PERFORM CHECK-CODE.

       FETCH-CONTACT.
           EXEC SQL
              FETCH CONTACTS
               INTO :ROW-NAME, :KEY-CLERK
           END-EXEC
           PERFORM CHECK-ROW.

       ORDERS-OF-CUSTOMER.
           PERFORM READ-CUSTOMER
           PERFORM READ-CREDIT
           EXEC SQL OPEN ORDERED END-EXEC
           PERFORM CHECK-CODE
           PERFORM FETCH-ORDER
           PERFORM UNTIL SQLCODE = 100
              PERFORM READ-CLERK
              PERFORM READ-INVOICE
              PERFORM FETCH-ORDER
           END-PERFORM
           EXEC SQL CLOSE ORDERED END-EXEC
           PERFORM CHECK-CODE.

       FETCH-ORDER.
           EXEC SQL
              FETCH ORDERED
               INTO :KEY-INVOICE, :KEY-CLERK, :ROW-DATE
           END-EXEC
           PERFORM CHECK-ROW.

       INVOICES-OF-CUSTOMER.
           PERFORM READ-CUSTOMER
           PERFORM READ-TERMS
           EXEC SQL OPEN INVOICES END-EXEC
           PERFORM CHECK-CODE
           PERFORM FETCH-INVOICE
           PERFORM UNTIL SQLCODE = 100
              ADD ROW-AMOUNT           TO WS-SUM
              PERFORM READ-ORDER
              PERFORM READ-CREDIT
              PERFORM FETCH-INVOICE
           END-PERFORM
           EXEC SQL CLOSE INVOICES END-EXEC
           PERFORM CHECK-CODE.

       FETCH-INVOICE.
           EXEC SQL
              FETCH INVOICES
               INTO :KEY-ORDER, :ROW-AMOUNT
           END-EXEC
           PERFORM CHECK-ROW.

       LINES-OF-ORDER.
           PERFORM READ-ORDER
           PERFORM READ-CUSTOMER
           EXEC SQL OPEN LINES END-EXEC
           PERFORM CHECK-CODE
           PERFORM FETCH-LINE
           PERFORM UNTIL SQLCODE = 100
              PERFORM READ-PRODUCT
              PERFORM READ-STOCK
              PERFORM FETCH-LINE
           END-PERFORM
           EXEC SQL CLOSE LINES END-EXEC
           PERFORM CHECK-CODE.

       FETCH-LINE.
           EXEC SQL
              FETCH LINES
               INTO :KEY-PRODUCT, :ROW-QUANTITY
           END-EXEC
           PERFORM CHECK-ROW.

       SHIPMENTS-OF-ORDER.
           PERFORM READ-ORDER
           PERFORM READ-CLERK
           EXEC SQL OPEN SHIPMENTS END-EXEC
           PERFORM CHECK-CODE
           PERFORM FETCH-SHIPMENT
           PERFORM UNTIL SQLCODE = 100
              PERFORM READ-CARRIER
              PERFORM READ-ADDRESS
              PERFORM FETCH-SHIPMENT
           END-PERFORM
           EXEC SQL CLOSE SHIPMENTS END-EXEC
           PERFORM CHECK-CODE.

       FETCH-SHIPMENT.
           EXEC SQL
              FETCH SHIPMENTS
               INTO :KEY-CARRIER, :KEY-KIND, :ROW-TIMESTAMP
           END-EXEC
           PERFORM CHECK-ROW.
