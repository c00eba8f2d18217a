      ******************************************************************
      * RTWP5     RTW5   A customer looks at five products, orders three
      *                  of them and cancels: 225 statements.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. RTWP5.
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
           COMPUTE KEY-ORDER = KEY-CUSTOMER * 3 + 2
           PERFORM LINES-OF-ORDER
           PERFORM LOOK-AT-A-PRODUCT
              VARYING WS-ROUND FROM 0 BY 1 UNTIL WS-ROUND > 4
           PERFORM END-TASK
           GOBACK.

       LOOK-AT-A-PRODUCT.
           PERFORM CHOOSE-PRODUCT
           PERFORM PRICES-OF-PRODUCT
           PERFORM STOCKS-OF-PRODUCT
           PERFORM SUPPLIES-OF-PRODUCT
           IF WS-ROUND < 3
              PERFORM ORDER-THE-PRODUCT
           END-IF.

       COPY RTWTASK.
       COPY RTWREAD.
       COPY RTWLOOK.
       COPY RTWCHNG.
