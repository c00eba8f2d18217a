      ******************************************************************
      * RTWP3     RTW3   Prices and stocks of three products, and who
      *                  supplies two of them: 97 statements.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. RTWP3.
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
           PERFORM LOOK-AT-A-PRODUCT
              VARYING WS-ROUND FROM 0 BY 1 UNTIL WS-ROUND > 2
           PERFORM END-TASK
           GOBACK.

       LOOK-AT-A-PRODUCT.
           PERFORM CHOOSE-PRODUCT
           PERFORM PRICES-OF-PRODUCT
           PERFORM STOCKS-OF-PRODUCT
           IF WS-ROUND < 2
              PERFORM SUPPLIES-OF-PRODUCT
           END-IF.

       COPY RTWTASK.
       COPY RTWREAD.
       COPY RTWLOOK.
