      ******************************************************************
      * BKDELE    BKDL   Closes a customer and all accounts, if they are
      *           at zero. For managers.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BKDELE.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-PROGRAM                      PIC X(08) VALUE 'BKDELE'.
       01  WS-TRANID                       PIC X(04) VALUE 'BKDL'.
       01  WS-NEXT-PROGRAM                 PIC X(08).
       01  WS-ACTION                       PIC X(40)
                                           VALUE 'Close a customer'.
       01  WS-CUS-KEY                      PIC 9(06).
       01  WS-MONEY                        PIC X(01).
           88  WS-MONEY-LEFT                   VALUE 'Y'.
           88  WS-NO-MONEY-LEFT                VALUE 'N'.
       01  WS-ACCOUNTS.
           05  WS-ACCOUNT-COUNT            PIC S9(04) COMP VALUE ZERO.
           05  WS-ACCOUNT-NO               PIC 9(08) OCCURS 50
                                           INDEXED BY WS-ACC.
       01  WS-COUNT-EDITED                 PIC Z9.
       COPY BKWORK.
       COPY BKCOMM.
       COPY BKRCUS.
       COPY BKRACC.
       COPY BKCUS.
       COPY DFHAID.
       COPY DFHBMSCA.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  FILLER                      PIC X(01)
               OCCURS 1 TO 32767 TIMES DEPENDING ON EIBCALEN.
       PROCEDURE DIVISION.
       MAIN-LINE.
           PERFORM TAKE-THE-COMMAREA
           MOVE LOW-VALUES             TO BKCUSMO
           EVALUATE TRUE
              WHEN BK-JUST-ENTERED AND BK-CUS-NO = ZERO
                 PERFORM ASK-FOR-A-NUMBER
              WHEN BK-JUST-ENTERED
                 PERFORM SHOW-THE-CUSTOMER
              WHEN EIBAID = DFHPF3
                 PERFORM GO-BACK
              WHEN EIBAID = DFHPF12
                 PERFORM ASK-FOR-A-NUMBER
              WHEN BK-ASKED AND EIBAID = DFHENTER
                 PERFORM TAKE-THE-NUMBER
              WHEN BK-SHOWN AND EIBAID = DFHPF5
                 PERFORM CLOSE-THE-CUSTOMER
              WHEN BK-SHOWN AND EIBAID = DFHENTER
                 PERFORM SHOW-THE-CUSTOMER
              WHEN OTHER
                 MOVE -1               TO CUSNOL OF BKCUSMI
                 MOVE 'That key does nothing here.' TO WS-MESSAGE
                 PERFORM SEND-DATA-ONLY
           END-EVALUATE
           PERFORM WAIT-FOR-KEY
           GOBACK.

       ASK-FOR-A-NUMBER.
           SET BK-ASKED                TO TRUE
           MOVE LOW-VALUES             TO BKCUSMO
           PERFORM PROTECT-THE-FIELDS
           MOVE -1                     TO CUSNOL OF BKCUSMI
           IF WS-MESSAGE = SPACES
              MOVE 'Please enter the number of a customer.'
                                       TO WS-MESSAGE
              SET WS-MOOD-GOOD         TO TRUE
           END-IF
           PERFORM SEND-WHOLE-SCREEN.

       TAKE-THE-NUMBER.
           EXEC CICS RECEIVE
                     MAP   ('BKCUSM')
                     MAPSET('BKCUS')
                     RESP  (WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL) AND CUSNOI OF BKCUSMI NUMERIC
              MOVE CUSNOI OF BKCUSMI   TO BK-CUS-NO
              PERFORM SHOW-THE-CUSTOMER
           ELSE
              MOVE 'A customer number has six digits.' TO WS-MESSAGE
              PERFORM ASK-FOR-A-NUMBER
           END-IF.

       SHOW-THE-CUSTOMER.
           MOVE LOW-VALUES             TO BKCUSMO
           EXEC CICS READ
                     FILE  ('BKCUST')
                     INTO  (CUSTOMER-RECORD)
                     RIDFLD(BK-CUS-NO)
                     RESP  (WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              SET BK-SHOWN             TO TRUE
              PERFORM CUSTOMER-TO-SCREEN
              PERFORM PROTECT-THE-NUMBER
              PERFORM PROTECT-THE-FIELDS
              MOVE -1                  TO CUSNOL OF BKCUSMI
              IF WS-MESSAGE = SPACES
                 MOVE 'Press PF5 to close this customer for good.'
                                       TO WS-MESSAGE
              END-IF
              PERFORM SEND-WHOLE-SCREEN
           ELSE
              MOVE 'There is no such customer.' TO WS-MESSAGE
              PERFORM ASK-FOR-A-NUMBER
           END-IF.

       CLOSE-THE-CUSTOMER.
           PERFORM COLLECT-THE-ACCOUNTS
           IF WS-MONEY-LEFT
              MOVE 'The accounts are not at zero. Nothing closed.'
                                       TO WS-MESSAGE
              PERFORM SHOW-THE-CUSTOMER
           ELSE
              PERFORM DELETE-ONE-ACCOUNT
                 VARYING WS-ACC FROM 1 BY 1
                   UNTIL WS-ACC > WS-ACCOUNT-COUNT
              EXEC CICS DELETE
                        FILE  ('BKCUST')
                        RIDFLD(BK-CUS-NO)
              END-EXEC
              EXEC CICS SYNCPOINT END-EXEC
              MOVE WS-ACCOUNT-COUNT    TO WS-COUNT-EDITED
              STRING 'Customer ' BK-CUS-NO ' was closed, accounts:'
                     WS-COUNT-EDITED '.' DELIMITED BY SIZE
                INTO WS-MESSAGE
              SET WS-MOOD-GOOD         TO TRUE
              PERFORM ASK-FOR-A-NUMBER
           END-IF.

       COLLECT-THE-ACCOUNTS.
           SET WS-NO-MONEY-LEFT        TO TRUE
           MOVE BK-CUS-NO              TO WS-CUS-KEY
           EXEC CICS STARTBR
                     FILE  ('BKACCTC')
                     RIDFLD(WS-CUS-KEY)
                     EQUAL
                     RESP  (WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              PERFORM COLLECT-ONE-ACCOUNT
                 UNTIL WS-RESP NOT = DFHRESP(NORMAL)
              EXEC CICS ENDBR FILE('BKACCTC') END-EXEC
           END-IF.

      * DUPKEY (another account follows) counts as normal.
       COLLECT-ONE-ACCOUNT.
           EXEC CICS READNEXT
                     FILE  ('BKACCTC')
                     INTO  (ACCOUNT-RECORD)
                     RIDFLD(WS-CUS-KEY)
                     RESP  (WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(DUPKEY)
              MOVE DFHRESP(NORMAL)     TO WS-RESP
           END-IF
           IF WS-RESP = DFHRESP(NORMAL)
              IF ACC-CUS-NO NOT = BK-CUS-NO
                 MOVE DFHRESP(ENDFILE) TO WS-RESP
              ELSE
                 ADD 1                 TO WS-ACCOUNT-COUNT
                 SET WS-ACC            TO WS-ACCOUNT-COUNT
                 MOVE ACC-NO           TO WS-ACCOUNT-NO(WS-ACC)
                 IF ACC-BALANCE NOT = ZERO
                    SET WS-MONEY-LEFT  TO TRUE
                 END-IF
              END-IF
           END-IF.

       DELETE-ONE-ACCOUNT.
           EXEC CICS READ
                     FILE  ('BKACCT')
                     INTO  (ACCOUNT-RECORD)
                     RIDFLD(WS-ACCOUNT-NO(WS-ACC))
                     UPDATE
           END-EXEC
           EXEC CICS DELETE
                     FILE  ('BKACCT')
           END-EXEC.

       COPY BKCUSP.
       COPY BKHEAD REPLACING ==:MAP:== BY ==BKCUSM==.
       COPY BKSIGNED.
       COPY BKLEAVE.
