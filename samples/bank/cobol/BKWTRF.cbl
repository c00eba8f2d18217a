      ******************************************************************
      * BKWTRF    Moves money for the web page: LINKed with a COMMAREA.
      *           What is moved, and how, is that of the terminals.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BKWTRF.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                         PIC S9(08) COMP.
       01  WS-NOW                          PIC S9(15) COMP-3.
       01  WS-FROM-NO                      PIC 9(08).
       01  WS-TO-NO                        PIC 9(08).
       01  WS-AMOUNT                       PIC S9(09)V99.
       01  WS-TEXT                         PIC X(24).
       01  WS-FROM-BALANCE                 PIC S9(09)V99.
       COPY BKRACC.
       COPY BKRMOV.
       COPY BKLSEQ.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  FILLER                      PIC X(102).
       COPY BKLTRF.
       PROCEDURE DIVISION.
       MAIN-LINE.
           IF EIBCALEN < LENGTH OF TRANSFER
              EXEC CICS ABEND ABCODE('BKCA') END-EXEC
           END-IF
           SET ADDRESS OF TRANSFER     TO ADDRESS OF DFHCOMMAREA
           MOVE TRF-FROM-NO            TO WS-FROM-NO
           MOVE TRF-TO-NO              TO WS-TO-NO
           MOVE TRF-AMOUNT             TO WS-AMOUNT
           MOVE TRF-TEXT               TO WS-TEXT
           SET TRF-REFUSED             TO TRUE
           MOVE SPACES                 TO TRF-MESSAGE
           PERFORM CHECK-IT
           IF TRF-MESSAGE = SPACES
              PERFORM TAKE-IT-FROM-THE-ONE
              PERFORM GIVE-IT-TO-THE-OTHER
              PERFORM KEEP-OR-UNDO
           END-IF
           EXEC CICS RETURN END-EXEC
           GOBACK.

       CHECK-IT.
           IF WS-AMOUNT NOT > ZERO
              MOVE 'How much? For example 125.50'  TO TRF-MESSAGE
           END-IF
           IF WS-FROM-NO = WS-TO-NO
              MOVE 'To which other account?'       TO TRF-MESSAGE
           END-IF
           MOVE WS-TO-NO               TO ACC-NO
           PERFORM READ-THE-ACCOUNT
           IF WS-RESP NOT = DFHRESP(NORMAL)
              MOVE 'There is no such account to pay into.'
                                       TO TRF-MESSAGE
           END-IF
           MOVE WS-FROM-NO             TO ACC-NO
           PERFORM READ-THE-ACCOUNT
           IF WS-RESP NOT = DFHRESP(NORMAL)
              MOVE 'There is no such account to pay from.'
                                       TO TRF-MESSAGE
           ELSE
              IF ACC-BLOCKED
                 MOVE 'That account is blocked.'   TO TRF-MESSAGE
              END-IF
           END-IF.

       READ-THE-ACCOUNT.
           EXEC CICS READ
                     FILE  ('BKACCT')
                     INTO  (ACCOUNT-RECORD)
                     RIDFLD(ACC-NO)
                     RESP  (WS-RESP)
           END-EXEC.

       KEEP-OR-UNDO.
           EVALUATE TRUE
              WHEN ACC-BLOCKED
                 EXEC CICS SYNCPOINT ROLLBACK END-EXEC
                 MOVE 'The receiving account is blocked. Nothing moved.'
                                       TO TRF-MESSAGE
              WHEN WS-FROM-BALANCE < ZERO
                 EXEC CICS SYNCPOINT ROLLBACK END-EXEC
                 MOVE 'Insufficient funds. Nothing moved.'
                                       TO TRF-MESSAGE
              WHEN OTHER
                 EXEC CICS SYNCPOINT END-EXEC
                 SET TRF-MOVED         TO TRUE
                 MOVE 'The money was moved.' TO TRF-MESSAGE
           END-EVALUATE.

       COPY BKMOVP.
       LAST-PARAGRAPH.
           EXIT.
