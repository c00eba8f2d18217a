      ******************************************************************
      * RTWP1     RTW1   Prices of a product: 14 statements.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. RTWP1.
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
           PERFORM PRICES-OF-PRODUCT
           PERFORM END-TASK
           GOBACK.

       COPY RTWTASK.
       COPY RTWREAD.
       COPY RTWLOOK.
