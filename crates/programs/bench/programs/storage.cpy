      * What every program here has as its storage: an image of 9 KB.
       01 WS-TAB.
          05 WS-ROW OCCURS 300 TIMES INDEXED BY IX.
             10 WS-A PIC X(20) VALUE 'HELLO'.
             10 WS-N PIC 9(9) VALUE 7.
