      * READs of records that are all in memory.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. READS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 WS-KEY PIC 9(8) VALUE 0.
       01 WS-RECORD PIC X(200).
       LINKAGE SECTION.
       01 DFHCOMMAREA.
          05 CA-READS PIC 9(8).
          05 CA-RECORDS PIC 9(8).
          05 CA-STEP PIC 9(8).
       PROCEDURE DIVISION.
           PERFORM CA-READS TIMES
              ADD CA-STEP TO WS-KEY
              IF WS-KEY NOT < CA-RECORDS
                 SUBTRACT CA-RECORDS FROM WS-KEY
              END-IF
              EXEC CICS READ FILE('RECORDS') INTO(WS-RECORD)
                   RIDFLD(WS-KEY) END-EXEC
           END-PERFORM.
           EXEC CICS RETURN END-EXEC.
