      ******************************************************************
      * BKWACC    The accounts of a customer, for the web page: LINKed
      *           with a COMMAREA. Ten are shown at most.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BKWACC.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                         PIC S9(08) COMP.
       01  WS-KEY                          PIC 9(06).
       01  WS-MOST                         PIC 9(02) VALUE 10.
       COPY BKRACC.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  FILLER                      PIC X(218).
       COPY BKLACC.
       PROCEDURE DIVISION.
       MAIN-LINE.
           IF EIBCALEN < LENGTH OF ACCOUNTS-OF
              EXEC CICS ABEND ABCODE('BKCA') END-EXEC
           END-IF
           SET ADDRESS OF ACCOUNTS-OF  TO ADDRESS OF DFHCOMMAREA
           MOVE AOF-CUS-NO             TO WS-KEY
           INITIALIZE ACCOUNTS-OF
           MOVE WS-KEY                 TO AOF-CUS-NO
           EXEC CICS STARTBR
                     FILE  ('BKACCTC')
                     RIDFLD(WS-KEY)
                     EQUAL
                     RESP  (WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              PERFORM TAKE-ONE
              PERFORM TAKE-ONE
                 UNTIL WS-RESP NOT = DFHRESP(NORMAL)
                 AND   WS-RESP NOT = DFHRESP(DUPKEY)
                 OR    ACC-CUS-NO NOT = AOF-CUS-NO
                 OR    AOF-COUNT = WS-MOST
              EXEC CICS ENDBR FILE('BKACCTC') END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC
           GOBACK.

       TAKE-ONE.
           EXEC CICS READNEXT
                     FILE  ('BKACCTC')
                     INTO  (ACCOUNT-RECORD)
                     RIDFLD(WS-KEY)
                     RESP  (WS-RESP)
           END-EXEC
           IF (WS-RESP = DFHRESP(NORMAL) OR DFHRESP(DUPKEY))
           AND ACC-CUS-NO = AOF-CUS-NO
              ADD 1                    TO AOF-COUNT
              MOVE ACC-NO              TO AOF-ACC-NO (AOF-COUNT)
              MOVE ACC-KIND            TO AOF-KIND   (AOF-COUNT)
              MOVE ACC-STATUS          TO AOF-STATUS (AOF-COUNT)
              MOVE ACC-BALANCE         TO AOF-BALANCE(AOF-COUNT)
           END-IF.

       LAST-PARAGRAPH.
           EXIT.
