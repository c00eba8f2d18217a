      ******************************************************************
      * RTWP7     RTW7   Five customers, with two orders of each: 503
      *                  statements.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. RTWP7.
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
           PERFORM LOOK-AT-A-CUSTOMER
              VARYING WS-ROUND FROM 0 BY 1 UNTIL WS-ROUND > 4
           PERFORM NOTE-IT
           PERFORM END-TASK
           GOBACK.

       LOOK-AT-A-CUSTOMER.
           PERFORM CHOOSE-CUSTOMER
           PERFORM ADDRESSES-OF-CUSTOMER
           PERFORM CONTACTS-OF-CUSTOMER
           PERFORM ORDERS-OF-CUSTOMER
           PERFORM INVOICES-OF-CUSTOMER
           PERFORM LOOK-AT-AN-ORDER
              VARYING WS-TURN FROM 1 BY 1 UNTIL WS-TURN > 2
           PERFORM NOTE-IT.

       LOOK-AT-AN-ORDER.
           COMPUTE KEY-ORDER = KEY-CUSTOMER * 3 + WS-TURN
           PERFORM LINES-OF-ORDER
           PERFORM SHIPMENTS-OF-ORDER.

       COPY RTWTASK.
       COPY RTWREAD.
       COPY RTWLOOK.
       COPY RTWCHNG.
