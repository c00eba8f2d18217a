      ******************************************************************
      * BKTOTL    Adds up the accounts of one customer: LINKed with a
      *           channel. Container CUSTOMER comes in, containers COUNT
      *           and TOTAL go out, NOTE only if the customer has none.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BKTOTL.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                         PIC S9(08) COMP.
       01  WS-CHANNEL                      PIC X(16).
       01  WS-CUS-NO                       PIC 9(06).
       01  WS-KEY                          PIC 9(06).
       01  WS-LENGTH                       PIC S9(08) COMP.
       01  WS-COUNT                        PIC S9(04) COMP VALUE ZERO.
       01  WS-TOTAL                        PIC S9(11)V99 COMP-3
                                           VALUE ZERO.
       01  WS-NOTE                         PIC X(30)
               VALUE 'This customer has no account.'.
       01  WS-BROWSE                       PIC X(01) VALUE 'Y'.
           88  WS-MORE-ACCOUNTS                VALUE 'Y'.
           88  WS-NO-MORE-ACCOUNTS             VALUE 'N'.
       COPY BKRACC.
       PROCEDURE DIVISION.
       MAIN-LINE.
           EXEC CICS ASSIGN CHANNEL(WS-CHANNEL) END-EXEC
           IF WS-CHANNEL = SPACES
              EXEC CICS ABEND ABCODE('BKCH') END-EXEC
           END-IF
           MOVE LENGTH OF WS-CUS-NO    TO WS-LENGTH
           EXEC CICS GET CONTAINER('CUSTOMER')
                     INTO   (WS-CUS-NO)
                     FLENGTH(WS-LENGTH)
           END-EXEC
           PERFORM ADD-UP-THE-ACCOUNTS
           EXEC CICS PUT CONTAINER('COUNT')
                     FROM   (WS-COUNT)
                     FLENGTH(LENGTH OF WS-COUNT)
           END-EXEC
           EXEC CICS PUT CONTAINER('TOTAL')
                     FROM   (WS-TOTAL)
                     FLENGTH(LENGTH OF WS-TOTAL)
           END-EXEC
           IF WS-COUNT = ZERO
              EXEC CICS PUT CONTAINER('NOTE')
                        FROM(WS-NOTE)
                        CHAR
              END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC
           GOBACK.

       ADD-UP-THE-ACCOUNTS.
           MOVE WS-CUS-NO              TO WS-KEY
           EXEC CICS STARTBR
                     FILE  ('BKACCTC')
                     RIDFLD(WS-KEY)
                     EQUAL
                     RESP  (WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              PERFORM TAKE-NEXT-ACCOUNT UNTIL WS-NO-MORE-ACCOUNTS
              EXEC CICS ENDBR FILE('BKACCTC') END-EXEC
           END-IF.

       TAKE-NEXT-ACCOUNT.
           EXEC CICS READNEXT
                     FILE  ('BKACCTC')
                     INTO  (ACCOUNT-RECORD)
                     RIDFLD(WS-KEY)
                     RESP  (WS-RESP)
           END-EXEC
           IF  (WS-RESP = DFHRESP(NORMAL) OR DFHRESP(DUPKEY))
           AND ACC-CUS-NO = WS-CUS-NO
              ADD 1                    TO WS-COUNT
              ADD ACC-BALANCE          TO WS-TOTAL
           ELSE
              SET WS-NO-MORE-ACCOUNTS  TO TRUE
           END-IF.
