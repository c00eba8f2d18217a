      ******************************************************************
      * AUTVER    One authentication, called by both APIs.
      *
      *           BIN and sub-BIN tell the portfolio and where the code
      *           is; the Key table has the portfolio's master key (its
      *           cryptogram); the account has the last counter. The
      *           account's record is locked from before the HSM is
      *           asked until the caller's syncpoint: two terminals with
      *           one code cannot both be told that it is good.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. AUTVER.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                         PIC S9(08) COMP.
       01  WS-POSITION                     PIC S9(04) COMP.
       01  WS-FIELD                        PIC S9(04) COMP.
       01  WS-FROM                         PIC S9(04) COMP.
       01  WS-LENGTH                       PIC S9(04) COMP.
       01  WS-LAST                         PIC S9(04) COMP.
       01  WS-LENGTH-DIGIT                 PIC 9(01).
      * Which of the sub-fields the code value is.
       01  WS-CV                           PIC S9(04) COMP VALUE 2.
      * From 14 October 1582 to 1 January 1970.
       01  WS-UNIX-EPOCH                   COMP-2 VALUE 12219379200.
       01  WS-LILIAN                       PIC S9(09) COMP.
       01  WS-SECONDS                      COMP-2.
       01  WS-UNIX-SECONDS                 PIC S9(18) COMP-5.
       01  WS-FEEDBACK                     PIC X(12).
       01  WS-TIME-BLOCK                   PIC 9(10).
       01  WS-TODAY                        PIC X(04).
       01  WS-PICTURE.
           05  FILLER                      PIC S9(04) COMP VALUE 17.
           05  FILLER                      PIC X(17)
                   VALUE 'YYYYMMDDHHMISS999'.
       01  WS-STAMP                        PIC X(80).
       01  WS-HSM-ERROR                    PIC X(02).
       01  WS-WINDOW                       PIC 9(04).
       01  WS-LAYOUT.
           05  WS-SUB-FIELD                OCCURS 4.
               10  WS-SUB-POSITION         PIC 9(02).
               10  WS-SUB-LENGTH           PIC 9(01).
      * Fields of the response to F2.
       01  WS-VERDICT.
           05  WS-VERDICT-COUNTER          PIC 9(10).
           05  WS-VERDICT-TIME             PIC 9(10).
       01  WS-ACCOUNT-READ                 PIC X(01).
           88  ACCOUNT-READ                    VALUE 'Y'.
       COPY AUTRBIN.
       COPY AUTRKEY.
       COPY AUTRCFG.
       COPY AUTRACC.
       COPY AUTRLOG.
       COPY AUTHSMP.
       LINKAGE SECTION.
       COPY AUTWRK.
       COPY AUTPARM.
       PROCEDURE DIVISION USING AUTWRK AUTPARM.
       MAIN-LINE.
           MOVE 'N'                    TO WS-ACCOUNT-READ
           MOVE SPACES                 TO WS-HSM-ERROR AP-PORTFOLIO
           MOVE ZERO                   TO WS-VERDICT-COUNTER
           SET AP-FAILURE              TO TRUE
           PERFORM CHECK-DIGITS
           IF AP-FAILURE
              PERFORM TELL-TIME
              PERFORM READ-TABLES
           END-IF
      * Without the tables nothing is known of the card.
           IF AP-FAILURE AND WS-RESP = DFHRESP(NORMAL)
              PERFORM READ-ACCOUNT
           END-IF
           IF ACCOUNT-READ
              IF AP-FAILURE
                 PERFORM WRITE-COMMAND
              END-IF
              IF AP-FAILURE
                 PERFORM ASK-HSM
              END-IF
              PERFORM REWRITE-ACCOUNT
           END-IF
           IF CFG-LOG-ON AND NOT AP-MALFORMED
              PERFORM WRITE-LOG
           END-IF
           GOBACK.

       CHECK-DIGITS.
           IF AW-PAN(1:AW-PAN-LENGTH)         NOT NUMERIC
           OR AW-EXPIRY                       NOT NUMERIC
           OR AW-SEQUENCE                     NOT NUMERIC
           OR AW-CARRIER(1:AW-CARRIER-LENGTH) NOT NUMERIC
              SET AP-MALFORMED         TO TRUE
              SET CFG-LOG-OFF          TO TRUE
           END-IF.

       READ-TABLES.
           EXEC CICS READ FILE('AUTCFG') INTO(CONFIG-RECORD)
                     RIDFLD('CONFIG  ') RESP(WS-RESP)
           END-EXEC
           IF WS-RESP NOT = DFHRESP(NORMAL)
              SET CFG-LOG-OFF          TO TRUE
           END-IF
           MOVE AW-PAN(1:8)            TO BIN-KEY
           EXEC CICS READ FILE('AUTBIN') INTO(BIN-RECORD)
                     RIDFLD(BIN-KEY) RESP(WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              MOVE BIN-PORTFOLIO       TO AP-PORTFOLIO KEY-PORTFOLIO
              EXEC CICS READ FILE('AUTKEY') INTO(KEY-RECORD)
                        RIDFLD(KEY-PORTFOLIO) RESP(WS-RESP)
              END-EXEC
           END-IF
      * A BIN without a key is not in service.
           IF WS-RESP = DFHRESP(NOTFND)
              SET AP-UNKNOWN-BIN       TO TRUE
           END-IF.

       TELL-TIME.
           CALL 'CEEGMT' USING WS-LILIAN WS-SECONDS WS-FEEDBACK
           CALL 'CEEDATM' USING WS-SECONDS WS-PICTURE WS-STAMP
                                WS-FEEDBACK
           MOVE WS-STAMP(3:4)          TO WS-TODAY.

       READ-ACCOUNT.
           MOVE AW-PAN                 TO ACC-PAN
           MOVE AW-SEQUENCE            TO ACC-SEQUENCE
           EXEC CICS READ FILE('AUTACCT') INTO(ACCOUNT-RECORD)
                     RIDFLD(ACC-KEY) UPDATE RESP(WS-RESP)
           END-EXEC
           EVALUATE TRUE
              WHEN WS-RESP = DFHRESP(NOTFND)
                 SET AP-UNKNOWN-ACCOUNT TO TRUE
              WHEN WS-RESP NOT = DFHRESP(NORMAL)
                 CONTINUE
              WHEN OTHER
                 SET ACCOUNT-READ      TO TRUE
                 IF AW-EXPIRY < WS-TODAY OR NOT = ACC-EXPIRY
                    SET AP-EXPIRED     TO TRUE
                 END-IF
           END-EVALUATE.

      * Command F2: its fields stand in the HSM's documentation.
       WRITE-COMMAND.
           PERFORM CHOOSE-LAYOUT
           IF AW-SERVICE-CODE = SPACES
              MOVE ACC-SERVICE-CODE    TO AW-SERVICE-CODE
           END-IF
           PERFORM TELL-TIME-BLOCK
           MOVE 1                      TO WS-POSITION
           STRING 'F2'                    DELIMITED BY SIZE
                  KEY-CRYPTOGRAM          DELIMITED BY SIZE
                  AW-PAN(1:AW-PAN-LENGTH) DELIMITED BY SIZE
                  ';'                     DELIMITED BY SIZE
                  AW-SEQUENCE             DELIMITED BY SIZE
                  AW-EXPIRY               DELIMITED BY SIZE
                  AW-SERVICE-CODE         DELIMITED BY SIZE
                  ACC-COUNTER             DELIMITED BY SIZE
                  WS-WINDOW               DELIMITED BY SIZE
                  WS-TIME-BLOCK           DELIMITED BY SIZE
                  BIN-TOLERANCE           DELIMITED BY SIZE
                  INTO HP-COMMAND WITH POINTER WS-POSITION
           END-STRING
           PERFORM ADD-SUB-FIELD
                   VARYING WS-FIELD FROM 1 BY 1 UNTIL WS-FIELD > 4
           MOVE WS-POSITION            TO HP-COMMAND-LENGTH
           SUBTRACT 1                  FROM HP-COMMAND-LENGTH.

      * A code without TIB knows no time.
       TELL-TIME-BLOCK.
           IF WS-SUB-LENGTH(1) = 0
              MOVE ZERO                TO WS-TIME-BLOCK
           ELSE
              COMPUTE WS-UNIX-SECONDS = WS-SECONDS - WS-UNIX-EPOCH
              COMPUTE WS-TIME-BLOCK =
                 (WS-UNIX-SECONDS - BIN-TIME-BEGIN) / BIN-TIME-UNIT
           END-IF.

       CHOOSE-LAYOUT.
           MOVE BIN-NP-WINDOW          TO WS-WINDOW
           EVALUATE TRUE
              WHEN AW-CARD-PRESENT
                 MOVE BIN-WINDOW       TO WS-WINDOW
                 MOVE BIN-CP-LAYOUT    TO WS-LAYOUT
              WHEN AW-CARRIER-LENGTH = 3
                 MOVE BIN-N3-LAYOUT    TO WS-LAYOUT
              WHEN OTHER
                 MOVE BIN-N4-LAYOUT    TO WS-LAYOUT
           END-EVALUATE
           IF WS-SUB-LENGTH(WS-CV) = ZERO
              SET AP-MALFORMED         TO TRUE
           END-IF.

       ADD-SUB-FIELD.
           MOVE WS-SUB-LENGTH(WS-FIELD) TO WS-LENGTH-DIGIT
           MOVE WS-LENGTH-DIGIT        TO HP-COMMAND(WS-POSITION:1)
           ADD 1                       TO WS-POSITION
           MOVE WS-LENGTH-DIGIT        TO WS-LENGTH
           IF WS-LENGTH > 0
              MOVE WS-SUB-POSITION(WS-FIELD) TO WS-FROM
              MOVE WS-FROM             TO WS-LAST
              ADD WS-LENGTH            TO WS-LAST
              SUBTRACT 1               FROM WS-LAST
              IF WS-LAST > AW-CARRIER-LENGTH
                 SET AP-MALFORMED      TO TRUE
              ELSE
                 MOVE AW-CARRIER(WS-FROM:WS-LENGTH)
                                 TO HP-COMMAND(WS-POSITION:WS-LENGTH)
                 ADD WS-LENGTH         TO WS-POSITION
              END-IF
           END-IF.

       ASK-HSM.
           CALL 'AUTHSM' USING DFHEIBLK DFHCOMMAREA AUTHSMP
           IF HP-NO-HSM
              SET AP-NO-HSM            TO TRUE
           ELSE
              MOVE HP-ERROR            TO WS-HSM-ERROR
              EVALUATE HP-ERROR
                 WHEN '00'
                    MOVE HP-FIELDS(1:20) TO WS-VERDICT
                    MOVE WS-VERDICT-COUNTER TO ACC-COUNTER
                    MOVE WS-VERDICT-TIME TO ACC-TIME-BLOCK
                    SET AP-AUTHENTIC   TO TRUE
                 WHEN '01'
                    SET AP-WRONG       TO TRUE
                 WHEN '02'
                    MOVE HP-FIELDS(1:10) TO WS-VERDICT-COUNTER
                    SET AP-REPLAYED    TO TRUE
                 WHEN '03'
                    SET AP-OUTSIDE-WINDOW TO TRUE
                 WHEN '04'
                    SET AP-OUTSIDE-TIME TO TRUE
                 WHEN OTHER
                    CONTINUE
              END-EVALUATE
           END-IF.

       REWRITE-ACCOUNT.
           MOVE AP-RETURN-CODE         TO ACC-LAST-RETURN-CODE
           MOVE WS-STAMP(1:17)         TO ACC-LAST-STAMP
           IF AP-AUTHENTIC
              MOVE ZERO                TO ACC-REFUSED
           ELSE
              IF ACC-REFUSED < 99999
                 ADD 1                 TO ACC-REFUSED
              END-IF
           END-IF
           EXEC CICS REWRITE FILE('AUTACCT') FROM(ACCOUNT-RECORD)
                     RESP(WS-RESP)
           END-EXEC
           IF WS-RESP NOT = DFHRESP(NORMAL)
              SET AP-FAILURE           TO TRUE
           END-IF.

       WRITE-LOG.
           MOVE SPACES                 TO LOG-RECORD
           MOVE AW-PAN                 TO LOG-PAN
           MOVE WS-STAMP(1:17)         TO LOG-STAMP
           MOVE AW-KIND                TO LOG-KIND
           MOVE AP-RETURN-CODE         TO LOG-RETURN-CODE
           MOVE WS-HSM-ERROR           TO LOG-HSM-ERROR
           MOVE WS-VERDICT-COUNTER     TO LOG-COUNTER
           MOVE AW-SEQUENCE            TO LOG-SEQUENCE
           MOVE AP-AMOUNT              TO LOG-AMOUNT
           MOVE AP-TERMINAL            TO LOG-TERMINAL
           MOVE AP-MERCHANT            TO LOG-MERCHANT
           PERFORM WITH TEST AFTER UNTIL WS-RESP NOT = DFHRESP(DUPREC)
              EXEC CICS WRITE FILE('AUTLOG') FROM(LOG-RECORD)
                        RIDFLD(LOG-KEY) RESP(WS-RESP)
              END-EXEC
      * Two in one millisecond: the later one is a little later.
              ADD 1                    TO LOG-STAMP-NUMBER
           END-PERFORM
      * An audit trail that cannot be written is no reason to trust.
           IF WS-RESP NOT = DFHRESP(NORMAL)
              SET AP-FAILURE           TO TRUE
           END-IF.
