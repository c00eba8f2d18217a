      ******************************************************************
      * AUTIMP    AIMP   Imports a batch of card accounts (queue AUTI):
      *                  the header brings the portfolio's master key
      *                  under the key-encrypting key, which the HSM
      *                  turns into a cryptogram of its own; each detail
      *                  is a card; the trailer says how many.
      *
      *           A card that is known already keeps its counter. What
      *           came of it goes to queue AUTR; a thousand cards are a
      *           unit of work, so that a batch may be imported again
      *           after it was broken off.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. AUTIMP.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                         PIC S9(08) COMP.
       01  WS-LENGTH                       PIC S9(04) COMP.
       01  WS-BATCH                        PIC X(01) VALUE 'H'.
           88  HEADER-IS-NEXT                  VALUE 'H'.
           88  DETAIL-IS-NEXT                  VALUE 'D'.
           88  BATCH-IS-OVER                   VALUE 'E'.
       01  WS-CARDS                        PIC 9(09) VALUE ZERO.
       01  WS-NEW                          PIC 9(09) VALUE ZERO.
       01  WS-KNOWN                        PIC 9(09) VALUE ZERO.
       01  WS-UNCOMMITTED                  PIC S9(08) COMP VALUE ZERO.
       01  WS-UNIT                         PIC S9(08) COMP VALUE 1000.
       01  WS-TELL-EVERY                   PIC S9(08) COMP VALUE 100000.
       01  WS-TOLD                         PIC S9(08) COMP.
       01  WS-UNTOLD                       PIC S9(08) COMP.
       01  WS-ERROR                        PIC X(60) VALUE SPACES.
       01  WS-REPORT                       PIC X(100).
       01  WS-PORTFOLIO                    PIC X(04).
       01  WS-CHECK-VALUE                  PIC X(06).
       01  BATCH-LINE.
           05  BATCH-TYPE                  PIC X(01).
           05  BATCH-HEADER.
               10  BH-BIN                  PIC X(08).
               10  BH-PORTFOLIO            PIC X(04).
               10  BH-KEY                  PIC X(33).
               10  BH-CHECK-VALUE          PIC X(06).
               10  FILLER                  PIC X(28).
           05  BATCH-DETAIL REDEFINES BATCH-HEADER.
               10  BD-PAN                  PIC X(19).
               10  BD-SEQUENCE             PIC X(02).
               10  BD-EXPIRY               PIC X(04).
               10  BD-SERVICE-CODE         PIC X(03).
               10  FILLER                  PIC X(51).
           05  BATCH-TRAILER REDEFINES BATCH-HEADER.
               10  BT-CARDS                PIC 9(09).
               10  FILLER                  PIC X(70).
       COPY AUTRCFG.
       COPY AUTRKEY.
       COPY AUTRACC.
       COPY AUTHSMP.
       PROCEDURE DIVISION.
       MAIN-LINE.
           PERFORM UNTIL BATCH-IS-OVER
              PERFORM READ-LINE
              IF NOT BATCH-IS-OVER
                 PERFORM TAKE-LINE
              END-IF
           END-PERFORM
      * The report says what is committed.
           IF WS-ERROR = SPACES
              EXEC CICS SYNCPOINT END-EXEC
           ELSE
              EXEC CICS SYNCPOINT ROLLBACK END-EXEC
           END-IF
           PERFORM WRITE-REPORT
           EXEC CICS RETURN END-EXEC
           GOBACK.

       READ-LINE.
           MOVE SPACES                 TO BATCH-LINE
           MOVE LENGTH OF BATCH-LINE   TO WS-LENGTH
           EXEC CICS READQ TD QUEUE('AUTI') INTO(BATCH-LINE)
                     LENGTH(WS-LENGTH) RESP(WS-RESP)
           END-EXEC
           EVALUATE TRUE
              WHEN WS-RESP = DFHRESP(NORMAL)
                 CONTINUE
              WHEN HEADER-IS-NEXT
                 MOVE 'there is no batch to import' TO WS-ERROR
                 SET BATCH-IS-OVER     TO TRUE
              WHEN OTHER
                 MOVE 'the batch ends without a trailer' TO WS-ERROR
                 SET BATCH-IS-OVER     TO TRUE
           END-EVALUATE.

       TAKE-LINE.
           EVALUATE TRUE
              WHEN HEADER-IS-NEXT AND BATCH-TYPE = 'H'
                 PERFORM TAKE-HEADER
              WHEN DETAIL-IS-NEXT AND BATCH-TYPE = 'D'
                 PERFORM TAKE-DETAIL
              WHEN DETAIL-IS-NEXT AND BATCH-TYPE = 'T'
                 PERFORM TAKE-TRAILER
              WHEN OTHER
                 MOVE 'a line is not where it belongs' TO WS-ERROR
                 SET BATCH-IS-OVER     TO TRUE
           END-EVALUATE.

      * A6: import a key of type 109 (portfolio) under a KEK.
       TAKE-HEADER.
           SET DETAIL-IS-NEXT          TO TRUE
           MOVE BH-PORTFOLIO           TO WS-PORTFOLIO
           EXEC CICS READ FILE('AUTCFG') INTO(CONFIG-RECORD)
                     RIDFLD('CONFIG  ') RESP(WS-RESP)
           END-EXEC
           MOVE 1                      TO WS-LENGTH
           STRING 'A6109' CFG-KEK BH-KEY 'U' DELIMITED BY SIZE
                  INTO HP-COMMAND WITH POINTER WS-LENGTH
           END-STRING
           COMPUTE HP-COMMAND-LENGTH = WS-LENGTH - 1
           CALL 'AUTHSM' USING DFHEIBLK DFHCOMMAREA AUTHSMP
           MOVE HP-FIELDS(34:6)        TO WS-CHECK-VALUE
           EVALUATE TRUE
              WHEN WS-RESP NOT = DFHRESP(NORMAL)
                 MOVE 'there is no record CONFIG' TO WS-ERROR
              WHEN HP-NO-HSM
                 MOVE 'no HSM answers' TO WS-ERROR
              WHEN HP-ERROR NOT = '00'
                 STRING 'the HSM refuses the key: error ' HP-ERROR
                        DELIMITED BY SIZE INTO WS-ERROR
                 END-STRING
              WHEN WS-CHECK-VALUE NOT = BH-CHECK-VALUE
                 MOVE 'the check value is not that of the key'
                                       TO WS-ERROR
              WHEN OTHER
                 PERFORM KEEP-KEY
           END-EVALUATE
           IF WS-ERROR NOT = SPACES
              SET BATCH-IS-OVER        TO TRUE
           END-IF.

       KEEP-KEY.
           MOVE WS-PORTFOLIO           TO KEY-PORTFOLIO
           EXEC CICS READ FILE('AUTKEY') INTO(KEY-RECORD)
                     RIDFLD(KEY-PORTFOLIO) UPDATE RESP(WS-RESP)
           END-EXEC
           MOVE SPACES                 TO KEY-RECORD
           MOVE WS-PORTFOLIO           TO KEY-PORTFOLIO
           MOVE HP-FIELDS(1:33)        TO KEY-CRYPTOGRAM
           MOVE WS-CHECK-VALUE         TO KEY-CHECK-VALUE
           IF WS-RESP = DFHRESP(NORMAL)
              EXEC CICS REWRITE FILE('AUTKEY') FROM(KEY-RECORD)
              END-EXEC
           ELSE
              EXEC CICS WRITE FILE('AUTKEY') FROM(KEY-RECORD)
                        RIDFLD(KEY-PORTFOLIO) RESP(WS-RESP)
              END-EXEC
      * Another region that shares the records may be a moment earlier.
              IF WS-RESP NOT = DFHRESP(NORMAL)
                 AND WS-RESP NOT = DFHRESP(DUPREC)
                 MOVE 'the key cannot be written' TO WS-ERROR
              END-IF
           END-IF.

       TAKE-DETAIL.
           ADD 1                       TO WS-CARDS
           MOVE SPACES                 TO ACCOUNT-RECORD
           MOVE BD-PAN                 TO ACC-PAN
           MOVE BD-SEQUENCE            TO ACC-SEQUENCE
           MOVE WS-PORTFOLIO           TO ACC-PORTFOLIO
           MOVE BD-EXPIRY              TO ACC-EXPIRY
           MOVE BD-SERVICE-CODE        TO ACC-SERVICE-CODE
           MOVE ZERO                   TO ACC-COUNTER ACC-TIME-BLOCK
                                          ACC-REFUSED
                                          ACC-LAST-RETURN-CODE
           EXEC CICS WRITE FILE('AUTACCT') FROM(ACCOUNT-RECORD)
                     RIDFLD(ACC-KEY) RESP(WS-RESP)
           END-EXEC
           EVALUATE WS-RESP
              WHEN DFHRESP(NORMAL)
                 ADD 1                 TO WS-NEW
              WHEN DFHRESP(DUPREC)
                 ADD 1                 TO WS-KNOWN
              WHEN OTHER
                 MOVE 'an account cannot be written' TO WS-ERROR
                 SET BATCH-IS-OVER     TO TRUE
           END-EVALUATE
           ADD 1                       TO WS-UNCOMMITTED
           IF WS-UNCOMMITTED >= WS-UNIT
              EXEC CICS SYNCPOINT END-EXEC
              MOVE ZERO                TO WS-UNCOMMITTED
              PERFORM TELL-PROGRESS
           END-IF.

       TELL-PROGRESS.
           DIVIDE WS-CARDS BY WS-TELL-EVERY GIVING WS-TOLD
                  REMAINDER WS-UNTOLD
           IF WS-UNTOLD = ZERO
              DISPLAY 'AUTIMP: ' WS-CARDS ' cards so far'
           END-IF.

       TAKE-TRAILER.
           SET BATCH-IS-OVER           TO TRUE
           IF BT-CARDS NOT = WS-CARDS
              MOVE 'the trailer counts other cards' TO WS-ERROR
           END-IF.

       WRITE-REPORT.
           MOVE SPACES                 TO WS-REPORT
           IF WS-ERROR = SPACES
              STRING 'portfolio ' WS-PORTFOLIO ': ' WS-NEW ' new, '
                     WS-KNOWN ' known already' DELIMITED BY SIZE
                     INTO WS-REPORT
              END-STRING
           ELSE
              STRING 'after ' WS-CARDS ' cards: ' WS-ERROR
                     DELIMITED BY SIZE INTO WS-REPORT
              END-STRING
           END-IF
           DISPLAY 'AUTIMP: ' WS-REPORT
           MOVE LENGTH OF WS-REPORT    TO WS-LENGTH
           EXEC CICS WRITEQ TD QUEUE('AUTR') FROM(WS-REPORT)
                     LENGTH(WS-LENGTH) RESP(WS-RESP)
           END-EXEC.
