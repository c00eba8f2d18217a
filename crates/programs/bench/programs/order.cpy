      * An order of fifty lines: 355 fields in all.
       01  ORDER-RECORD.
           05  ORDER-NO           PIC 9(9).
           05  CUSTOMER           PIC X(30).
           05  ORDERED            PIC 9(8).
           05  TOTAL              PIC S9(9)V99 COMP-3.
           05  REMARK             PIC X(40).
           05  LINES OCCURS 50.
               10  ITEM           PIC X(12).
               10  DESCRIPTION    PIC X(30).
               10  PIECES         PIC S9(5).
               10  PRICE          PIC S9(7)V99 COMP-3.
               10  DISCOUNT       PIC S9(3)V99 COMP-3.
               10  DELIVERY       PIC 9(8).
               10  WAREHOUSE      PIC S9(4) COMP.
