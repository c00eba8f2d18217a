      * What a workload's task keeps and says: the count that was typed
      * behind the transaction's name, and how many tasks there were.
       01  WS-INPUT.
           05  FILLER                  PIC X(5).
           05  WS-INPUT-COUNT          PIC X(8).
       01  WS-LENGTH                   PIC S9(4) COMP.
       01  WS-RESP                     PIC S9(8) COMP.
       01  WS-STATE.
           05  ST-COUNT                PIC 9(8).
           05  ST-TASK                 PIC 9(8).
       01  WS-ANSWER                   PIC X(5) VALUE 'READY'.
