      ******************************************************************
      * What BKPAYE and BKSTOR do alike. Copy it REPLACING ==:MAP:== BY
      * the map's name.
      ******************************************************************
       TAKE-THE-SCREEN.
           EXEC CICS RECEIVE
                     MAP   (WS-MAP)
                     MAPSET(WS-MAPSET)
                     INTO  (:MAP:I)
                     RESP  (WS-RESP)
           END-EXEC
           IF ACCNOI OF :MAP:I IS NUMERIC
              MOVE ACCNOI OF :MAP:I    TO BK-ACC-NO
           ELSE
              MOVE ZERO                TO BK-ACC-NO
           END-IF
           PERFORM FIND-THE-ACCOUNT.

       FIND-THE-ACCOUNT.
           SET WS-NO-ACCOUNT           TO TRUE
           IF BK-ACC-NO = ZERO
              MOVE 'Please enter an account number.' TO WS-MESSAGE
           ELSE
              EXEC CICS READ
                        FILE  ('BKACCT')
                        INTO  (ACCOUNT-RECORD)
                        RIDFLD(BK-ACC-NO)
                        RESP  (WS-RESP)
              END-EXEC
              IF WS-RESP = DFHRESP(NORMAL)
                 SET WS-ACCOUNT-FOUND  TO TRUE
                 MOVE BK-ACC-NO        TO PAY-ACC-NO
              ELSE
                 MOVE 'There is no such account.' TO WS-MESSAGE
              END-IF
           END-IF.

       SHOW-THE-ACCOUNT.
           MOVE ACC-CUS-NO             TO ENQ-CUS-NO
           EXEC CICS LINK
                     PROGRAM ('BKENQC')
                     COMMAREA(ENQUIRY)
                     LENGTH  (LENGTH OF ENQUIRY)
           END-EXEC
           MOVE BK-ACC-NO              TO ACCNOO OF :MAP:O
           MOVE ENQ-NAME               TO OWNERO OF :MAP:O
           MOVE ACC-BALANCE            TO BALANO OF :MAP:O.

      * Fields that are not filled leave the screen as it is.
       CLEAR-THE-LINES.
           MOVE LOW-VALUES             TO :MAP:O
           MOVE SPACES                 TO OWNERO OF :MAP:O
           PERFORM VARYING WS-ROW FROM 1 BY 1
                     UNTIL WS-ROW > WS-PAGE-SIZE
              MOVE SPACES              TO LINESO OF :MAP:O(WS-ROW)
           END-PERFORM.

      * What went wrong in the tables. All of the unit of work goes, so
      * that nothing of it stays in the files.
       SQL-TROUBLE.
           EVALUATE SQLCODE
              WHEN -923
              WHEN -924
                 MOVE 'Payments need the database, which is not there.'
                                       TO WS-MESSAGE
              WHEN -911
              WHEN -913
                 MOVE 'Somebody else is at it. Please try again.'
                                       TO WS-MESSAGE
              WHEN OTHER
                 CALL 'DSNTIAR' USING SQLCA WS-SQL-TEXT WS-SQL-WIDTH
                 MOVE WS-SQL-LINE(1)   TO WS-MESSAGE
           END-EVALUATE
           SET WS-MOOD-BAD             TO TRUE
           EXEC CICS SYNCPOINT ROLLBACK END-EXEC.

       SEND-THE-SCREEN.
           PERFORM FILL-HEADER
           MOVE -1                     TO ACCNOL OF :MAP:I
           IF WS-ERASE-FIRST OR EIBAID = DFHCLEAR
              EXEC CICS SEND
                        MAP   (WS-MAP)
                        MAPSET(WS-MAPSET)
                        FROM  (:MAP:O)
                        ERASE
                        CURSOR
              END-EXEC
           ELSE
              EXEC CICS SEND
                        MAP   (WS-MAP)
                        MAPSET(WS-MAPSET)
                        FROM  (:MAP:O)
                        DATAONLY
                        CURSOR
              END-EXEC
           END-IF.
