      ******************************************************************
      * BKSIGN    BK00   Sign-on: who is it, and is it the password?
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BKSIGN.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-PROGRAM                      PIC X(08) VALUE 'BKSIGN'.
       01  WS-TRANID                       PIC X(04) VALUE 'BK00'.
       01  WS-NEXT-PROGRAM                 PIC X(08) VALUE 'BKMENU'.
       01  WS-USER-FILE                    PIC X(08) VALUE 'BKUSER'.
       01  WS-USER-ID                      PIC X(08).
       01  WS-PASSWORD                     PIC X(08).
       01  WS-DIGEST                       PIC 9(15).
       01  WS-GOODBYE                      PIC X(50)
               VALUE 'Thank you for banking with Harbour. Good-bye.'.
       COPY BKWORK.
       COPY BKCOMM.
       COPY BKRUSR.
       COPY BKSGN.
       COPY DFHAID.
       COPY DFHBMSCA.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  FILLER                      PIC X(01)
               OCCURS 1 TO 32767 TIMES DEPENDING ON EIBCALEN.
       PROCEDURE DIVISION.
       MAIN-LINE.
           INITIALIZE BK-COMMAREA
           MOVE LOW-VALUES             TO BKSGNMO
           IF EIBCALEN = ZERO
              MOVE -1                  TO USERL
              PERFORM SHOW-WHOLE-SCREEN
           ELSE
              EVALUATE EIBAID
                 WHEN DFHENTER
                    PERFORM CHECK-THE-USER
                 WHEN DFHPF3
                    PERFORM SAY-GOODBYE
      *          The terminal has erased the screen, labels and all.
                 WHEN DFHCLEAR
                    MOVE -1            TO USERL
                    PERFORM SHOW-WHOLE-SCREEN
                 WHEN OTHER
                    MOVE -1            TO USERL
                    MOVE 'Invalid key. Use ENTER or PF3.' TO WS-MESSAGE
                    PERFORM SHOW-MESSAGE
              END-EVALUATE
           END-IF
           PERFORM WAIT-FOR-KEY
           GOBACK.

       CHECK-THE-USER.
           EXEC CICS RECEIVE
                     MAP   ('BKSGNM')
                     MAPSET('BKSGN')
                     RESP  (WS-RESP)
           END-EXEC
           EVALUATE TRUE
              WHEN USERL OF BKSGNMI = ZERO
              OR   USERI OF BKSGNMI = SPACES OR LOW-VALUES
                 MOVE -1               TO USERL
                 MOVE 'Please enter your user id.'  TO WS-MESSAGE
              WHEN PASSWI OF BKSGNMI = SPACES OR LOW-VALUES
                 MOVE -1               TO PASSWL
                 MOVE 'Please enter your password.' TO WS-MESSAGE
              WHEN OTHER
                 MOVE FUNCTION UPPER-CASE(USERI)  TO WS-USER-ID
                 MOVE FUNCTION UPPER-CASE(PASSWI) TO WS-PASSWORD
                 INSPECT WS-USER-ID  REPLACING ALL LOW-VALUES BY SPACES
                 INSPECT WS-PASSWORD REPLACING ALL LOW-VALUES BY SPACES
                 PERFORM LOOK-UP-THE-USER
           END-EVALUATE
           PERFORM SHOW-MESSAGE.

       LOOK-UP-THE-USER.
           EXEC CICS READ
                     DATASET  (WS-USER-FILE)
                     INTO     (USER-RECORD)
                     LENGTH   (LENGTH OF USER-RECORD)
                     RIDFLD   (WS-USER-ID)
                     KEYLENGTH(LENGTH OF WS-USER-ID)
                     RESP     (WS-RESP)
                     RESP2    (WS-RESP2)
           END-EXEC
           EVALUATE WS-RESP
              WHEN DFHRESP(NORMAL)
                 CALL 'BKHASH' USING WS-USER-ID WS-PASSWORD WS-DIGEST
                 IF WS-DIGEST = USR-DIGEST
                    PERFORM LET-THE-USER-IN
                 ELSE
                    MOVE -1            TO PASSWL
                    MOVE 'Wrong password. Try again.' TO WS-MESSAGE
                 END-IF
              WHEN DFHRESP(NOTFND)
                 MOVE -1               TO USERL
                 MOVE 'Nobody here has that user id. Try again.'
                                       TO WS-MESSAGE
              WHEN OTHER
                 MOVE -1               TO USERL
                 MOVE WS-USER-FILE     TO WS-BAD-FILE
                 MOVE WS-RESP          TO WS-BAD-RESP
                 MOVE WS-RESP2         TO WS-BAD-RESP2
                 MOVE WS-ABOUT-FILE    TO WS-MESSAGE
           END-EVALUATE.

       LET-THE-USER-IN.
           MOVE USR-ID                 TO BK-USER-ID
           MOVE USR-NAME               TO BK-USER-NAME
           MOVE USR-KIND               TO BK-USER-KIND
           PERFORM HAND-OVER.

       SHOW-WHOLE-SCREEN.
           PERFORM FILL-SCREEN
           EXEC CICS SEND
                     MAP   ('BKSGNM')
                     MAPSET('BKSGN')
                     FROM  (BKSGNMO)
                     ERASE
                     CURSOR
           END-EXEC.

       SHOW-MESSAGE.
           PERFORM FILL-SCREEN
           MOVE LOW-VALUES             TO PASSWO
           EXEC CICS SEND
                     MAP   ('BKSGNM')
                     MAPSET('BKSGN')
                     FROM  (BKSGNMO)
                     DATAONLY
                     ALARM
                     CURSOR
           END-EXEC.

       FILL-SCREEN.
           EXEC CICS ASSIGN
                     APPLID(APPLO OF BKSGNMO)
                     SYSID (SYSIDO OF BKSGNMO)
           END-EXEC
           PERFORM FILL-HEADER.

       SAY-GOODBYE.
           EXEC CICS SEND TEXT
                     FROM  (WS-GOODBYE)
                     LENGTH(LENGTH OF WS-GOODBYE)
                     ERASE
                     FREEKB
           END-EXEC
           EXEC CICS RETURN
           END-EXEC.

       COPY BKHEAD REPLACING ==:MAP:== BY ==BKSGNM==.
       COPY BKLEAVE.
