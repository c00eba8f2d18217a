      ******************************************************************
      * DSWTASK  DSWT   A task of the workload: every second one asks
      *          for records of files, six requests; the others write
      *          and read temporary storage. A terminal's tasks go
      *          through a round of a hundred, in which the requests
      *          are 207 READs, 30 READs for update, 27 REWRITEs,
      *          33 WRITEs and 3 DELETEs.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. DSWTASK.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                     PIC S9(8) COMP VALUE ZERO.
       01  WS-HALF                     PIC S9(8) COMP.
       01  WS-ODD                      PIC S9(8) COMP.
       01  WS-PLACE                    PIC S9(8) COMP.
       01  WS-TURN                     PIC S9(8) COMP VALUE ZERO.
       01  WS-WORK                     PIC S9(8) COMP.
       01  WS-READS                    PIC S9(8) COMP.
       01  WS-WRITES                   PIC S9(8) COMP.
       01  WS-TASK                     PIC S9(8) COMP.
       01  WS-SYSID                    PIC X(4).
       01  WS-APPLID                   PIC X(8).
       01  WS-FILE.
           05  FILLER                  PIC X(4) VALUE 'DSWF'.
           05  WS-FILE-NUMBER          PIC 99.
           05  FILLER                  PIC X(2) VALUE SPACES.
       01  WS-RECORD.
           05  REC-KEY.
               10  REC-KIND            PIC X(01).
               10  REC-NUMBER          PIC 9(15).
           05  REC-ADDED REDEFINES REC-KEY.
               10  FILLER              PIC X(01).
               10  REC-SYSID           PIC X(04).
               10  REC-TERMINAL        PIC X(04).
               10  REC-TASK            PIC 9(06).
               10  REC-TURN            PIC 9(01).
           05  REC-COUNT               PIC 9(08).
           05  REC-TEXT                PIC X(76).
       01  WS-KEY                      PIC X(16).
       01  WS-QUEUE.
           05  FILLER                  PIC X(4) VALUE 'DSW-'.
           05  WS-QUEUE-TERMINAL       PIC X(4).
       01  WS-ITEM                     PIC X(80) VALUE ALL 'ITEM'.
       01  WS-DONE.
           05  WS-DONE-READS           PIC 9.
           05  FILLER                  PIC X(6) VALUE ' read '.
           05  WS-DONE-CHANGES         PIC 9.
           05  FILLER                  PIC X(8) VALUE ' changed'.
       01  WS-TROUBLE.
           05  FILLER                  PIC X(11) VALUE 'FAILED RESP'.
           05  WS-TROUBLE-RESP         PIC ZZZ9.
           05  FILLER                  PIC X(9) VALUE ' in place'.
           05  WS-TROUBLE-PLACE        PIC ZZZ9.
       01  WS-STATE.
           05  ST-NUMBER               PIC 9(3).
           05  ST-ADDED-FILE           PIC X(8).
           05  ST-ADDED-KEY            PIC X(16).
       COPY DSWSET.
       LINKAGE SECTION.
       01  DFHCOMMAREA                 PIC X(27).
       PROCEDURE DIVISION.
       MAIN-LINE.
           MOVE LOW-VALUES             TO DSWMAPO
           EXEC CICS ASSIGN SYSID(WS-SYSID) APPLID(WS-APPLID) END-EXEC
           MOVE EIBTASKN               TO WS-TASK
           MOVE WS-TASK                TO TASKO
           MOVE WS-APPLID              TO REGIONO
           IF EIBCALEN = 0
              MOVE SPACES              TO WS-STATE
              MOVE 0                   TO ST-NUMBER
              MOVE 'READY'             TO OUTCOMEO
              EXEC CICS SEND MAP('DSWMAP') MAPSET('DSWSET') ERASE
              END-EXEC
           ELSE
              MOVE DFHCOMMAREA         TO WS-STATE
              EXEC CICS RECEIVE MAP('DSWMAP') MAPSET('DSWSET')
                        RESP(WS-RESP)
              END-EXEC
              MOVE DFHRESP(NORMAL)     TO WS-RESP
              PERFORM WORK
              MOVE LOW-VALUES          TO DSWMAPO
              MOVE WS-TASK             TO TASKO
              MOVE WS-APPLID           TO REGIONO
              MOVE WS-DONE             TO DONEO
              IF WS-RESP = DFHRESP(NORMAL)
                 MOVE 'DONE'           TO OUTCOMEO
              ELSE
                 MOVE WS-RESP          TO WS-TROUBLE-RESP
                 MOVE ST-NUMBER        TO WS-TROUBLE-PLACE
                 MOVE WS-TROUBLE       TO OUTCOMEO
                 EXEC CICS SYNCPOINT ROLLBACK END-EXEC
              END-IF
              ADD 1                    TO ST-NUMBER
              IF ST-NUMBER > 99
                 MOVE 0                TO ST-NUMBER
              END-IF
              EXEC CICS SEND MAP('DSWMAP') MAPSET('DSWSET') DATAONLY
              END-EXEC
           END-IF
           EXEC CICS RETURN TRANSID(EIBTRNID) COMMAREA(WS-STATE)
                     LENGTH(LENGTH OF WS-STATE)
           END-EXEC
           GOBACK.

       WORK.
           MOVE 0                      TO WS-DONE-READS WS-DONE-CHANGES
           DIVIDE ST-NUMBER BY 2 GIVING WS-HALF REMAINDER WS-ODD
           IF WS-ODD = 0
              PERFORM WORK-WITH-FILES
           ELSE
              PERFORM WORK-WITH-A-QUEUE
           END-IF.

      * The places of a round are mixed, so that changes are spread
      * over it: 27 with a REWRITE, 3 with a DELETE, 20 with WRITEs.
       WORK-WITH-FILES.
           MULTIPLY 37                 BY WS-HALF
           DIVIDE WS-HALF BY 50 GIVING WS-WORK REMAINDER WS-PLACE
           EVALUATE TRUE
              WHEN WS-PLACE < 27
                 MOVE 4                TO WS-READS
                 MOVE 0                TO WS-WRITES
              WHEN WS-PLACE < 30
                 MOVE 4                TO WS-READS
                 MOVE 0                TO WS-WRITES
              WHEN WS-PLACE < 43
                 MOVE 4                TO WS-READS
                 MOVE 2                TO WS-WRITES
              WHEN OTHER
                 MOVE 5                TO WS-READS
                 MOVE 1                TO WS-WRITES
           END-EVALUATE
           PERFORM READ-RECORD WS-READS TIMES
           EVALUATE TRUE
              WHEN WS-PLACE < 27
                 PERFORM REWRITE-RECORD
              WHEN WS-PLACE < 30
                 PERFORM DELETE-RECORD
              WHEN OTHER
                 PERFORM WRITE-RECORD WS-WRITES TIMES
           END-EVALUATE.

      * Files and keys follow from the number of the task.
       NEXT-RECORD.
           ADD 1                       TO WS-TURN
           COMPUTE WS-WORK = WS-TASK + WS-TURN * 5
           DIVIDE WS-WORK BY 16 GIVING WS-HALF REMAINDER WS-WORK
           ADD 1 WS-WORK               GIVING WS-FILE-NUMBER
           MULTIPLY 389 BY WS-TASK GIVING WS-WORK
           COMPUTE WS-WORK = WS-WORK + WS-TURN * 617
           DIVIDE WS-WORK BY 1000 GIVING WS-HALF REMAINDER WS-WORK
           MOVE 'B'                    TO REC-KIND
           MOVE WS-WORK                TO REC-NUMBER
           MOVE REC-KEY                TO WS-KEY.

       READ-RECORD.
           IF WS-RESP = DFHRESP(NORMAL)
              PERFORM NEXT-RECORD
              EXEC CICS READ FILE(WS-FILE) INTO(WS-RECORD)
                        RIDFLD(WS-KEY) RESP(WS-RESP)
              END-EXEC
              ADD 1                    TO WS-DONE-READS
           END-IF.

       REWRITE-RECORD.
           IF WS-RESP = DFHRESP(NORMAL)
              PERFORM NEXT-RECORD
              EXEC CICS READ FILE(WS-FILE) INTO(WS-RECORD)
                        RIDFLD(WS-KEY) UPDATE RESP(WS-RESP)
              END-EXEC
           END-IF
           IF WS-RESP = DFHRESP(NORMAL)
              ADD 1                    TO REC-COUNT
              EXEC CICS REWRITE FILE(WS-FILE) FROM(WS-RECORD)
                        RESP(WS-RESP)
              END-EXEC
              ADD 1                    TO WS-DONE-READS
              ADD 1                    TO WS-DONE-CHANGES
           END-IF.

      * The record that this terminal has added last. One that has
      * added none deletes none.
       DELETE-RECORD.
           IF ST-ADDED-FILE = SPACES
              PERFORM REWRITE-RECORD
           ELSE
              PERFORM DELETE-ADDED-RECORD
           END-IF.

       DELETE-ADDED-RECORD.
           IF WS-RESP = DFHRESP(NORMAL)
              MOVE ST-ADDED-FILE       TO WS-FILE
              MOVE ST-ADDED-KEY        TO WS-KEY
              EXEC CICS READ FILE(WS-FILE) INTO(WS-RECORD)
                        RIDFLD(WS-KEY) UPDATE RESP(WS-RESP)
              END-EXEC
           END-IF
           IF WS-RESP = DFHRESP(NORMAL)
              EXEC CICS DELETE FILE(WS-FILE) RESP(WS-RESP) END-EXEC
              MOVE SPACES              TO ST-ADDED-FILE
              ADD 1                    TO WS-DONE-READS
              ADD 1                    TO WS-DONE-CHANGES
           END-IF.

      * A key of this region, terminal and task is nobody else's. One
      * that is there already is of an earlier life of this region.
       WRITE-RECORD.
           IF WS-RESP = DFHRESP(NORMAL)
              PERFORM NEXT-RECORD
              MOVE 'A'                 TO REC-KIND
              MOVE WS-SYSID            TO REC-SYSID
              MOVE EIBTRMID            TO REC-TERMINAL
              MOVE WS-TASK             TO REC-TASK
              MOVE WS-TURN             TO REC-TURN
              MOVE ZERO                TO REC-COUNT
              MOVE ALL 'MORE'          TO REC-TEXT
              MOVE REC-KEY             TO WS-KEY
              EXEC CICS WRITE FILE(WS-FILE) FROM(WS-RECORD)
                        RIDFLD(WS-KEY) RESP(WS-RESP)
              END-EXEC
              IF WS-RESP = DFHRESP(DUPREC)
                 MOVE DFHRESP(NORMAL)  TO WS-RESP
              END-IF
              MOVE WS-FILE             TO ST-ADDED-FILE
              MOVE WS-KEY              TO ST-ADDED-KEY
              ADD 1                    TO WS-DONE-CHANGES
           END-IF.

       WORK-WITH-A-QUEUE.
           MOVE EIBTRMID               TO WS-QUEUE-TERMINAL
           EXEC CICS WRITEQ TS QUEUE(WS-QUEUE) FROM(WS-ITEM)
                     RESP(WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              EXEC CICS READQ TS QUEUE(WS-QUEUE) INTO(WS-ITEM) ITEM(1)
                        RESP(WS-RESP)
              END-EXEC
           END-IF
           IF WS-RESP = DFHRESP(NORMAL) AND ST-NUMBER = 99
              EXEC CICS DELETEQ TS QUEUE(WS-QUEUE) RESP(WS-RESP)
              END-EXEC
           END-IF.
