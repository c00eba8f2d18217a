      * The data-table study: 50 records of one of two tables. Of ten
      * tasks of a terminal seven read them, three update each.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WLTABLE.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-TENTHS                   PIC S9(8) COMP.
       01  WS-PLACE                    PIC S9(8) COMP.
       01  WS-FIRST                    PIC S9(9) COMP-5.
       01  WS-FILE.
           05  FILLER                  PIC X(5) VALUE 'WLTAB'.
           05  WS-FILE-NUMBER          PIC 9.
           05  FILLER                  PIC X(2) VALUE SPACES.
       01  WS-KEY.
           05  FILLER                  PIC X(8) VALUE '00000000'.
           05  WS-NUMBER               PIC 9(8).
       01  WS-RECORD.
           05  FILLER                  PIC X(16).
           05  WS-CHANGES              PIC S9(8) COMP-5.
           05  FILLER                  PIC X(44).
       COPY WLDATA.
       LINKAGE SECTION.
       01  DFHCOMMAREA                 PIC X(16).
       PROCEDURE DIVISION.
       COPY WLTASK.

      * Keys rise within a task, so that no two of them wait for each
      * other in a circle.
       WORK.
           DIVIDE EIBTASKN BY 2 GIVING WS-TENTHS REMAINDER WS-PLACE
           ADD 1 WS-PLACE              GIVING WS-FILE-NUMBER
           MULTIPLY 7919 BY EIBTASKN GIVING WS-FIRST
           DIVIDE WS-FIRST BY 1150 GIVING WS-TENTHS REMAINDER WS-FIRST
           MOVE WS-FIRST               TO WS-NUMBER
           DIVIDE ST-TASK BY 10 GIVING WS-TENTHS REMAINDER WS-PLACE
           IF WS-PLACE < 3
              PERFORM UPDATE-RECORD 50 TIMES
           ELSE
              PERFORM READ-RECORD 50 TIMES
           END-IF.

      * The first task of all opens the table, which is loaded then.
       READ-RECORD.
           EXEC CICS READ FILE(WS-FILE) INTO(WS-RECORD) RIDFLD(WS-KEY)
                     RESP(WS-RESP)
           END-EXEC
           PERFORM UNTIL WS-RESP NOT = DFHRESP(LOADING)
              EXEC CICS DELAY FOR MILLISECS(100) END-EXEC
              EXEC CICS READ FILE(WS-FILE) INTO(WS-RECORD)
                        RIDFLD(WS-KEY) RESP(WS-RESP)
              END-EXEC
           END-PERFORM
           PERFORM CHECK-RESPONSE
           ADD 977                     TO WS-NUMBER.

       UPDATE-RECORD.
           EXEC CICS READ FILE(WS-FILE) INTO(WS-RECORD) RIDFLD(WS-KEY)
                     UPDATE RESP(WS-RESP)
           END-EXEC
           PERFORM UNTIL WS-RESP NOT = DFHRESP(LOADING)
              EXEC CICS DELAY FOR MILLISECS(100) END-EXEC
              EXEC CICS READ FILE(WS-FILE) INTO(WS-RECORD)
                        RIDFLD(WS-KEY) UPDATE RESP(WS-RESP)
              END-EXEC
           END-PERFORM
           PERFORM CHECK-RESPONSE
           ADD 1                       TO WS-CHANGES
           EXEC CICS REWRITE FILE(WS-FILE) FROM(WS-RECORD) END-EXEC
           ADD 977                     TO WS-NUMBER.

       CHECK-RESPONSE.
           IF WS-RESP NOT = DFHRESP(NORMAL)
              EXEC CICS ABEND ABCODE('WLTB') END-EXEC
           END-IF.
