      ******************************************************************
      * BKADDC    BKAD   A new customer, and a first account. Numbers
      *           come from BKSEQN; a clerk may also choose the customer
      *           number and is told if it is taken.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BKADDC.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-PROGRAM                      PIC X(08) VALUE 'BKADDC'.
       01  WS-TRANID                       PIC X(04) VALUE 'BKAD'.
       01  WS-NEXT-PROGRAM                 PIC X(08).
       01  WS-ACTION                       PIC X(40)
               VALUE 'New customer (no number: the next one)'.
       01  WS-AT-SIGNS                     PIC S9(04) COMP.
       01  WS-NUMBER-TYPED                 PIC X(06).
       COPY BKWORK.
       COPY BKCOMM.
       COPY BKRCUS.
       COPY BKRACC.
       COPY BKLDAT.
       COPY BKLSEQ.
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
              WHEN BK-JUST-ENTERED
                 PERFORM SHOW-AN-EMPTY-FORM
              WHEN EIBAID = DFHPF3
                 PERFORM GO-BACK
              WHEN EIBAID = DFHPF12
                 PERFORM SHOW-AN-EMPTY-FORM
              WHEN BK-SHOWN AND EIBAID = DFHENTER
                 PERFORM TAKE-THE-FORM
              WHEN BK-CHECKED AND EIBAID = DFHPF5
                 PERFORM ADD-THE-CUSTOMER
              WHEN BK-CHECKED AND EIBAID = DFHENTER
                 PERFORM ASK-FOR-CONFIRMATION
              WHEN OTHER
                 MOVE -1               TO CUSNOL OF BKCUSMI
                 MOVE 'That key does nothing here.' TO WS-MESSAGE
                 PERFORM SEND-DATA-ONLY
           END-EVALUATE
           PERFORM WAIT-FOR-KEY
           GOBACK.

       SHOW-AN-EMPTY-FORM.
           SET BK-SHOWN                TO TRUE
           MOVE -1                     TO SURNML OF BKCUSMI
           IF WS-MESSAGE = SPACES
              MOVE 'Please fill in the form, then press ENTER.'
                                       TO WS-MESSAGE
              SET WS-MOOD-GOOD         TO TRUE
           END-IF
           PERFORM SEND-WHOLE-SCREEN.

       TAKE-THE-FORM.
           PERFORM RECEIVE-THE-CUSTOMER
           MOVE LOW-VALUES             TO BKCUSMO
           PERFORM CHECK-THE-CUSTOMER
           IF WS-MESSAGE NOT = SPACES
              PERFORM SEND-DATA-ONLY
           ELSE
              PERFORM PROTECT-THE-FIELDS
              PERFORM PROTECT-THE-NUMBER
              PERFORM ASK-FOR-CONFIRMATION
           END-IF.

       RECEIVE-THE-CUSTOMER.
           EXEC CICS RECEIVE
                     MAP   ('BKCUSM')
                     MAPSET('BKCUS')
                     RESP  (WS-RESP)
           END-EXEC
           MOVE SPACES                 TO CUSTOMER-RECORD
           MOVE CUSNOI OF BKCUSMI      TO WS-NUMBER-TYPED
           PERFORM SCREEN-TO-CUSTOMER.

       ASK-FOR-CONFIRMATION.
           SET BK-CHECKED              TO TRUE
           MOVE 'Form checked. Press PF5 to add, PF12 to cancel.'
                                       TO WS-MESSAGE
           SET WS-MOOD-GOOD            TO TRUE
           MOVE -1                     TO CUSNOL OF BKCUSMI
           PERFORM SEND-DATA-ONLY.

       ADD-THE-CUSTOMER.
           PERFORM RECEIVE-THE-CUSTOMER
           IF WS-NUMBER-TYPED IS NUMERIC AND WS-NUMBER-TYPED > ZERO
              MOVE WS-NUMBER-TYPED     TO CUS-NO
           ELSE
              MOVE 'CUSTOMER'          TO NUM-SERIES
              PERFORM ASK-FOR-A-NUMBER
              MOVE NUM-GIVEN           TO CUS-NO
           END-IF
           MOVE BK-USER-ID             TO CUS-CHANGED-BY
           EXEC CICS WRITE
                     FILE     ('BKCUST')
                     FROM     (CUSTOMER-RECORD)
                     LENGTH   (LENGTH OF CUSTOMER-RECORD)
                     RIDFLD   (CUS-NO)
                     KEYLENGTH(LENGTH OF CUS-NO)
                     RESP     (WS-RESP)
                     RESP2    (WS-RESP2)
           END-EXEC
           EVALUATE WS-RESP
              WHEN DFHRESP(NORMAL)
                 PERFORM OPEN-AN-ACCOUNT
              WHEN DFHRESP(DUPREC)
              WHEN DFHRESP(DUPKEY)
                 EXEC CICS SYNCPOINT ROLLBACK END-EXEC
                 MOVE LOW-VALUES       TO BKCUSMO
                 SET BK-SHOWN          TO TRUE
                 MOVE DFHBMFSE         TO CUSNOA  OF BKCUSMI
                                          SURNMA  OF BKCUSMI
                                          FIRSTA  OF BKCUSMI
                                          BIRTHA  OF BKCUSMI
                                          STREETA OF BKCUSMI
                                          TOWNA   OF BKCUSMI
                                          POSTCA  OF BKCUSMI
                                          PHONEA  OF BKCUSMI
                                          EMAILA  OF BKCUSMI
                                          RATINGA OF BKCUSMI
                 MOVE DFHRED           TO CUSNOC OF BKCUSMO
                 MOVE -1               TO CUSNOL OF BKCUSMI
                 MOVE 'That customer number is taken.' TO WS-MESSAGE
                 PERFORM SEND-DATA-ONLY
              WHEN OTHER
                 MOVE 'BKCUST'         TO WS-BAD-FILE
                 MOVE WS-RESP          TO WS-BAD-RESP
                 MOVE WS-RESP2         TO WS-BAD-RESP2
                 MOVE WS-ABOUT-FILE    TO WS-MESSAGE
                 MOVE LOW-VALUES       TO BKCUSMO
                 PERFORM SHOW-AN-EMPTY-FORM
           END-EVALUATE.

       OPEN-AN-ACCOUNT.
           MOVE 'ACCOUNT'              TO NUM-SERIES
           PERFORM ASK-FOR-A-NUMBER
           EXEC CICS ASKTIME ABSTIME(WS-NOW) END-EXEC
           EXEC CICS FORMATTIME ABSTIME(WS-NOW)
                     YYYYMMDD(WS-DATE) DATESEP('-')
           END-EXEC
           INITIALIZE ACCOUNT-RECORD
           MOVE NUM-GIVEN              TO ACC-NO
           MOVE CUS-NO                 TO ACC-CUS-NO
           SET ACC-CURRENT             TO TRUE
           SET ACC-OPEN                TO TRUE
           MOVE WS-DATE                TO ACC-OPENED
           MOVE 100                    TO ACC-BRANCH
           EXEC CICS WRITE
                     FILE  ('BKACCT')
                     FROM  (ACCOUNT-RECORD)
                     RIDFLD(ACC-NO)
           END-EXEC
           EXEC CICS SYNCPOINT END-EXEC
           STRING 'Customer ' CUS-NO ' was added, with account '
                  ACC-NO '.' DELIMITED BY SIZE
             INTO WS-MESSAGE
           SET WS-MOOD-GOOD            TO TRUE
           MOVE LOW-VALUES             TO BKCUSMO
           PERFORM SHOW-AN-EMPTY-FORM.

       ASK-FOR-A-NUMBER.
           EXEC CICS LINK
                     PROGRAM ('BKSEQN')
                     COMMAREA(NUMBER-WANTED)
           END-EXEC.

       COPY BKCUSP.
       COPY BKCUSC.
       COPY BKHEAD REPLACING ==:MAP:== BY ==BKCUSM==.
       COPY BKSIGNED.
       COPY BKLEAVE.
