      ******************************************************************
      * RTWP2     RTW2   A customer and the last order: 50 statements.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. RTWP2.
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
           COMPUTE KEY-ORDER = KEY-CUSTOMER * 3 + 2
           PERFORM LINES-OF-ORDER
           PERFORM END-TASK
           GOBACK.

       COPY RTWTASK.
       COPY RTWREAD.
       COPY RTWLOOK.
