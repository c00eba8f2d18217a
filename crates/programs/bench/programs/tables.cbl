      * The data-table transaction: 50 records of one table, read or updated.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. TABLES.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 WS-KEY.
          05 FILLER PIC X(8) VALUE '00000000'.
          05 WS-NUMBER PIC 9(8).
       01 WS-N PIC S9(8) COMP-5.
       01 WS-STEP PIC S9(8) COMP-5.
       01 WS-RECORD.
          05 FILLER PIC X(16).
          05 WS-COUNT PIC S9(8) COMP-5.
          05 FILLER PIC X(44).
       LINKAGE SECTION.
       01 DFHCOMMAREA.
          05 CA-KIND PIC X.
          05 CA-FILE PIC X(8).
          05 CA-FIRST PIC 9(8).
          05 CA-STEP PIC 9(8).
       PROCEDURE DIVISION.
           MOVE CA-FIRST TO WS-NUMBER.
           MOVE CA-FIRST TO WS-N.
           MOVE CA-STEP TO WS-STEP.
           IF CA-KIND = 'U'
              PERFORM UPDATE-RECORD 50 TIMES
           ELSE
              PERFORM READ-RECORD 50 TIMES
           END-IF.
           EXEC CICS RETURN END-EXEC.
       READ-RECORD.
           EXEC CICS READ FILE(CA-FILE) INTO(WS-RECORD)
                RIDFLD(WS-KEY) END-EXEC.
           PERFORM NEXT-KEY.
       UPDATE-RECORD.
           EXEC CICS READ FILE(CA-FILE) INTO(WS-RECORD)
                RIDFLD(WS-KEY) UPDATE END-EXEC.
           ADD 1 TO WS-COUNT.
           EXEC CICS REWRITE FILE(CA-FILE) FROM(WS-RECORD) END-EXEC.
           PERFORM NEXT-KEY.
       NEXT-KEY.
           ADD WS-STEP TO WS-N.
           MOVE WS-N TO WS-NUMBER.
