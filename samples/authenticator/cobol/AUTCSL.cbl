      ******************************************************************
      * AUTCSL    AUTC   Customer service: what the Validation Log has
      *                  of a card, newest first, twelve to a page; all
      *                  of it, what was refused, or one return code. A
      *                  row marked S is shown whole, with the middle of
      *                  the card number masked.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. AUTCSL.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                         PIC S9(08) COMP.
       01  WS-ROW                          PIC S9(04) COMP.
       01  WS-ROWS                         PIC S9(04) COMP VALUE 12.
       01  WS-CHOSEN                       PIC S9(04) COMP VALUE ZERO.
       01  WS-PAGES-MAX                    PIC S9(04) COMP VALUE 100.
       01  WS-LENGTH                       PIC S9(04) COMP.
       01  WS-MESSAGE                      PIC X(78) VALUE SPACES.
       01  WS-FAREWELL                     PIC X(22)
                                       VALUE 'End of customer search'.
       01  WS-PAGE-LINE.
           05  FILLER                      PIC X(05) VALUE 'Page '.
           05  WS-PAGE-NUMBER              PIC Z(03)9.
       01  WS-WANTED                       PIC X(01).
           88  WANTED                          VALUE 'Y'.
           88  NOT-WANTED                      VALUE 'N'.
       01  WS-LINE.
           05  WL-YEAR                     PIC X(04).
           05  FILLER                      PIC X(01) VALUE '-'.
           05  WL-MONTH                    PIC X(02).
           05  FILLER                      PIC X(01) VALUE '-'.
           05  WL-DAY                      PIC X(02).
           05  FILLER                      PIC X(01) VALUE SPACE.
           05  WL-HOUR                     PIC X(02).
           05  FILLER                      PIC X(01) VALUE ':'.
           05  WL-MINUTE                   PIC X(02).
           05  FILLER                      PIC X(01) VALUE ':'.
           05  WL-SECOND                   PIC X(02).
           05  FILLER                      PIC X(01) VALUE '.'.
           05  WL-MILLISECOND              PIC X(03).
           05  FILLER                      PIC X(02) VALUE SPACES.
           05  WL-KIND                     PIC X(06).
           05  WL-CODE                     PIC X(06).
           05  WL-MEANING                  PIC X(22).
           05  WL-TERMINAL                 PIC X(08).
       01  WS-AMOUNT                       PIC Z(09)9.99.
       01  WS-AMOUNT-TEXT                  PIC X(12).
       01  WS-AMOUNT-DIGITS REDEFINES WS-AMOUNT-TEXT
                                           PIC 9(10)V99.
      * What the search keeps while its reader reads. A page begins with
      * the first record older than its key.
       01  CARD-SEARCH.
           05  SE-SCREEN                   PIC X(01).
               88  SE-LIST-SHOWN               VALUE 'L'.
               88  SE-DETAIL-SHOWN             VALUE 'D'.
           05  SE-PAN                      PIC X(19).
           05  SE-FILTER                   PIC X(03).
           05  SE-PAGE                     PIC S9(04) COMP.
           05  SE-MORE                     PIC X(01).
               88  SE-MORE-PAGES               VALUE 'Y'.
               88  SE-LAST-PAGE                VALUE 'N'.
           05  SE-PAGE-KEY                 PIC X(17) OCCURS 100.
           05  SE-ROW-KEY                  PIC X(17) OCCURS 12.
       COPY AUTRLOG.
       COPY AUTMEAN.
       COPY AUTLST.
       01  WS-MAP-TABLE REDEFINES AUTLSTMI.
           05  FILLER                      PIC X(12).
           05  FILLER                      PIC X(22).
           05  FILLER                      PIC X(06).
           05  WS-MAP-ROW                  OCCURS 12.
               10  FILLER                  PIC X(03).
               10  ROW-SEL                 PIC X(01).
               10  FILLER                  PIC X(03).
               10  ROW-LINE                PIC X(75).
       COPY AUTDET.
       COPY DFHAID.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  FILLER                      PIC X(01)
               OCCURS 1 TO 32767 TIMES DEPENDING ON EIBCALEN.
       PROCEDURE DIVISION.
       MAIN-LINE.
           IF EIBCALEN < LENGTH OF CARD-SEARCH
              INITIALIZE CARD-SEARCH
              SET SE-LIST-SHOWN        TO TRUE
              SET SE-LAST-PAGE         TO TRUE
              MOVE LOW-VALUES          TO AUTLSTMO
              MOVE 'Type a card number.' TO WS-MESSAGE
              PERFORM SEND-LIST
           ELSE
              MOVE DFHCOMMAREA(1:LENGTH OF CARD-SEARCH) TO CARD-SEARCH
              EVALUATE TRUE
                 WHEN SE-DETAIL-SHOWN
                    PERFORM SHOW-PAGE
                 WHEN EIBAID = DFHPF3 OR DFHCLEAR
                    PERFORM SAY-FAREWELL
                 WHEN OTHER
                    PERFORM TAKE-KEY
              END-EVALUATE
           END-IF
           EXEC CICS RETURN TRANSID(EIBTRNID) COMMAREA(CARD-SEARCH)
                     LENGTH(LENGTH OF CARD-SEARCH)
           END-EXEC
           GOBACK.

       SAY-FAREWELL.
           EXEC CICS SEND TEXT FROM(WS-FAREWELL)
                     LENGTH(LENGTH OF WS-FAREWELL) ERASE FREEKB
           END-EXEC
           EXEC CICS RETURN END-EXEC.

       TAKE-KEY.
           EXEC CICS RECEIVE MAP('AUTLSTM') MAPSET('AUTLST')
                     RESP(WS-RESP)
           END-EXEC
           EVALUATE EIBAID
              WHEN DFHENTER
                 PERFORM FIND-CHOICE
                 IF WS-CHOSEN > ZERO
                    PERFORM SHOW-DETAIL
                 ELSE
                    PERFORM START-SEARCH
                 END-IF
              WHEN DFHPF7
                 IF SE-PAGE > 1
                    SUBTRACT 1         FROM SE-PAGE
                 ELSE
                    MOVE 'These are the newest.' TO WS-MESSAGE
                 END-IF
                 PERFORM SHOW-PAGE
              WHEN DFHPF8
                 IF SE-MORE-PAGES AND SE-PAGE < WS-PAGES-MAX
                    ADD 1              TO SE-PAGE
                 ELSE
                    MOVE 'There are no older ones.' TO WS-MESSAGE
                 END-IF
                 PERFORM SHOW-PAGE
              WHEN OTHER
                 MOVE 'Invalid key. See the last line.' TO WS-MESSAGE
                 PERFORM SHOW-PAGE
           END-EVALUATE.

       FIND-CHOICE.
           PERFORM VARYING WS-ROW FROM 1 BY 1 UNTIL WS-ROW > WS-ROWS
              IF (ROW-SEL(WS-ROW) = 'S' OR 's')
              AND SE-ROW-KEY(WS-ROW) NOT = SPACES AND WS-CHOSEN = ZERO
                 MOVE WS-ROW           TO WS-CHOSEN
              END-IF
           END-PERFORM.

       START-SEARCH.
           MOVE PANI OF AUTLSTMI       TO SE-PAN
           INSPECT SE-PAN REPLACING ALL LOW-VALUES BY SPACES
                                    ALL '_' BY SPACES
           MOVE FUNCTION UPPER-CASE(FILTERI OF AUTLSTMI) TO SE-FILTER
           INSPECT SE-FILTER REPLACING ALL LOW-VALUES BY SPACES
                                       ALL '_' BY SPACES
           MOVE 1                      TO SE-PAGE
           MOVE HIGH-VALUES            TO SE-PAGE-KEY(1)
           PERFORM SHOW-PAGE.

      * Backward from the page's key, and a look at the one beyond.
       SHOW-PAGE.
           SET SE-LIST-SHOWN           TO TRUE
           SET SE-LAST-PAGE            TO TRUE
           MOVE LOW-VALUES             TO AUTLSTMO
           PERFORM VARYING WS-ROW FROM 1 BY 1 UNTIL WS-ROW > WS-ROWS
              MOVE SPACES              TO SE-ROW-KEY(WS-ROW)
                                          ROW-LINE(WS-ROW)
           END-PERFORM
           IF SE-PAGE = ZERO OR SE-PAN = SPACES
              IF WS-MESSAGE = SPACES
                 MOVE 'Type a card number.' TO WS-MESSAGE
              END-IF
           ELSE
              PERFORM BROWSE-LOG
           END-IF
           PERFORM SEND-LIST.

       BROWSE-LOG.
           MOVE ZERO                   TO WS-ROW
           MOVE SE-PAN                 TO LOG-PAN
           MOVE SE-PAGE-KEY(SE-PAGE)   TO LOG-STAMP
           EXEC CICS STARTBR FILE('AUTLOG') RIDFLD(LOG-KEY) GTEQ
                     RESP(WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NOTFND)
              MOVE HIGH-VALUES         TO LOG-KEY
              EXEC CICS STARTBR FILE('AUTLOG') RIDFLD(LOG-KEY) GTEQ
                        RESP(WS-RESP)
              END-EXEC
           END-IF
           IF WS-RESP = DFHRESP(NORMAL)
              PERFORM READ-OLDER UNTIL WS-RESP NOT = DFHRESP(NORMAL)
                                    OR WS-ROW > WS-ROWS
              EXEC CICS ENDBR FILE('AUTLOG') END-EXEC
           END-IF
           IF WS-ROW = ZERO
              MOVE 'Nothing is logged of this card, or it was filtered.'
                                       TO WS-MESSAGE
           END-IF.

      * The first READPREV may give a record of the page before, or one
      * of the next card.
       READ-OLDER.
           EXEC CICS READPREV FILE('AUTLOG') INTO(LOG-RECORD)
                     RIDFLD(LOG-KEY) RESP(WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              EVALUATE TRUE
                 WHEN LOG-PAN < SE-PAN
                    MOVE DFHRESP(ENDFILE) TO WS-RESP
                 WHEN LOG-PAN > SE-PAN
                 WHEN LOG-STAMP NOT < SE-PAGE-KEY(SE-PAGE)
                    CONTINUE
                 WHEN OTHER
                    PERFORM CONSIDER-RECORD
              END-EVALUATE
           END-IF.

       CONSIDER-RECORD.
           SET NOT-WANTED              TO TRUE
           EVALUATE TRUE
              WHEN SE-FILTER = SPACES
                 SET WANTED            TO TRUE
              WHEN SE-FILTER = 'R'
                 IF LOG-RETURN-CODE NOT = ZERO
                    SET WANTED         TO TRUE
                 END-IF
      * NUMVAL of what is no number ends the task.
              WHEN FUNCTION TEST-NUMVAL(SE-FILTER) = ZERO
                 IF FUNCTION NUMVAL(SE-FILTER) = LOG-RETURN-CODE
                    SET WANTED         TO TRUE
                 END-IF
           END-EVALUATE
           IF WANTED
              ADD 1                    TO WS-ROW
              IF WS-ROW > WS-ROWS
                 SET SE-MORE-PAGES     TO TRUE
                 IF SE-PAGE < WS-PAGES-MAX
                    MOVE SE-ROW-KEY(WS-ROWS)
                                       TO SE-PAGE-KEY(SE-PAGE + 1)
                 END-IF
              ELSE
                 PERFORM FILL-ROW
              END-IF
           END-IF.

       FILL-ROW.
           MOVE LOG-STAMP              TO SE-ROW-KEY(WS-ROW)
           PERFORM WRITE-STAMP
           MOVE LOG-KIND               TO WL-KIND
           MOVE LOG-RETURN-CODE        TO WL-CODE
           PERFORM FIND-MEANING
           MOVE LOG-TERMINAL           TO WL-TERMINAL
           MOVE WS-LINE                TO ROW-LINE(WS-ROW).

       WRITE-STAMP.
           MOVE LOG-STAMP(1:4)         TO WL-YEAR
           MOVE LOG-STAMP(5:2)         TO WL-MONTH
           MOVE LOG-STAMP(7:2)         TO WL-DAY
           MOVE LOG-STAMP(9:2)         TO WL-HOUR
           MOVE LOG-STAMP(11:2)        TO WL-MINUTE
           MOVE LOG-STAMP(13:2)        TO WL-SECOND
           MOVE LOG-STAMP(15:3)        TO WL-MILLISECOND.

       FIND-MEANING.
           SET MEANING-INDEX           TO 1
           SEARCH MEANING
              AT END
                 MOVE SPACES           TO WL-MEANING
              WHEN MEANING-CODE(MEANING-INDEX) = LOG-RETURN-CODE
                 MOVE MEANING-TEXT(MEANING-INDEX) TO WL-MEANING
           END-SEARCH.

       SEND-LIST.
           MOVE SE-PAN                 TO PANO OF AUTLSTMO
           MOVE SE-FILTER              TO FILTERO OF AUTLSTMO
           IF SE-PAGE > ZERO
              MOVE SE-PAGE             TO WS-PAGE-NUMBER
              MOVE WS-PAGE-LINE        TO PAGEO OF AUTLSTMO
           END-IF
           MOVE WS-MESSAGE             TO MSGO OF AUTLSTMO
           EXEC CICS SEND MAP('AUTLSTM') MAPSET('AUTLST') ERASE
           END-EXEC.

       SHOW-DETAIL.
           MOVE SE-PAN                 TO LOG-PAN
           MOVE SE-ROW-KEY(WS-CHOSEN)  TO LOG-STAMP
           EXEC CICS READ FILE('AUTLOG') INTO(LOG-RECORD)
                     RIDFLD(LOG-KEY) RESP(WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              PERFORM SEND-DETAIL
           ELSE
              MOVE 'That record is gone.' TO WS-MESSAGE
              PERFORM SHOW-PAGE
           END-IF.

       SEND-DETAIL.
           MOVE LOW-VALUES             TO AUTDETMO
           PERFORM MASK-CARD-NUMBER
           MOVE LOG-PAN                TO CARDO OF AUTDETMO
           MOVE LOG-SEQUENCE           TO SEQO OF AUTDETMO
           PERFORM WRITE-STAMP
           MOVE WS-LINE(1:23)          TO DAYO OF AUTDETMO
           IF LOG-KIND = 'CP'
              MOVE 'CARD PRESENT'      TO KINDO OF AUTDETMO
           ELSE
              MOVE 'CARD NOT PRESENT'  TO KINDO OF AUTDETMO
           END-IF
           MOVE LOG-RETURN-CODE        TO CODEO OF AUTDETMO
           PERFORM FIND-MEANING
           MOVE WL-MEANING             TO MEANO OF AUTDETMO
           MOVE LOG-HSM-ERROR          TO HSMO OF AUTDETMO
           MOVE LOG-COUNTER            TO CNTRO OF AUTDETMO
           IF LOG-AMOUNT NUMERIC
              MOVE LOG-AMOUNT          TO WS-AMOUNT-TEXT
              MOVE WS-AMOUNT-DIGITS    TO WS-AMOUNT
              MOVE WS-AMOUNT           TO AMNTO OF AUTDETMO
           END-IF
           MOVE LOG-TERMINAL           TO TERMO OF AUTDETMO
           MOVE LOG-MERCHANT           TO MERCO OF AUTDETMO
           SET SE-DETAIL-SHOWN         TO TRUE
           EXEC CICS SEND MAP('AUTDETM') MAPSET('AUTDET') ERASE
           END-EXEC.

      * The first six and the last four digits may be seen.
       MASK-CARD-NUMBER.
           PERFORM VARYING WS-LENGTH FROM 19 BY -1
                   UNTIL WS-LENGTH < 12
                      OR LOG-PAN(WS-LENGTH:1) NOT = SPACE
              CONTINUE
           END-PERFORM
           IF WS-LENGTH >= 12
              COMPUTE WS-LENGTH = WS-LENGTH - 10
              MOVE ALL '*'             TO LOG-PAN(7:WS-LENGTH)
           END-IF.
