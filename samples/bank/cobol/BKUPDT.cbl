      ******************************************************************
      * BKUPDT    BKUP   Changes a customer in three steps: ask for the
      *           number, check what was typed, confirm with PF5. The
      *           record as it was shown rides along in the COMMAREA; a
      *           change that somebody else made in between is noticed
      *           at READ UPDATE and nothing is overwritten.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BKUPDT.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-PROGRAM                      PIC X(08) VALUE 'BKUPDT'.
       01  WS-TRANID                       PIC X(04) VALUE 'BKUP'.
       01  WS-NEXT-PROGRAM                 PIC X(08).
       01  WS-ACTION                       PIC X(40)
                                           VALUE 'Change a customer'.
       01  WS-AT-SIGNS                     PIC S9(04) COMP.
       01  WS-RECORD-NOW                   PIC X(200).
       COPY BKWORK.
       COPY BKCOMM.
           05  BU-UPDATE REDEFINES BK-OWN.
               10  BU-AS-SHOWN             PIC X(200).
               10  FILLER                  PIC X(120).
       COPY BKRCUS.
       COPY BKLDAT.
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
              WHEN BK-SHOWN AND EIBAID = DFHENTER
                 PERFORM TAKE-THE-CHANGES
              WHEN BK-CHECKED AND EIBAID = DFHPF5
                 PERFORM SAVE-THE-CHANGES
              WHEN BK-CHECKED AND EIBAID = DFHENTER
                 PERFORM ASK-FOR-CONFIRMATION
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
              MOVE CUSTOMER-RECORD     TO BU-AS-SHOWN
              PERFORM CUSTOMER-TO-SCREEN
              PERFORM PROTECT-THE-NUMBER
              MOVE -1                  TO SURNML OF BKCUSMI
              IF WS-MESSAGE = SPACES
                 MOVE 'Change what you like, then press ENTER.'
                                       TO WS-MESSAGE
                 SET WS-MOOD-GOOD      TO TRUE
              END-IF
              PERFORM SEND-WHOLE-SCREEN
           ELSE
              MOVE 'There is no such customer.' TO WS-MESSAGE
              PERFORM ASK-FOR-A-NUMBER
           END-IF.

       TAKE-THE-CHANGES.
           PERFORM RECEIVE-THE-CUSTOMER
           MOVE LOW-VALUES             TO BKCUSMO
           PERFORM CHECK-THE-CUSTOMER
           EVALUATE TRUE
              WHEN WS-MESSAGE NOT = SPACES
                 PERFORM SEND-DATA-ONLY
              WHEN CUSTOMER-RECORD = BU-AS-SHOWN
                 MOVE -1               TO SURNML OF BKCUSMI
                 MOVE 'Nothing was changed.' TO WS-MESSAGE
                 PERFORM SEND-DATA-ONLY
              WHEN OTHER
                 PERFORM PROTECT-THE-FIELDS
                 PERFORM ASK-FOR-CONFIRMATION
           END-EVALUATE.

       ASK-FOR-CONFIRMATION.
           SET BK-CHECKED              TO TRUE
           MOVE 'Changes checked. Press PF5 to save, PF12 to cancel.'
                                       TO WS-MESSAGE
           SET WS-MOOD-GOOD            TO TRUE
           MOVE -1                     TO CUSNOL OF BKCUSMI
           PERFORM SEND-DATA-ONLY.

       RECEIVE-THE-CUSTOMER.
           EXEC CICS RECEIVE
                     MAP   ('BKCUSM')
                     MAPSET('BKCUS')
                     INTO  (BKCUSMI)
                     RESP  (WS-RESP)
           END-EXEC
           MOVE BU-AS-SHOWN            TO CUSTOMER-RECORD
           PERFORM SCREEN-TO-CUSTOMER.

       SAVE-THE-CHANGES.
           PERFORM RECEIVE-THE-CUSTOMER
           EXEC CICS READ
                     FILE  ('BKCUST')
                     INTO  (WS-RECORD-NOW)
                     RIDFLD(BK-CUS-NO)
                     UPDATE
                     RESP  (WS-RESP)
           END-EXEC
           EVALUATE TRUE
              WHEN WS-RESP NOT = DFHRESP(NORMAL)
                 MOVE 'The customer is gone.' TO WS-MESSAGE
                 PERFORM ASK-FOR-A-NUMBER
              WHEN WS-RECORD-NOW NOT = BU-AS-SHOWN
                 EXEC CICS UNLOCK FILE('BKCUST') END-EXEC
                 MOVE 'Changed by someone else. Please review.'
                                       TO WS-MESSAGE
                 SET WS-MOOD-BAD       TO TRUE
                 PERFORM SHOW-THE-CUSTOMER
              WHEN OTHER
                 MOVE BK-USER-ID       TO CUS-CHANGED-BY
                 EXEC CICS REWRITE
                           FILE('BKCUST')
                           FROM(CUSTOMER-RECORD)
                 END-EXEC
                 EXEC CICS SYNCPOINT END-EXEC
                 MOVE 'Saved.'         TO WS-MESSAGE
                 SET WS-MOOD-GOOD      TO TRUE
                 PERFORM SHOW-THE-CUSTOMER
           END-EVALUATE.

       COPY BKCUSP.
       COPY BKCUSC.
       COPY BKHEAD REPLACING ==:MAP:== BY ==BKCUSM==.
       COPY BKSIGNED.
       COPY BKLEAVE.
