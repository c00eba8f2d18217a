      ******************************************************************
      * Fills the lines at the top and the bottom of a screen. Copy it
      * REPLACING ==:MAP:== BY the map's name.
      ******************************************************************
       FILL-HEADER.
           EXEC CICS ASKTIME ABSTIME(WS-NOW) END-EXEC
           EXEC CICS FORMATTIME ABSTIME(WS-NOW)
                     YYYYMMDD(WS-DATE) DATESEP('-')
                     TIME(WS-TIME)     TIMESEP
           END-EXEC
           MOVE WS-TRANID         TO TRNIDO OF :MAP:O
           MOVE WS-DATE           TO CURDTO OF :MAP:O
           MOVE WS-TIME           TO CURTMO OF :MAP:O
           MOVE BK-USER-ID        TO USRIDO OF :MAP:O
           MOVE WS-MESSAGE        TO MSGO   OF :MAP:O
           IF WS-MOOD-GOOD
              MOVE DFHGREEN       TO MSGC   OF :MAP:O
           ELSE
              MOVE DFHRED         TO MSGC   OF :MAP:O
           END-IF.
