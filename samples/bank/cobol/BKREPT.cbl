      ******************************************************************
      * BKREPT    BKRP   Orders paper. The branch report is written at
      *           once, line by line, to the printer's transient data
      *           queue BKPR and to a temporary storage queue for the
      *           screen. The statement is left to task BKPT, started
      *           after as many seconds as the clerk wants.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BKREPT.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-PROGRAM                      PIC X(08) VALUE 'BKREPT'.
       01  WS-TRANID                       PIC X(04) VALUE 'BKRP'.
       01  WS-NEXT-PROGRAM                 PIC X(08).
       01  WS-WHAT                         PIC X(01).
       01  WS-BRANCH                       PIC 9(04).
       01  WS-SECONDS                      PIC S9(08) COMP.
       01  WS-KEY                          PIC 9(08).
       01  WS-HIGHEST-KEY                  PIC X(08).
       01  WS-QUEUE.
           05  WS-QUEUE-KIND               PIC X(04).
           05  WS-QUEUE-TERMINAL           PIC X(04).
       01  WS-COUNT                        PIC S9(08) COMP-3.
       01  WS-SUM                          PIC S9(11)V99 COMP-3.
       01  WS-LINE                         PIC X(79).
       01  WS-TITLE-LINE.
           05  FILLER                      PIC X(30)
               VALUE 'HARBOUR SAVINGS BANK   BRANCH '.
           05  TTL-BRANCH                  PIC X(04).
           05  FILLER                      PIC X(11)
               VALUE '   REPORT  '.
           05  TTL-DATE                    PIC X(10).
       01  WS-ACCOUNT-LINE.
           05  LIN-ACC-NO                  PIC 9(08).
           05  FILLER                      PIC X(02) VALUE SPACES.
           05  LIN-CUS-NO                  PIC 9(06).
           05  FILLER                      PIC X(02) VALUE SPACES.
           05  LIN-BRANCH                  PIC 9(04).
           05  FILLER                      PIC X(02) VALUE SPACES.
           05  LIN-KIND                    PIC X(08).
           05  LIN-BALANCE                 PIC +ZZZ,ZZZ,ZZ9.99.
       01  WS-TOTAL-LINE.
           05  FILLER                      PIC X(09) VALUE 'ACCOUNTS:'.
           05  TOT-COUNT                   PIC ZZ,ZZ9.
           05  FILLER                      PIC X(10)
               VALUE '   TOTAL: '.
           05  TOT-SUM                     PIC +ZZZ,ZZZ,ZZ9.99.
           05  FILLER                      PIC X(12)
               VALUE '   HIGHEST: '.
           05  TOT-HIGHEST                 PIC X(08).
       COPY BKWORK.
       COPY BKCOMM.
       COPY BKRACC.
       COPY BKLPRT.
       COPY BKREP.
       COPY DFHAID.
       COPY DFHBMSCA.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  FILLER                      PIC X(01)
               OCCURS 1 TO 32767 TIMES DEPENDING ON EIBCALEN.
       PROCEDURE DIVISION.
       MAIN-LINE.
           PERFORM TAKE-THE-COMMAREA
           MOVE LOW-VALUES             TO BKREPMO
           EVALUATE TRUE
              WHEN BK-JUST-ENTERED
                 PERFORM SHOW-THE-FORM
              WHEN EIBAID = DFHPF3
                 MOVE 'BKMENU'         TO WS-NEXT-PROGRAM
                 PERFORM HAND-OVER
              WHEN EIBAID = DFHENTER
                 PERFORM TAKE-THE-ORDER
                 PERFORM SEND-DATA-ONLY
              WHEN EIBAID = DFHPF5 AND BK-CHECKED
                 MOVE 'BKQVEW'         TO WS-NEXT-PROGRAM
                 PERFORM HAND-OVER
              WHEN OTHER
                 MOVE -1               TO WHATL OF BKREPMI
                 MOVE 'Order something first, or go with PF3.'
                                       TO WS-MESSAGE
                 PERFORM SEND-DATA-ONLY
           END-EVALUATE
           PERFORM WAIT-FOR-KEY
           GOBACK.

       SHOW-THE-FORM.
           SET BK-SHOWN                TO TRUE
           PERFORM FILL-HEADER
           EXEC CICS SEND
                     MAP   ('BKREPM')
                     MAPSET('BKREP')
                     FROM  (BKREPMO)
                     ERASE
           END-EXEC.

       TAKE-THE-ORDER.
           EXEC CICS RECEIVE
                     MAP   ('BKREPM')
                     MAPSET('BKREP')
                     RESP  (WS-RESP)
           END-EXEC
           MOVE FUNCTION UPPER-CASE(WHATI OF BKREPMI) TO WS-WHAT
           MOVE ZERO                   TO WS-BRANCH WS-SECONDS WS-KEY
           IF BRANCHI OF BKREPMI IS NUMERIC
              MOVE BRANCHI OF BKREPMI  TO WS-BRANCH
           END-IF
           IF ACCNOI OF BKREPMI IS NUMERIC
              MOVE ACCNOI OF BKREPMI   TO WS-KEY
           END-IF
           IF WAITI OF BKREPMI IS NUMERIC
              MOVE WAITI OF BKREPMI    TO WS-SECONDS
           END-IF
           MOVE LOW-VALUES             TO BKREPMO
           MOVE EIBTRMID               TO WS-QUEUE-TERMINAL
           EVALUATE WS-WHAT
              WHEN 'R'
                 MOVE -1               TO WHATL OF BKREPMI
                 PERFORM WRITE-THE-REPORT
              WHEN 'S'
                 PERFORM START-THE-STATEMENT
              WHEN OTHER
                 MOVE -1               TO WHATL OF BKREPMI
                 MOVE 'Please enter R or S.' TO WS-MESSAGE
           END-EVALUATE.

       WRITE-THE-REPORT.
           MOVE 'BKRP'                 TO WS-QUEUE-KIND
           MOVE WS-QUEUE               TO BK-QUEUE
           EXEC CICS DELETEQ TS QUEUE(BK-QUEUE) RESP(WS-RESP) END-EXEC
           MOVE ZERO                   TO WS-COUNT WS-SUM WS-KEY
           IF WS-BRANCH = ZERO
              MOVE 'ALL'               TO TTL-BRANCH
           ELSE
              MOVE WS-BRANCH           TO TTL-BRANCH
           END-IF
           EXEC CICS ASKTIME ABSTIME(WS-NOW) END-EXEC
           EXEC CICS FORMATTIME ABSTIME(WS-NOW)
                     YYYYMMDD(TTL-DATE) DATESEP('-')
           END-EXEC
           MOVE WS-TITLE-LINE          TO WS-LINE
           PERFORM WRITE-ONE-LINE
           EXEC CICS STARTBR
                     FILE  ('BKACCT')
                     RIDFLD(WS-KEY)
           END-EXEC
           PERFORM REPORT-ONE-ACCOUNT
              UNTIL WS-RESP = DFHRESP(ENDFILE)
           EXEC CICS ENDBR FILE('BKACCT') END-EXEC
           PERFORM FIND-THE-HIGHEST
           MOVE WS-COUNT               TO TOT-COUNT
           MOVE WS-SUM                 TO TOT-SUM
           MOVE WS-TOTAL-LINE          TO WS-LINE
           PERFORM WRITE-ONE-LINE
           SET BK-CHECKED              TO TRUE
           MOVE 'The report is written. PF5 shows it.' TO WS-MESSAGE
           SET WS-MOOD-GOOD            TO TRUE.

       REPORT-ONE-ACCOUNT.
           EXEC CICS READNEXT
                     FILE  ('BKACCT')
                     INTO  (ACCOUNT-RECORD)
                     RIDFLD(WS-KEY)
                     RESP  (WS-RESP)
           END-EXEC
           IF  WS-RESP = DFHRESP(NORMAL)
           AND (WS-BRANCH = ZERO OR ACC-BRANCH = WS-BRANCH)
              ADD 1                    TO WS-COUNT
              ADD ACC-BALANCE          TO WS-SUM
              MOVE ACC-NO              TO LIN-ACC-NO
              MOVE ACC-CUS-NO          TO LIN-CUS-NO
              MOVE ACC-BRANCH          TO LIN-BRANCH
              MOVE ACC-BALANCE         TO LIN-BALANCE
              IF ACC-SAVINGS
                 MOVE 'SAVINGS'        TO LIN-KIND
              ELSE
                 MOVE 'CURRENT'        TO LIN-KIND
              END-IF
              MOVE WS-ACCOUNT-LINE     TO WS-LINE
              PERFORM WRITE-ONE-LINE
           END-IF.

      * A key of HIGH-VALUES places the browse behind the last record.
       FIND-THE-HIGHEST.
           MOVE HIGH-VALUES            TO WS-HIGHEST-KEY
           EXEC CICS STARTBR
                     FILE  ('BKACCT')
                     RIDFLD(WS-HIGHEST-KEY)
                     RESP  (WS-RESP)
           END-EXEC
           EXEC CICS READPREV
                     FILE  ('BKACCT')
                     INTO  (ACCOUNT-RECORD)
                     RIDFLD(WS-HIGHEST-KEY)
                     RESP  (WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              MOVE WS-HIGHEST-KEY      TO TOT-HIGHEST
           ELSE
              MOVE 'NONE'              TO TOT-HIGHEST
           END-IF
           EXEC CICS ENDBR FILE('BKACCT') END-EXEC.

       WRITE-ONE-LINE.
           EXEC CICS WRITEQ TD
                     QUEUE ('BKPR')
                     FROM  (WS-LINE)
                     LENGTH(LENGTH OF WS-LINE)
           END-EXEC
           EXEC CICS WRITEQ TS
                     QUEUE (BK-QUEUE)
                     FROM  (WS-LINE)
                     LENGTH(LENGTH OF WS-LINE)
           END-EXEC.

       START-THE-STATEMENT.
           EXEC CICS READ
                     FILE  ('BKACCT')
                     INTO  (ACCOUNT-RECORD)
                     RIDFLD(WS-KEY)
                     RESP  (WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              MOVE 'BKST'              TO WS-QUEUE-KIND
              MOVE WS-QUEUE            TO BK-QUEUE
              MOVE ACC-NO              TO ORD-ACC-NO
              MOVE BK-QUEUE            TO ORD-QUEUE
              MOVE BK-USER-ID          TO ORD-USER-ID
              EXEC CICS START
                        TRANSID('BKPT')
                        AFTER SECONDS(WS-SECONDS)
                        FROM   (STATEMENT-ORDER)
                        LENGTH (LENGTH OF STATEMENT-ORDER)
              END-EXEC
              SET BK-CHECKED           TO TRUE
              MOVE -1                  TO WHATL OF BKREPMI
              MOVE 'The statement is ordered. PF5 looks for it.'
                                       TO WS-MESSAGE
              SET WS-MOOD-GOOD         TO TRUE
           ELSE
              MOVE DFHRED              TO ACCNOC OF BKREPMO
              MOVE -1                  TO ACCNOL OF BKREPMI
              MOVE 'A statement of which account?' TO WS-MESSAGE
           END-IF.

       SEND-DATA-ONLY.
           PERFORM FILL-HEADER
           IF EIBAID = DFHCLEAR
      *       The terminal has erased the screen, labels and all.
              EXEC CICS SEND
                        MAP   ('BKREPM')
                        MAPSET('BKREP')
                        FROM  (BKREPMO)
                        ERASE
                        CURSOR
              END-EXEC
           ELSE
              EXEC CICS SEND
                        MAP   ('BKREPM')
                        MAPSET('BKREP')
                        FROM  (BKREPMO)
                        DATAONLY
                        CURSOR
              END-EXEC
           END-IF.

       COPY BKHEAD REPLACING ==:MAP:== BY ==BKREPM==.
       COPY BKSIGNED.
       COPY BKLEAVE.
