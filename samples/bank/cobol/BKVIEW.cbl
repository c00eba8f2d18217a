      ******************************************************************
      * BKVIEW    BKVW   One account: its owner (BKENQC, by COMMAREA),
      *           the owner's total (BKTOTL, by channel) and the latest
      *           movements.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BKVIEW.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-PROGRAM                      PIC X(08) VALUE 'BKVIEW'.
       01  WS-TRANID                       PIC X(04) VALUE 'BKVW'.
       01  WS-NEXT-PROGRAM                 PIC X(08).
       01  WS-KEY                          PIC 9(08).
       01  WS-CUS-KEY                      PIC 9(06).
       01  WS-CHANNEL                      PIC X(16) VALUE 'BKTOTALS'.
       01  WS-COUNT                        PIC S9(04) COMP.
       01  WS-TOTAL                        PIC S9(11)V99 COMP-3.
       01  WS-LENGTH                       PIC S9(08) COMP.
       01  WS-LINE                         PIC S9(04) COMP.
       01  WS-MOVE-KEY.
           05  WS-MOVE-ACC-NO              PIC 9(08).
           05  WS-MOVE-SEQUENCE            PIC 9(08).
       01  WS-LATEST-LINES.
           05  WS-LATEST                   OCCURS 6.
               10  WS-LATEST-DATE          PIC X(11).
               10  WS-LATEST-TEXT          PIC X(25).
               10  WS-LATEST-AMOUNT        PIC +ZZZ,ZZZ,ZZ9.99.
               10  FILLER                  PIC X(01).
               10  WS-LATEST-BALANCE       PIC +ZZZ,ZZZ,ZZ9.99.
       COPY BKWORK.
       COPY BKCOMM.
       COPY BKRACC.
       COPY BKRMOV.
       COPY BKLENQ.
       COPY BKVIE.
       COPY DFHAID.
       COPY DFHBMSCA.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  FILLER                      PIC X(01)
               OCCURS 1 TO 32767 TIMES DEPENDING ON EIBCALEN.
       PROCEDURE DIVISION.
       MAIN-LINE.
           PERFORM TAKE-THE-COMMAREA
           MOVE LOW-VALUES             TO BKVIEMO
           IF BK-JUST-ENTERED
              SET BK-ASKED             TO TRUE
              EVALUATE TRUE
                 WHEN BK-ACC-NO NOT = ZERO
                    PERFORM READ-THE-ACCOUNT
                 WHEN BK-CUS-NO NOT = ZERO
                    PERFORM READ-FIRST-OF-CUSTOMER
                 WHEN OTHER
                    MOVE 'Please enter an account number.'
                                       TO WS-MESSAGE
                    SET WS-MOOD-GOOD   TO TRUE
              END-EVALUATE
           ELSE
              PERFORM TAKE-THE-KEY
           END-IF
           PERFORM SEND-THE-SCREEN
           PERFORM WAIT-FOR-KEY
           GOBACK.

       TAKE-THE-KEY.
           EVALUATE EIBAID
              WHEN DFHENTER
                 PERFORM TAKE-THE-NUMBER
              WHEN DFHPF3
                 IF BK-CALLER = 'BKLIST'
                    MOVE 'BKLIST'      TO WS-NEXT-PROGRAM
                 ELSE
                    MOVE 'BKMENU'      TO WS-NEXT-PROGRAM
                 END-IF
                 PERFORM HAND-OVER
              WHEN DFHPF5
                 MOVE 'BKXFER'         TO WS-NEXT-PROGRAM
                 PERFORM HAND-OVER
              WHEN DFHPF8
                 PERFORM READ-THE-NEXT-ACCOUNT
              WHEN OTHER
                 MOVE 'Invalid key. See the last line.' TO WS-MESSAGE
           END-EVALUATE.

       TAKE-THE-NUMBER.
           EXEC CICS RECEIVE
                     MAP   ('BKVIEM')
                     MAPSET('BKVIE')
                     RESP  (WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(MAPFAIL)
           OR ACCNOL OF BKVIEMI = ZERO
           OR ACCNOI OF BKVIEMI IS NOT NUMERIC
              MOVE 'Please enter an account number.' TO WS-MESSAGE
              MOVE LOW-VALUES          TO BKVIEMO
           ELSE
              MOVE ACCNOI OF BKVIEMI   TO BK-ACC-NO
              MOVE LOW-VALUES          TO BKVIEMO
              PERFORM READ-THE-ACCOUNT
           END-IF.

       READ-THE-ACCOUNT.
           MOVE BK-ACC-NO              TO ACCNOO OF BKVIEMO
           EXEC CICS READ
                     FILE  ('BKACCT')
                     INTO  (ACCOUNT-RECORD)
                     RIDFLD(BK-ACC-NO)
                     RESP  (WS-RESP)
                     RESP2 (WS-RESP2)
           END-EXEC
           EVALUATE WS-RESP
              WHEN DFHRESP(NORMAL)
                 PERFORM SHOW-THE-ACCOUNT
              WHEN DFHRESP(NOTFND)
                 MOVE 'There is no such account.' TO WS-MESSAGE
              WHEN OTHER
                 MOVE 'BKACCT'         TO WS-BAD-FILE
                 MOVE WS-RESP          TO WS-BAD-RESP
                 MOVE WS-RESP2         TO WS-BAD-RESP2
                 MOVE WS-ABOUT-FILE    TO WS-MESSAGE
           END-EVALUATE.

      * Through the path. DUPKEY: the customer has more accounts.
       READ-FIRST-OF-CUSTOMER.
           MOVE BK-CUS-NO              TO WS-CUS-KEY
           EXEC CICS READ
                     FILE  ('BKACCTC')
                     INTO  (ACCOUNT-RECORD)
                     RIDFLD(WS-CUS-KEY)
                     RESP  (WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL) OR DFHRESP(DUPKEY)
              MOVE ACC-NO              TO BK-ACC-NO
              PERFORM SHOW-THE-ACCOUNT
           ELSE
              MOVE 'This customer has no account.' TO WS-MESSAGE
           END-IF.

       READ-THE-NEXT-ACCOUNT.
           COMPUTE WS-KEY = BK-ACC-NO + 1
           EXEC CICS STARTBR
                     FILE  ('BKACCT')
                     RIDFLD(WS-KEY)
                     RESP  (WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              EXEC CICS READNEXT
                        FILE  ('BKACCT')
                        INTO  (ACCOUNT-RECORD)
                        RIDFLD(WS-KEY)
              END-EXEC
              EXEC CICS ENDBR FILE('BKACCT') END-EXEC
              MOVE ACC-NO              TO BK-ACC-NO
              PERFORM SHOW-THE-ACCOUNT
           ELSE
              MOVE 'That was the last account.' TO WS-MESSAGE
           END-IF.

       SHOW-THE-ACCOUNT.
           MOVE ACC-NO                 TO ACCNOO  OF BKVIEMO
           MOVE ACC-CUS-NO             TO CUSNOO  OF BKVIEMO
                                          BK-CUS-NO
           MOVE ACC-BALANCE            TO BALANCO OF BKVIEMO
           MOVE ACC-OVERDRAFT          TO OVERDO  OF BKVIEMO
           MOVE ACC-OPENED             TO OPENEDO OF BKVIEMO
           MOVE ACC-BRANCH             TO BRANCHO OF BKVIEMO
           IF ACC-BALANCE < ZERO
              MOVE DFHRED              TO BALANCC OF BKVIEMO
           END-IF
           IF ACC-SAVINGS
              MOVE 'Savings'           TO KINDO   OF BKVIEMO
           ELSE
              MOVE 'Current'           TO KINDO   OF BKVIEMO
           END-IF
           IF ACC-BLOCKED
              MOVE 'BLOCKED'           TO STATUSO OF BKVIEMO
              MOVE DFHYELLO            TO STATUSC OF BKVIEMO
              MOVE DFHREVRS            TO STATUSH OF BKVIEMO
           ELSE
              MOVE 'open'              TO STATUSO OF BKVIEMO
           END-IF
           PERFORM ASK-FOR-THE-OWNER
           PERFORM ASK-FOR-THE-TOTAL
           PERFORM LIST-THE-MOVEMENTS
           MOVE 'This is the account.' TO WS-MESSAGE
           SET WS-MOOD-GOOD            TO TRUE.

       ASK-FOR-THE-OWNER.
           MOVE ACC-CUS-NO             TO ENQ-CUS-NO
           EXEC CICS LINK
                     PROGRAM ('BKENQC')
                     COMMAREA(ENQUIRY)
                     LENGTH  (LENGTH OF ENQUIRY)
           END-EXEC
           IF ENQ-FOUND
              MOVE ENQ-NAME            TO CNAMEO OF BKVIEMO
              MOVE ENQ-ADDRESS         TO CADDRO OF BKVIEMO
           ELSE
              MOVE '(unknown)'         TO CNAMEO OF BKVIEMO
           END-IF.

       ASK-FOR-THE-TOTAL.
           EXEC CICS PUT CONTAINER('CUSTOMER')
                     CHANNEL(WS-CHANNEL)
                     FROM   (ACC-CUS-NO)
                     FLENGTH(LENGTH OF ACC-CUS-NO)
           END-EXEC
           EXEC CICS LINK
                     PROGRAM('BKTOTL')
                     CHANNEL(WS-CHANNEL)
           END-EXEC
           MOVE LENGTH OF WS-COUNT     TO WS-LENGTH
           EXEC CICS GET CONTAINER('COUNT')
                     CHANNEL(WS-CHANNEL)
                     INTO   (WS-COUNT)
                     FLENGTH(WS-LENGTH)
           END-EXEC
           MOVE LENGTH OF WS-TOTAL     TO WS-LENGTH
           EXEC CICS GET CONTAINER('TOTAL')
                     CHANNEL(WS-CHANNEL)
                     INTO   (WS-TOTAL)
                     FLENGTH(WS-LENGTH)
           END-EXEC
           MOVE WS-COUNT               TO COUNTO OF BKVIEMO
           MOVE WS-TOTAL               TO TOTALO OF BKVIEMO.

      * All movements pass by; the last six stay.
       LIST-THE-MOVEMENTS.
           MOVE SPACES                 TO WS-LATEST-LINES
           MOVE ZERO                   TO WS-LINE
           MOVE ACC-NO                 TO WS-MOVE-ACC-NO
           MOVE ZERO                   TO WS-MOVE-SEQUENCE
           EXEC CICS STARTBR
                     FILE     ('BKMOVE')
                     RIDFLD   (WS-MOVE-KEY)
                     KEYLENGTH(LENGTH OF WS-MOVE-ACC-NO)
                     GENERIC
                     RESP     (WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              PERFORM TAKE-NEXT-MOVEMENT
                 UNTIL WS-RESP NOT = DFHRESP(NORMAL)
                    OR WS-MOVE-ACC-NO NOT = ACC-NO
              EXEC CICS ENDBR FILE('BKMOVE') END-EXEC
           END-IF
           MOVE WS-LATEST(1)           TO MOV01O OF BKVIEMO
           MOVE WS-LATEST(2)           TO MOV02O OF BKVIEMO
           MOVE WS-LATEST(3)           TO MOV03O OF BKVIEMO
           MOVE WS-LATEST(4)           TO MOV04O OF BKVIEMO
           MOVE WS-LATEST(5)           TO MOV05O OF BKVIEMO
           MOVE WS-LATEST(6)           TO MOV06O OF BKVIEMO.

       TAKE-NEXT-MOVEMENT.
           EXEC CICS READNEXT
                     FILE  ('BKMOVE')
                     INTO  (MOVEMENT-RECORD)
                     RIDFLD(WS-MOVE-KEY)
                     RESP  (WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL) AND MOV-ACC-NO = ACC-NO
              IF WS-LINE < 6
                 ADD 1                 TO WS-LINE
              ELSE
                 MOVE WS-LATEST(2)     TO WS-LATEST(1)
                 MOVE WS-LATEST(3)     TO WS-LATEST(2)
                 MOVE WS-LATEST(4)     TO WS-LATEST(3)
                 MOVE WS-LATEST(5)     TO WS-LATEST(4)
                 MOVE WS-LATEST(6)     TO WS-LATEST(5)
              END-IF
              MOVE MOV-DATE            TO WS-LATEST-DATE(WS-LINE)
              MOVE MOV-TEXT            TO WS-LATEST-TEXT(WS-LINE)
              MOVE MOV-AMOUNT          TO WS-LATEST-AMOUNT(WS-LINE)
              MOVE MOV-BALANCE         TO WS-LATEST-BALANCE(WS-LINE)
           END-IF.

       SEND-THE-SCREEN.
           PERFORM FILL-HEADER
           MOVE -1                     TO ACCNOL OF BKVIEMI
           EXEC CICS SEND
                     MAP   ('BKVIEM')
                     MAPSET('BKVIE')
                     FROM  (BKVIEMO)
                     ERASE
                     CURSOR
           END-EXEC.

       COPY BKHEAD REPLACING ==:MAP:== BY ==BKVIEM==.
       COPY BKSIGNED.
       COPY BKLEAVE.
