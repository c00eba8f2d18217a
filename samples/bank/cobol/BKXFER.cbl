      ******************************************************************
      * BKXFER    BKTX   Moves money from one account to another: two
      *           REWRITEs and two movements in one unit of work. Short
      *           funds show only after the first REWRITE, so that the
      *           ROLLBACK has something to undo.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BKXFER.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-PROGRAM                      PIC X(08) VALUE 'BKXFER'.
       01  WS-TRANID                       PIC X(04) VALUE 'BKTX'.
       01  WS-NEXT-PROGRAM                 PIC X(08).
       01  WS-FROM-NO                      PIC 9(08).
       01  WS-TO-NO                        PIC 9(08).
       01  WS-AMOUNT                       PIC S9(09)V99.
       01  WS-AMOUNT-TYPED                 PIC X(12).
       01  WS-TEXT                         PIC X(24).
       01  WS-FROM-BALANCE                 PIC S9(09)V99.
       01  WS-OPINION                      PIC X(01).
           88  WS-ALL-WELL                     VALUE 'Y'.
           88  WS-SOMETHING-WRONG              VALUE 'N'.
       COPY BKWORK.
       COPY BKCOMM.
       COPY BKRACC.
       COPY BKRMOV.
       COPY BKLENQ.
       COPY BKLSEQ.
       COPY BKTRF.
       COPY DFHAID.
       COPY DFHBMSCA.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  FILLER                      PIC X(01)
               OCCURS 1 TO 32767 TIMES DEPENDING ON EIBCALEN.
       PROCEDURE DIVISION.
       MAIN-LINE.
           PERFORM TAKE-THE-COMMAREA
           MOVE LOW-VALUES             TO BKTRFMO
           EVALUATE TRUE
              WHEN BK-JUST-ENTERED
                 PERFORM SHOW-THE-FORM
              WHEN EIBAID = DFHPF3
                 IF BK-CALLER = 'BKVIEW'
                    MOVE 'BKVIEW'      TO WS-NEXT-PROGRAM
                 ELSE
                    MOVE 'BKMENU'      TO WS-NEXT-PROGRAM
                 END-IF
                 PERFORM HAND-OVER
              WHEN EIBAID = DFHENTER
                 PERFORM CHECK-AND-ASK
              WHEN EIBAID = DFHPF5 AND BK-CHECKED
                 PERFORM MOVE-THE-MONEY
              WHEN OTHER
                 MOVE -1               TO FROML OF BKTRFMI
                 MOVE 'That key does nothing here.' TO WS-MESSAGE
                 PERFORM SEND-DATA-ONLY
           END-EVALUATE
           PERFORM WAIT-FOR-KEY
           GOBACK.

       SHOW-THE-FORM.
           SET BK-SHOWN                TO TRUE
           IF BK-ACC-NO = ZERO
              MOVE -1                  TO FROML OF BKTRFMI
           ELSE
              MOVE BK-ACC-NO           TO FROMO OF BKTRFMO
              MOVE -1                  TO TOL   OF BKTRFMI
           END-IF
           PERFORM FILL-HEADER
           EXEC CICS SEND
                     MAP   ('BKTRFM')
                     MAPSET('BKTRF')
                     FROM  (BKTRFMO)
                     ERASE
                     CURSOR
           END-EXEC.

       CHECK-AND-ASK.
           PERFORM TAKE-AND-CHECK
           IF WS-ALL-WELL
              SET BK-CHECKED           TO TRUE
              MOVE -1                  TO FROML OF BKTRFMI
              MOVE 'Press PF5 to move the money.' TO WS-MESSAGE
              SET WS-MOOD-GOOD         TO TRUE
           ELSE
              SET BK-SHOWN             TO TRUE
           END-IF
           PERFORM SEND-DATA-ONLY.

       TAKE-AND-CHECK.
           EXEC CICS RECEIVE
                     MAP   ('BKTRFM')
                     MAPSET('BKTRF')
                     RESP  (WS-RESP)
           END-EXEC
           SET WS-ALL-WELL             TO TRUE
           MOVE ZERO                   TO WS-FROM-NO WS-TO-NO WS-AMOUNT
           IF FROMI OF BKTRFMI IS NUMERIC
              MOVE FROMI OF BKTRFMI    TO WS-FROM-NO
           END-IF
           IF TOI OF BKTRFMI IS NUMERIC
              MOVE TOI OF BKTRFMI      TO WS-TO-NO
           END-IF
           MOVE AMOUNTI OF BKTRFMI     TO WS-AMOUNT-TYPED
           MOVE TEXTI   OF BKTRFMI     TO WS-TEXT
           INSPECT WS-AMOUNT-TYPED REPLACING ALL LOW-VALUES BY SPACES
           INSPECT WS-TEXT         REPLACING ALL LOW-VALUES BY SPACES
           MOVE LOW-VALUES             TO BKTRFMO
           MOVE DFHGREEN               TO FROMC   OF BKTRFMO
                                          TOC     OF BKTRFMO
                                          AMOUNTC OF BKTRFMO
           PERFORM CHECK-THE-FROM-ACCOUNT
           IF WS-ALL-WELL
              PERFORM CHECK-THE-TO-ACCOUNT
           END-IF
           IF WS-ALL-WELL
              PERFORM CHECK-THE-AMOUNT
           END-IF.

       CHECK-THE-FROM-ACCOUNT.
           MOVE WS-FROM-NO             TO ACC-NO
           PERFORM READ-AN-ACCOUNT
           IF WS-RESP = DFHRESP(NORMAL)
              MOVE ENQ-NAME            TO FNAMEO OF BKTRFMO
              MOVE ACC-BALANCE         TO FBALO  OF BKTRFMO
           ELSE
              SET WS-SOMETHING-WRONG   TO TRUE
              MOVE DFHRED              TO FROMC  OF BKTRFMO
              MOVE -1                  TO FROML  OF BKTRFMI
              MOVE 'From which account?' TO WS-MESSAGE
           END-IF.

       CHECK-THE-TO-ACCOUNT.
           MOVE WS-TO-NO               TO ACC-NO
           PERFORM READ-AN-ACCOUNT
           IF WS-RESP = DFHRESP(NORMAL) AND WS-TO-NO NOT = WS-FROM-NO
              MOVE ENQ-NAME            TO TNAMEO OF BKTRFMO
              MOVE ACC-BALANCE         TO TBALO  OF BKTRFMO
           ELSE
              SET WS-SOMETHING-WRONG   TO TRUE
              MOVE DFHRED              TO TOC    OF BKTRFMO
              MOVE -1                  TO TOL    OF BKTRFMI
              MOVE 'To which account?' TO WS-MESSAGE
           END-IF.

       CHECK-THE-AMOUNT.
           IF FUNCTION TEST-NUMVAL(WS-AMOUNT-TYPED) = ZERO
              COMPUTE WS-AMOUNT = FUNCTION NUMVAL(WS-AMOUNT-TYPED)
           END-IF
           IF WS-AMOUNT NOT > ZERO
              SET WS-SOMETHING-WRONG   TO TRUE
              MOVE DFHRED              TO AMOUNTC OF BKTRFMO
              MOVE -1                  TO AMOUNTL OF BKTRFMI
              MOVE 'How much? For example 125.50'   TO WS-MESSAGE
           END-IF.

       READ-AN-ACCOUNT.
           EXEC CICS READ
                     FILE  ('BKACCT')
                     INTO  (ACCOUNT-RECORD)
                     RIDFLD(ACC-NO)
                     RESP  (WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              MOVE ACC-CUS-NO          TO ENQ-CUS-NO
              EXEC CICS LINK
                        PROGRAM ('BKENQC')
                        COMMAREA(ENQUIRY)
                        LENGTH  (LENGTH OF ENQUIRY)
              END-EXEC
           END-IF.

       MOVE-THE-MONEY.
           PERFORM TAKE-AND-CHECK
           IF WS-ALL-WELL
              PERFORM TAKE-IT-FROM-THE-ONE
              PERFORM GIVE-IT-TO-THE-OTHER
           END-IF
           SET BK-SHOWN                TO TRUE
           EVALUATE TRUE
              WHEN WS-SOMETHING-WRONG
                 CONTINUE
              WHEN ACC-BLOCKED
                 EXEC CICS SYNCPOINT ROLLBACK END-EXEC
                 MOVE 'The receiving account is blocked. Nothing moved.'
                                       TO WS-MESSAGE
              WHEN WS-FROM-BALANCE < ZERO
                 EXEC CICS SYNCPOINT ROLLBACK END-EXEC
                 MOVE 'Insufficient funds. Nothing moved.'
                                       TO WS-MESSAGE
              WHEN OTHER
                 EXEC CICS SYNCPOINT END-EXEC
                 MOVE 'The money was moved.' TO WS-MESSAGE
                 SET WS-MOOD-GOOD      TO TRUE
           END-EVALUATE
           IF WS-ALL-WELL
              MOVE -1                  TO FROML OF BKTRFMI
              PERFORM SHOW-BOTH-BALANCES
           END-IF
           PERFORM SEND-DATA-ONLY.

       SHOW-BOTH-BALANCES.
           MOVE WS-FROM-NO             TO ACC-NO
           PERFORM READ-AN-ACCOUNT
           MOVE ACC-BALANCE            TO FBALO OF BKTRFMO
           MOVE WS-TO-NO               TO ACC-NO
           PERFORM READ-AN-ACCOUNT
           MOVE ACC-BALANCE            TO TBALO OF BKTRFMO.

       SEND-DATA-ONLY.
           PERFORM FILL-HEADER
           IF EIBAID = DFHCLEAR
      *       The terminal has erased the screen, labels and all.
              EXEC CICS SEND
                        MAP   ('BKTRFM')
                        MAPSET('BKTRF')
                        FROM  (BKTRFMO)
                        ERASE
                        CURSOR
              END-EXEC
           ELSE
              EXEC CICS SEND
                        MAP   ('BKTRFM')
                        MAPSET('BKTRF')
                        FROM  (BKTRFMO)
                        DATAONLY
                        CURSOR
              END-EXEC
           END-IF.

       COPY BKMOVP.
       COPY BKHEAD REPLACING ==:MAP:== BY ==BKTRFM==.
       COPY BKSIGNED.
       COPY BKLEAVE.
