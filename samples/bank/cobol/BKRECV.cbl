      ******************************************************************
      * BKRECV    BKRC   The recovery exercise. ENTER spoils a customer
      *           record, fails for want of a program, catches the
      *           abend and backs out. PF9 fails without a net.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BKRECV.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-PROGRAM                      PIC X(08) VALUE 'BKRECV'.
       01  WS-TRANID                       PIC X(04) VALUE 'BKRC'.
       01  WS-NEXT-PROGRAM                 PIC X(08).
       01  WS-CUS-NO                       PIC 9(06) VALUE 1.
       01  WS-PHONE-BEFORE                 PIC X(15).
       01  WS-ABEND-CODE                   PIC X(04) VALUE SPACES.
       01  WS-LINES.
           05  FILLER                      PIC X(80)
               VALUE 'Recovery exercise'.
           05  FILLER                      PIC X(80)
               VALUE 'ENTER: change a customer, abend, back out.'.
           05  FILLER                      PIC X(80)
               VALUE 'PF9: abend. PF3: menu.'.
           05  WS-RESULT                   PIC X(80) VALUE SPACES.
       COPY BKWORK.
       COPY BKCOMM.
       COPY BKRCUS.
       COPY DFHAID.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  FILLER                      PIC X(01)
               OCCURS 1 TO 32767 TIMES DEPENDING ON EIBCALEN.
       PROCEDURE DIVISION.
       MAIN-LINE.
           PERFORM TAKE-THE-COMMAREA
           EXEC CICS HANDLE ABEND LABEL(CAUGHT-AN-ABEND) END-EXEC
           IF BK-JUST-ENTERED
              SET BK-SHOWN             TO TRUE
           ELSE
              EVALUATE EIBAID
                 WHEN DFHENTER
                    PERFORM SPOIL-AND-FAIL
                 WHEN DFHPF3
                    MOVE 'BKMENU'      TO WS-NEXT-PROGRAM
                    PERFORM HAND-OVER
                 WHEN DFHPF9
                    EXEC CICS HANDLE ABEND CANCEL END-EXEC
                    EXEC CICS ABEND ABCODE('BK99') NODUMP END-EXEC
                 WHEN OTHER
                    MOVE 'That key does nothing here.' TO WS-RESULT
              END-EVALUATE
           END-IF
           PERFORM SHOW-THE-LINES
           PERFORM WAIT-FOR-KEY
           GOBACK.

       SPOIL-AND-FAIL.
           EXEC CICS READ
                     FILE  ('BKCUST')
                     INTO  (CUSTOMER-RECORD)
                     RIDFLD(WS-CUS-NO)
                     UPDATE
           END-EXEC
           MOVE CUS-PHONE              TO WS-PHONE-BEFORE
           MOVE 'SPOILT'               TO CUS-PHONE
           EXEC CICS REWRITE
                     FILE('BKCUST')
                     FROM(CUSTOMER-RECORD)
           END-EXEC
      * syncpoint: off undefined-name
           EXEC CICS LINK PROGRAM('BKNOWHER') END-EXEC
           MOVE 'No abend came.'       TO WS-RESULT.

       CAUGHT-AN-ABEND.
           EXEC CICS ASSIGN ABCODE(WS-ABEND-CODE) END-EXEC
           EXEC CICS SYNCPOINT ROLLBACK END-EXEC
           EXEC CICS READ
                     FILE  ('BKCUST')
                     INTO  (CUSTOMER-RECORD)
                     RIDFLD(WS-CUS-NO)
           END-EXEC
           IF CUS-PHONE = WS-PHONE-BEFORE
              STRING 'Caught ' WS-ABEND-CODE
                     '. The customer is as before.' DELIMITED BY SIZE
                INTO WS-RESULT
           ELSE
              STRING 'Caught ' WS-ABEND-CODE
                     '. The customer is spoilt!' DELIMITED BY SIZE
                INTO WS-RESULT
           END-IF
           PERFORM SHOW-THE-LINES
           PERFORM WAIT-FOR-KEY.

       SHOW-THE-LINES.
           EXEC CICS SEND TEXT
                     FROM  (WS-LINES)
                     LENGTH(LENGTH OF WS-LINES)
                     ERASE
                     FREEKB
           END-EXEC.

       COPY BKSIGNED.
       COPY BKLEAVE.
