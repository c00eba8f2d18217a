      ******************************************************************
      * Nobody comes in without having signed on: takes the COMMAREA
      * over, or sends the terminal to the sign-on.
      ******************************************************************
       TAKE-THE-COMMAREA.
           IF EIBCALEN = ZERO
              MOVE 'BKSIGN'            TO WS-NEXT-PROGRAM
              EXEC CICS XCTL PROGRAM(WS-NEXT-PROGRAM) END-EXEC
           END-IF
           MOVE DFHCOMMAREA(1:EIBCALEN) TO BK-COMMAREA.
