      ******************************************************************
      * BKTELL    BKTE   The teller's enquiry, written in 1979 and left
      *           alone since: HANDLE CONDITION, HANDLE AID, GO TO.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BKTELL.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       77  WS-TRANID                       PIC X(04) VALUE 'BKTE'.
       77  WS-PROGRAM                      PIC X(08) VALUE 'BKTELL'.
       77  WS-NEXT-PROGRAM                 PIC X(08).
       77  WS-KEY                          PIC 9(08).
       COPY BKWORK.
       COPY BKCOMM.
           05  BT-TELLER REDEFINES BK-OWN.
               10  BT-TIMES                PIC 9(04).
               10  FILLER                  PIC X(316).
       COPY BKRACC.
       COPY BKLENQ.
       COPY BKTEL.
       COPY DFHBMSCA.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  FILLER                      PIC X(01)
               OCCURS 1 TO 32767 TIMES DEPENDING ON EIBCALEN.
       PROCEDURE DIVISION.
       BEGIN-HERE.
           PERFORM TAKE-THE-COMMAREA.
           EXEC CICS HANDLE AID
                     CLEAR (TO-THE-MENU)
                     PF3   (TO-THE-MENU)
                     PA1   (NOT-THAT-KEY)
                     ANYKEY(NOT-THAT-KEY)
           END-EXEC.
           EXEC CICS HANDLE CONDITION
                     MAPFAIL(NOTHING-TYPED)
                     NOTFND (NO-SUCH-ACCOUNT)
                     NOTOPEN(FILE-TROUBLE)
                     DISABLED(FILE-TROUBLE)
                     ERROR  (ANY-TROUBLE)
           END-EXEC.
           MOVE LOW-VALUES TO BKTELMO.
           IF NOT BK-JUST-ENTERED GO TO TAKE-THE-ENQUIRY.
           SET BK-SHOWN TO TRUE.
           MOVE ZERO TO BT-TIMES.
           EXEC CICS SEND MAP('BKTELM') MAPSET('BKTEL')
                     MAPONLY ERASE
           END-EXEC.
           GO TO THE-END.

       TAKE-THE-ENQUIRY.
           EXEC CICS RECEIVE MAP('BKTELM') MAPSET('BKTEL') END-EXEC.
           IF ACCNOI OF BKTELMI NOT NUMERIC GO TO NOTHING-TYPED.
           MOVE ACCNOI OF BKTELMI TO WS-KEY.
           MOVE LOW-VALUES TO BKTELMO.
           EXEC CICS READ FILE('BKACCT') INTO(ACCOUNT-RECORD)
                     RIDFLD(WS-KEY)
           END-EXEC.
           MOVE ACC-CUS-NO TO ENQ-CUS-NO.
      * The enquiry has its own idea of conditions: ours wait meanwhile.
           EXEC CICS PUSH HANDLE END-EXEC.
           EXEC CICS IGNORE CONDITION PGMIDERR END-EXEC.
           EXEC CICS LINK PROGRAM('BKENQC') COMMAREA(ENQUIRY)
                     LENGTH(108)
           END-EXEC.
           EXEC CICS POP HANDLE END-EXEC.
           ADD 1 TO BT-TIMES.
           MOVE ENQ-NAME TO NAMEO OF BKTELMO.
           MOVE ACC-BALANCE TO BALANCO OF BKTELMO.
           MOVE BT-TIMES TO TIMESO OF BKTELMO.
           MOVE 'At your service.' TO WS-MESSAGE.
           SET WS-MOOD-GOOD TO TRUE.
           GO TO SEND-THE-ANSWER.

       NOTHING-TYPED.
           MOVE LOW-VALUES TO BKTELMO.
           MOVE 'ACCOUNT NUMBER, PLEASE' TO WS-MESSAGE.
           GO TO SEND-THE-ANSWER.

       NO-SUCH-ACCOUNT.
           MOVE 'NO SUCH ACCOUNT' TO WS-MESSAGE.
           GO TO SEND-THE-ANSWER.

       FILE-TROUBLE.
           MOVE 'THE ACCOUNT FILE IS CLOSED' TO WS-MESSAGE.
           GO TO SEND-THE-ANSWER.

       NOT-THAT-KEY.
           MOVE LOW-VALUES TO BKTELMO.
           MOVE 'NOT THAT KEY' TO WS-MESSAGE.
           EXEC CICS SEND CONTROL ALARM FREEKB END-EXEC.
           GO TO SEND-THE-ANSWER.

       ANY-TROUBLE.
           MOVE 'SOMETHING WENT WRONG' TO WS-MESSAGE.
           GO TO SEND-THE-ANSWER.

       SEND-THE-ANSWER.
           PERFORM FILL-HEADER.
           MOVE -1 TO ACCNOL OF BKTELMI.
           EXEC CICS SEND MAP('BKTELM') MAPSET('BKTEL')
                     DATAONLY CURSOR
           END-EXEC.

       THE-END.
           PERFORM WAIT-FOR-KEY.

       TO-THE-MENU.
           MOVE 'BKMENU' TO WS-NEXT-PROGRAM.
           PERFORM HAND-OVER.

       COPY BKHEAD REPLACING ==:MAP:== BY ==BKTELM==.
       COPY BKSIGNED.
       COPY BKLEAVE.
