      ******************************************************************
      * BKQVEW    BKQV   Pages through a temporary storage queue.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BKQVEW.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-PROGRAM                      PIC X(08) VALUE 'BKQVEW'.
       01  WS-TRANID                       PIC X(04) VALUE 'BKQV'.
       01  WS-NEXT-PROGRAM                 PIC X(08).
       01  WS-PAGE-SIZE                    PIC S9(04) COMP VALUE 15.
       01  WS-ITEM                         PIC S9(04) COMP.
       01  WS-ITEMS                        PIC S9(04) COMP VALUE ZERO.
       01  WS-ROW                          PIC S9(04) COMP.
       01  WS-LENGTH                       PIC S9(04) COMP.
       01  WS-LINE                         PIC X(79).
       COPY BKWORK.
       COPY BKCOMM.
           05  BQ-VIEW REDEFINES BK-OWN.
               10  BQ-PAGE                 PIC 9(04).
               10  FILLER                  PIC X(316).
       COPY BKQUE.
       COPY DFHAID.
       COPY DFHBMSCA.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  FILLER                      PIC X(01)
               OCCURS 1 TO 32767 TIMES DEPENDING ON EIBCALEN.
       PROCEDURE DIVISION.
       MAIN-LINE.
           PERFORM TAKE-THE-COMMAREA
           MOVE LOW-VALUES             TO BKQUEMO
           IF BK-JUST-ENTERED
              SET BK-SHOWN             TO TRUE
              MOVE 1                   TO BQ-PAGE
           ELSE
              EVALUATE EIBAID
                 WHEN DFHENTER
                    CONTINUE
                 WHEN DFHPF3
                    MOVE 'BKREPT'      TO WS-NEXT-PROGRAM
                    PERFORM HAND-OVER
                 WHEN DFHPF4
                    PERFORM DELETE-THE-QUEUE
                 WHEN DFHPF7
                    IF BQ-PAGE > 1
                       SUBTRACT 1      FROM BQ-PAGE
                    ELSE
                       MOVE 'This is the first page.' TO WS-MESSAGE
                    END-IF
                 WHEN DFHPF8
                    ADD 1              TO BQ-PAGE
                 WHEN OTHER
                    MOVE 'Invalid key. See the last line.'
                                       TO WS-MESSAGE
              END-EVALUATE
           END-IF
           PERFORM SHOW-A-PAGE
           PERFORM WAIT-FOR-KEY
           GOBACK.

       DELETE-THE-QUEUE.
           EXEC CICS DELETEQ TS
                     QUEUE(BK-QUEUE)
                     RESP (WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              MOVE 'The queue was deleted.' TO WS-MESSAGE
              SET WS-MOOD-GOOD         TO TRUE
           END-IF
           MOVE 1                      TO BQ-PAGE.

       SHOW-A-PAGE.
           PERFORM READ-ITEM-ONE
           IF WS-RESP = DFHRESP(NORMAL)
              IF (BQ-PAGE - 1) * WS-PAGE-SIZE NOT < WS-ITEMS
                 SUBTRACT 1            FROM BQ-PAGE
                 MOVE 'This is the last page.' TO WS-MESSAGE
              END-IF
              COMPUTE WS-ITEM = (BQ-PAGE - 1) * WS-PAGE-SIZE + 1
              PERFORM SHOW-ONE-LINE
                 VARYING WS-ROW FROM 1 BY 1
                   UNTIL WS-ROW > WS-PAGE-SIZE
                      OR WS-ITEM > WS-ITEMS
           ELSE
              IF WS-MESSAGE = SPACES
                 MOVE 'Nothing there yet. ENTER looks again.'
                                       TO WS-MESSAGE
              END-IF
           END-IF
           MOVE BK-QUEUE               TO QNAMEO OF BKQUEMO
           MOVE WS-ITEMS               TO ITEMSO OF BKQUEMO
           MOVE BQ-PAGE                TO PAGEO  OF BKQUEMO
           PERFORM FILL-HEADER
           EXEC CICS SEND
                     MAP   ('BKQUEM')
                     MAPSET('BKQUE')
                     FROM  (BKQUEMO)
                     ERASE
                     CURSOR(0)
           END-EXEC.

       READ-ITEM-ONE.
           MOVE LENGTH OF WS-LINE      TO WS-LENGTH
           EXEC CICS READQ TS
                     QUEUE   (BK-QUEUE)
                     INTO    (WS-LINE)
                     LENGTH  (WS-LENGTH)
                     ITEM    (1)
                     NUMITEMS(WS-ITEMS)
                     RESP    (WS-RESP)
           END-EXEC.

       SHOW-ONE-LINE.
           MOVE SPACES                 TO WS-LINE
           MOVE LENGTH OF WS-LINE      TO WS-LENGTH
           EXEC CICS READQ TS
                     QUEUE (BK-QUEUE)
                     INTO  (WS-LINE)
                     LENGTH(WS-LENGTH)
                     ITEM  (WS-ITEM)
                     RESP  (WS-RESP)
           END-EXEC
           MOVE WS-LINE                TO LINESO OF BKQUEMO(WS-ROW)
           ADD 1                       TO WS-ITEM.

       COPY BKHEAD REPLACING ==:MAP:== BY ==BKQUEM==.
       COPY BKSIGNED.
       COPY BKLEAVE.
