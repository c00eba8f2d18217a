      ******************************************************************
      * RTWP4     RTW4   Where a customer's orders are, and what it
      *                  costs to order again: 161 statements.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. RTWP4.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY RTWROWS.
       COPY RTWCURS.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-KEY                      PIC 9(08).
       PROCEDURE DIVISION.
       MAIN-LINE.
           PERFORM BEGIN-TASK
           PERFORM ADDRESSES-OF-CUSTOMER
           PERFORM CONTACTS-OF-CUSTOMER
           PERFORM ORDERS-OF-CUSTOMER
           PERFORM INVOICES-OF-CUSTOMER
           PERFORM LOOK-AT-AN-ORDER
              VARYING WS-TURN FROM 0 BY 1 UNTIL WS-TURN > 2
           PERFORM CHOOSE-PRODUCT
           PERFORM STOCKS-OF-PRODUCT
           PERFORM PRICES-OF-PRODUCT
           ADD 1                       TO WS-ROUND
           PERFORM CHOOSE-PRODUCT
           PERFORM PRICES-OF-PRODUCT
           PERFORM NOTE-IT
           PERFORM END-TASK
           GOBACK.

       LOOK-AT-AN-ORDER.
           COMPUTE KEY-ORDER = KEY-CUSTOMER * 3 + WS-TURN
           PERFORM LINES-OF-ORDER
           PERFORM SHIPMENTS-OF-ORDER.

       COPY RTWTASK.
       COPY RTWREAD.
       COPY RTWLOOK.
       COPY RTWCHNG.
