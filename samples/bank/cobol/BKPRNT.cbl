      ******************************************************************
      * BKPRNT    BKPT   Prints a statement. Started by BKREPT; has no
      *           terminal, learns what to do by RETRIEVE and takes its
      *           time over each order.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BKPRNT.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                         PIC S9(08) COMP.
       01  WS-LENGTH                       PIC S9(04) COMP.
       01  WS-MOVE-KEY.
           05  WS-MOVE-ACC-NO              PIC 9(08).
           05  WS-MOVE-SEQUENCE            PIC 9(08).
       01  WS-LINE                         PIC X(79).
       01  WS-AMOUNT                       PIC +ZZZ,ZZZ,ZZ9.99.
       COPY BKLPRT.
       COPY BKLENQ.
       COPY BKRACC.
       COPY BKRMOV.
       PROCEDURE DIVISION.
       MAIN-LINE.
           MOVE LENGTH OF STATEMENT-ORDER TO WS-LENGTH
           EXEC CICS RETRIEVE
                     INTO  (STATEMENT-ORDER)
                     LENGTH(WS-LENGTH)
                     RESP  (WS-RESP)
           END-EXEC
           PERFORM UNTIL WS-RESP NOT = DFHRESP(NORMAL)
              PERFORM PRINT-ONE-STATEMENT
              MOVE LENGTH OF STATEMENT-ORDER TO WS-LENGTH
              EXEC CICS RETRIEVE
                        INTO  (STATEMENT-ORDER)
                        LENGTH(WS-LENGTH)
                        RESP  (WS-RESP)
              END-EXEC
           END-PERFORM
           EXEC CICS RETURN END-EXEC
           GOBACK.

       PRINT-ONE-STATEMENT.
           EXEC CICS DELAY FOR SECONDS(1) END-EXEC
           EXEC CICS DELETEQ TS
                     QUEUE(ORD-QUEUE)
                     RESP (WS-RESP)
           END-EXEC
           EXEC CICS READ
                     FILE  ('BKACCT')
                     INTO  (ACCOUNT-RECORD)
                     RIDFLD(ORD-ACC-NO)
           END-EXEC
           MOVE ACC-CUS-NO             TO ENQ-CUS-NO
           EXEC CICS LINK
                     PROGRAM ('BKENQC')
                     COMMAREA(ENQUIRY)
                     LENGTH  (LENGTH OF ENQUIRY)
           END-EXEC
           MOVE SPACES                 TO WS-LINE
           STRING 'STATEMENT OF ACCOUNT ' ORD-ACC-NO
                  ' ORDERED BY ' ORD-USER-ID DELIMITED BY SIZE
             INTO WS-LINE
           PERFORM WRITE-ONE-LINE
           MOVE ENQ-NAME               TO WS-LINE
           PERFORM WRITE-ONE-LINE
           MOVE ENQ-ADDRESS            TO WS-LINE
           PERFORM WRITE-ONE-LINE
           PERFORM PRINT-THE-MOVEMENTS
           MOVE ACC-BALANCE            TO WS-AMOUNT
           MOVE SPACES                 TO WS-LINE
           STRING 'BALANCE' WS-AMOUNT DELIMITED BY SIZE
             INTO WS-LINE
           PERFORM WRITE-ONE-LINE
           DISPLAY 'BKPRNT printed a statement of ' ORD-ACC-NO.

       PRINT-THE-MOVEMENTS.
           MOVE ORD-ACC-NO             TO WS-MOVE-ACC-NO
           MOVE ZERO                   TO WS-MOVE-SEQUENCE
           EXEC CICS STARTBR
                     FILE     ('BKMOVE')
                     RIDFLD   (WS-MOVE-KEY)
                     KEYLENGTH(8)
                     GENERIC
                     RESP     (WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              PERFORM PRINT-ONE-MOVEMENT
                 UNTIL WS-RESP NOT = DFHRESP(NORMAL)
              EXEC CICS ENDBR FILE('BKMOVE') END-EXEC
           END-IF.

       PRINT-ONE-MOVEMENT.
           EXEC CICS READNEXT
                     FILE  ('BKMOVE')
                     INTO  (MOVEMENT-RECORD)
                     RIDFLD(WS-MOVE-KEY)
                     RESP  (WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL) AND MOV-ACC-NO = ORD-ACC-NO
              MOVE MOV-AMOUNT          TO WS-AMOUNT
              MOVE SPACES              TO WS-LINE
              STRING MOV-DATE ' ' MOV-TEXT ' ' WS-AMOUNT
                     DELIMITED BY SIZE
                INTO WS-LINE
              PERFORM WRITE-ONE-LINE
           ELSE
              MOVE DFHRESP(ENDFILE)    TO WS-RESP
           END-IF.

       WRITE-ONE-LINE.
           EXEC CICS WRITEQ TD
                     QUEUE ('BKPR')
                     FROM  (WS-LINE)
                     LENGTH(LENGTH OF WS-LINE)
           END-EXEC
           EXEC CICS WRITEQ TS
                     QUEUE (ORD-QUEUE)
                     FROM  (WS-LINE)
                     LENGTH(LENGTH OF WS-LINE)
           END-EXEC.
