      ******************************************************************
      * BKSEQN    Gives the next number of a series: LINKed with a
      *           COMMAREA. One task at a time: the enqueue keeps the
      *           others waiting, also while the series' first record
      *           does not exist yet.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BKSEQN.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                         PIC S9(08) COMP.
       01  WS-RESOURCE.
           05  FILLER                      PIC X(07) VALUE 'BKSEQN.'.
           05  WS-RESOURCE-SERIES          PIC X(08).
       COPY BKRCTL.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  DFH-SERIES                  PIC X(08).
           05  DFH-GIVEN                   PIC 9(08).
       PROCEDURE DIVISION.
       MAIN-LINE.
           MOVE DFH-SERIES             TO WS-RESOURCE-SERIES
           EXEC CICS ENQ
                     RESOURCE(WS-RESOURCE)
                     LENGTH  (LENGTH OF WS-RESOURCE)
           END-EXEC
           EXEC CICS READ
                     FILE  ('BKCTRL')
                     INTO  (CONTROL-RECORD)
                     RIDFLD(DFH-SERIES)
                     UPDATE
                     RESP  (WS-RESP)
           END-EXEC
           EVALUATE WS-RESP
              WHEN DFHRESP(NORMAL)
                 ADD 1                 TO CTL-LAST
                 EXEC CICS REWRITE
                           FILE('BKCTRL')
                           FROM(CONTROL-RECORD)
                 END-EXEC
              WHEN DFHRESP(NOTFND)
                 PERFORM BEGIN-THE-SERIES
              WHEN OTHER
                 EXEC CICS ABEND ABCODE('BKSQ') END-EXEC
           END-EVALUATE
           MOVE CTL-LAST               TO DFH-GIVEN
           EXEC CICS DEQ
                     RESOURCE(WS-RESOURCE)
                     LENGTH  (LENGTH OF WS-RESOURCE)
           END-EXEC
           EXEC CICS RETURN END-EXEC
           GOBACK.

       BEGIN-THE-SERIES.
           MOVE SPACES                 TO CONTROL-RECORD
           MOVE DFH-SERIES             TO CTL-SERIES
           EVALUATE DFH-SERIES
              WHEN 'CUSTOMER'
                 MOVE 900001           TO CTL-LAST
              WHEN 'ACCOUNT'
                 MOVE 90000001         TO CTL-LAST
              WHEN OTHER
                 MOVE 10001            TO CTL-LAST
           END-EVALUATE
           EXEC CICS WRITE
                     FILE  ('BKCTRL')
                     FROM  (CONTROL-RECORD)
                     RIDFLD(DFH-SERIES)
           END-EXEC.
