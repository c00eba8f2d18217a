      ******************************************************************
      * BKLIST    BKLS   Customers, twelve to a page. By number it pages
      *           both ways; by surname it goes through the alternate
      *           index and shows the first page. A letter before a row
      *           carries the customer on.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BKLIST.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-PROGRAM                      PIC X(08) VALUE 'BKLIST'.
       01  WS-TRANID                       PIC X(04) VALUE 'BKLS'.
       01  WS-NEXT-PROGRAM                 PIC X(08).
       01  WS-PAGE-SIZE                    PIC S9(04) COMP VALUE 12.
       01  WS-ROW                          PIC S9(04) COMP.
       01  WS-FILLED                       PIC S9(04) COMP VALUE ZERO.
       01  WS-KEY                          PIC 9(06).
       01  WS-NAME-KEY                     PIC X(20).
       01  WS-NAME-LENGTH                  PIC S9(04) COMP.
       01  WS-CHOSEN                       PIC S9(04) COMP VALUE ZERO.
       01  WS-CHOICES                      PIC S9(04) COMP VALUE ZERO.
       01  WS-LETTER                       PIC X(01).
       01  WS-FROM                         PIC X(06).
       01  WS-FULL-SCREEN                  PIC X(01) VALUE 'N'.
           88  WS-ERASE-FIRST                  VALUE 'Y'.
       COPY BKWORK.
       COPY BKCOMM.
      * What the list keeps while the clerk reads it.
           05  BL-LIST REDEFINES BK-OWN.
               10  BL-PAGE                 PIC 9(04).
               10  BL-FIRST-NO             PIC 9(06).
               10  BL-LAST-NO              PIC 9(06).
               10  BL-MORE                 PIC X(01).
                   88  BL-MORE-PAGES           VALUE 'Y'.
                   88  BL-LAST-PAGE            VALUE 'N'.
               10  BL-ORDER                PIC X(01).
                   88  BL-BY-NUMBER            VALUE 'N'.
                   88  BL-BY-SURNAME           VALUE 'S'.
               10  BL-SHOWN-NO             PIC 9(06) OCCURS 12.
               10  FILLER                  PIC X(230).
       COPY BKRCUS.
       COPY BKLST.
      * The twelve rows of the map as a table. Each named field takes a
      * length (2), an attribute, a colour and a highlight before it.
       01  WS-MAP-TABLE REDEFINES BKLSTMI.
           05  FILLER                      PIC X(12).
           05  FILLER                      PIC X(09).
           05  FILLER                      PIC X(15).
           05  FILLER                      PIC X(13).
           05  FILLER                      PIC X(13).
           05  FILLER                      PIC X(11).
           05  FILLER                      PIC X(25).
           05  FILLER                      PIC X(09).
           05  WS-MAP-ROW                  OCCURS 12.
               10  ROW-SEL-L               PIC S9(04) COMP.
               10  ROW-SEL-A               PIC X(01).
               10  ROW-SEL-C               PIC X(01).
               10  ROW-SEL-H               PIC X(01).
               10  ROW-SEL                 PIC X(01).
               10  FILLER                  PIC X(05).
               10  ROW-NO                  PIC X(06).
               10  FILLER                  PIC X(05).
               10  ROW-SURNAME             PIC X(20).
               10  FILLER                  PIC X(05).
               10  ROW-FIRST-NAME          PIC X(20).
               10  FILLER                  PIC X(05).
               10  ROW-TOWN                PIC X(20).
       COPY DFHAID.
       COPY DFHBMSCA.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  FILLER                      PIC X(01)
               OCCURS 1 TO 32767 TIMES DEPENDING ON EIBCALEN.
       PROCEDURE DIVISION.
       MAIN-LINE.
           PERFORM TAKE-THE-COMMAREA
           MOVE LOW-VALUES             TO BKLSTMO
           IF BK-JUST-ENTERED
              SET BK-SHOWN             TO TRUE
              SET WS-ERASE-FIRST       TO TRUE
              MOVE ZERO                TO WS-KEY
              MOVE 1                   TO BL-PAGE
              PERFORM SHOW-FROM-NUMBER
           ELSE
              PERFORM TAKE-THE-KEY
           END-IF
           PERFORM SEND-THE-SCREEN
           PERFORM WAIT-FOR-KEY
           GOBACK.

       TAKE-THE-KEY.
           EXEC CICS RECEIVE
                     MAP   ('BKLSTM')
                     MAPSET('BKLST')
                     RESP  (WS-RESP)
           END-EXEC
           PERFORM LOOK-FOR-A-CHOICE
           MOVE FROMI OF BKLSTMI       TO WS-FROM
           MOVE NAMEI OF BKLSTMI       TO WS-NAME-KEY
           INSPECT WS-NAME-KEY REPLACING ALL LOW-VALUES BY SPACES
           MOVE LOW-VALUES             TO BKLSTMO
           EVALUATE EIBAID
              WHEN DFHENTER
                 EVALUATE TRUE
                    WHEN WS-CHOICES > 1
                       MOVE 'One customer at a time, please.'
                                       TO WS-MESSAGE
                    WHEN WS-CHOICES = 1
                       PERFORM CARRY-THE-CUSTOMER-ON
                    WHEN OTHER
                       PERFORM SHOW-FROM-INPUT
                 END-EVALUATE
              WHEN DFHPF3
                 MOVE 'BKMENU'         TO WS-NEXT-PROGRAM
                 PERFORM HAND-OVER
              WHEN DFHPF7
                 PERFORM PAGE-BACKWARD
              WHEN DFHPF8
                 PERFORM PAGE-FORWARD
      *       The terminal has erased the screen: from the top again.
              WHEN DFHCLEAR
                 PERFORM SHOW-FROM-INPUT
              WHEN OTHER
                 MOVE 'Invalid key. See the last line.' TO WS-MESSAGE
           END-EVALUATE.

       LOOK-FOR-A-CHOICE.
           PERFORM VARYING WS-ROW FROM 1 BY 1
                     UNTIL WS-ROW > WS-PAGE-SIZE
              IF ROW-SEL(WS-ROW) NOT = SPACES AND NOT = LOW-VALUES
                                              AND NOT = '_'
                 ADD 1                 TO WS-CHOICES
                 MOVE WS-ROW           TO WS-CHOSEN
                 MOVE FUNCTION UPPER-CASE(ROW-SEL(WS-ROW))
                                       TO WS-LETTER
              END-IF
           END-PERFORM.

       CARRY-THE-CUSTOMER-ON.
           MOVE BL-SHOWN-NO(WS-CHOSEN) TO BK-CUS-NO
           MOVE ZERO                   TO BK-ACC-NO
           EVALUATE WS-LETTER
              WHEN 'S'
                 MOVE 'BKVIEW'         TO WS-NEXT-PROGRAM
              WHEN 'U'
                 MOVE 'BKUPDT'         TO WS-NEXT-PROGRAM
              WHEN 'D'
                 MOVE 'BKDELE'         TO WS-NEXT-PROGRAM
              WHEN OTHER
                 MOVE SPACES           TO WS-NEXT-PROGRAM
           END-EVALUATE
           EVALUATE TRUE
              WHEN BK-CUS-NO = ZERO
                 MOVE 'There is no customer in that row.' TO WS-MESSAGE
              WHEN WS-NEXT-PROGRAM = SPACES
                 MOVE 'Please use S, U or D.' TO WS-MESSAGE
                 MOVE DFHRED           TO ROW-SEL-C(WS-CHOSEN)
              WHEN WS-NEXT-PROGRAM = 'BKDELE' AND NOT BK-MANAGER
                 MOVE 'Only a manager may do that.' TO WS-MESSAGE
              WHEN OTHER
                 PERFORM HAND-OVER
           END-EVALUATE.

       SHOW-FROM-INPUT.
           SET WS-ERASE-FIRST          TO TRUE
           MOVE 1                      TO BL-PAGE
           IF WS-NAME-KEY NOT = SPACES
              PERFORM SHOW-BY-SURNAME
           ELSE
              IF WS-FROM IS NUMERIC
                 MOVE WS-FROM          TO WS-KEY
              ELSE
                 MOVE ZERO             TO WS-KEY
              END-IF
              PERFORM SHOW-FROM-NUMBER
           END-IF.

       PAGE-BACKWARD.
           EVALUATE TRUE
              WHEN BL-BY-SURNAME
                 MOVE 'Paging is by number only. Clear the surname.'
                                       TO WS-MESSAGE
              WHEN BL-PAGE < 2
                 MOVE 'This is the top of the list.' TO WS-MESSAGE
              WHEN OTHER
                 SET WS-ERASE-FIRST    TO TRUE
                 PERFORM SHOW-BEFORE-FIRST
           END-EVALUATE.

       PAGE-FORWARD.
           EVALUATE TRUE
              WHEN BL-BY-SURNAME
                 MOVE 'Paging is by number only. Clear the surname.'
                                       TO WS-MESSAGE
              WHEN BL-LAST-PAGE
                 MOVE 'This is the end of the list.' TO WS-MESSAGE
              WHEN OTHER
                 SET WS-ERASE-FIRST    TO TRUE
                 ADD 1                 TO BL-PAGE
                 COMPUTE WS-KEY = BL-LAST-NO + 1
                 PERFORM SHOW-FROM-NUMBER
           END-EVALUATE.

      * Twelve rows onward from WS-KEY, and a look at the thirteenth.
       SHOW-FROM-NUMBER.
           PERFORM CLEAR-THE-ROWS
           SET BL-BY-NUMBER            TO TRUE
           SET BL-LAST-PAGE            TO TRUE
           EXEC CICS STARTBR
                     FILE  ('BKCUST')
                     RIDFLD(WS-KEY)
                     GTEQ
                     RESP  (WS-RESP)
                     RESP2 (WS-RESP2)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              MOVE ZERO                TO WS-ROW
              PERFORM READ-NEXT-CUSTOMER
                 UNTIL WS-RESP NOT = DFHRESP(NORMAL)
                    OR WS-ROW > WS-PAGE-SIZE
              EXEC CICS ENDBR FILE('BKCUST') END-EXEC
           END-IF
           IF WS-FILLED = ZERO
              MOVE 'No customer from there on.' TO WS-MESSAGE
           END-IF.

       READ-NEXT-CUSTOMER.
           EXEC CICS READNEXT
                     FILE  ('BKCUST')
                     INTO  (CUSTOMER-RECORD)
                     RIDFLD(WS-KEY)
                     RESP  (WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              ADD 1                    TO WS-ROW
              IF WS-ROW > WS-PAGE-SIZE
                 SET BL-MORE-PAGES     TO TRUE
              ELSE
                 PERFORM FILL-ONE-ROW
              END-IF
           END-IF.

      * The twelve rows before the first one shown, read backward.
       SHOW-BEFORE-FIRST.
           SUBTRACT 1                  FROM BL-PAGE
           MOVE BL-FIRST-NO            TO WS-KEY
           PERFORM CLEAR-THE-ROWS
           SET BL-MORE-PAGES           TO TRUE
           EXEC CICS STARTBR
                     FILE  ('BKCUST')
                     RIDFLD(WS-KEY)
                     RESP  (WS-RESP)
           END-EXEC
           EXEC CICS READPREV
                     FILE  ('BKCUST')
                     INTO  (CUSTOMER-RECORD)
                     RIDFLD(WS-KEY)
                     RESP  (WS-RESP)
           END-EXEC
           PERFORM READ-PREVIOUS-CUSTOMER
              VARYING WS-ROW FROM WS-PAGE-SIZE BY -1
                UNTIL WS-ROW < 1
                   OR WS-RESP NOT = DFHRESP(NORMAL)
           EXEC CICS ENDBR FILE('BKCUST') END-EXEC.

       READ-PREVIOUS-CUSTOMER.
           EXEC CICS READPREV
                     FILE  ('BKCUST')
                     INTO  (CUSTOMER-RECORD)
                     RIDFLD(WS-KEY)
                     RESP  (WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              PERFORM FILL-ONE-ROW
           END-IF.

      * By surname: a generic browse of the path. DUPKEY only says that
      * the next customer has the same name.
       SHOW-BY-SURNAME.
           PERFORM CLEAR-THE-ROWS
           SET BL-BY-SURNAME           TO TRUE
           PERFORM VARYING WS-NAME-LENGTH FROM 20 BY -1
              UNTIL WS-NAME-KEY(WS-NAME-LENGTH:1) NOT = SPACE
              CONTINUE
           END-PERFORM
           EXEC CICS STARTBR
                     FILE     ('BKCUSTN')
                     RIDFLD   (WS-NAME-KEY)
                     KEYLENGTH(WS-NAME-LENGTH)
                     GENERIC
                     GTEQ
                     RESP     (WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              MOVE 1                   TO WS-ROW
              PERFORM READ-NEXT-BY-NAME
                 UNTIL WS-ROW > WS-PAGE-SIZE
              EXEC CICS ENDBR FILE('BKCUSTN') END-EXEC
           END-IF
           IF WS-FILLED = ZERO
              MOVE 'No surname from there on.' TO WS-MESSAGE
           ELSE
              MOVE 'In the order of surnames.' TO WS-MESSAGE
              SET WS-MOOD-GOOD         TO TRUE
           END-IF.

       READ-NEXT-BY-NAME.
           EXEC CICS READNEXT
                     FILE  ('BKCUSTN')
                     INTO  (CUSTOMER-RECORD)
                     RIDFLD(WS-NAME-KEY)
                     RESP  (WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL) OR DFHRESP(DUPKEY)
              PERFORM FILL-ONE-ROW
              ADD 1                    TO WS-ROW
           ELSE
              COMPUTE WS-ROW = WS-PAGE-SIZE + 1
           END-IF.

       CLEAR-THE-ROWS.
           MOVE LOW-VALUES             TO BKLSTMO
           MOVE ZERO                   TO BL-FIRST-NO BL-LAST-NO
           PERFORM VARYING WS-ROW FROM 1 BY 1
                     UNTIL WS-ROW > WS-PAGE-SIZE
              MOVE ZERO                TO BL-SHOWN-NO(WS-ROW)
              MOVE DFHBMPRO            TO ROW-SEL-A(WS-ROW)
           END-PERFORM.

       FILL-ONE-ROW.
           ADD 1                       TO WS-FILLED
           MOVE CUS-NO                 TO BL-SHOWN-NO(WS-ROW)
                                          ROW-NO(WS-ROW)
           MOVE CUS-SURNAME            TO ROW-SURNAME(WS-ROW)
           MOVE CUS-FIRST-NAME         TO ROW-FIRST-NAME(WS-ROW)
           MOVE CUS-TOWN               TO ROW-TOWN(WS-ROW)
           MOVE DFHBMFSE               TO ROW-SEL-A(WS-ROW)
           IF BL-FIRST-NO = ZERO OR CUS-NO < BL-FIRST-NO
              MOVE CUS-NO              TO BL-FIRST-NO
           END-IF
           IF CUS-NO > BL-LAST-NO
              MOVE CUS-NO              TO BL-LAST-NO
           END-IF.

       SEND-THE-SCREEN.
           PERFORM FILL-HEADER
           MOVE BL-PAGE                TO PAGEO OF BKLSTMO
           IF WS-ERASE-FIRST
              EXEC CICS SEND
                        MAP   ('BKLSTM')
                        MAPSET('BKLST')
                        FROM  (BKLSTMO)
                        ERASE
              END-EXEC
           ELSE
              IF WS-CHOSEN = ZERO
                 MOVE -1               TO FROML OF BKLSTMI
              ELSE
                 MOVE -1               TO ROW-SEL-L(WS-CHOSEN)
              END-IF
              EXEC CICS SEND
                        MAP   ('BKLSTM')
                        MAPSET('BKLST')
                        FROM  (BKLSTMO)
                        DATAONLY
                        CURSOR
              END-EXEC
           END-IF.

       COPY BKHEAD REPLACING ==:MAP:== BY ==BKLSTM==.
       COPY BKSIGNED.
       COPY BKLEAVE.
