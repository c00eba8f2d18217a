      ******************************************************************
      * ORDTOTAL  Prices an order: the total of its lines, less their
      *           discounts in per cent. Lines without a day of delivery
      *           come on the day of the order.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ORDTOTAL.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-LINE                PIC S9(4) COMP.
       01  WS-AMOUNT              PIC S9(9)V99 COMP-3.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY ORDER REPLACING ==01  ORDER-RECORD.==
                             BY ==03  ORDER-RECORD.==.
       PROCEDURE DIVISION.
       MAIN-LINE.
           MOVE ZERO TO TOTAL
           MOVE ZERO TO WS-LINE
           PERFORM PRICE-A-LINE 50 TIMES
           MOVE 'PRICED' TO REMARK
           EXEC CICS RETURN END-EXEC.
       PRICE-A-LINE.
           ADD 1 TO WS-LINE
           IF PIECES (WS-LINE) NOT = ZERO
              COMPUTE WS-AMOUNT ROUNDED =
                 PIECES (WS-LINE) * PRICE (WS-LINE)
                 * (100 - DISCOUNT (WS-LINE)) / 100
              ADD WS-AMOUNT TO TOTAL
              IF DELIVERY (WS-LINE) = ZERO
                 MOVE ORDERED TO DELIVERY (WS-LINE)
              END-IF
           END-IF.
