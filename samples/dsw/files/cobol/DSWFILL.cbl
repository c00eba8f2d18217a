      * Fills each of the sixteen files with a thousand records at the
      * first start of their region.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. DSWFILL.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                     PIC S9(8) COMP.
       01  WS-FILE.
           05  FILLER                  PIC X(4) VALUE 'DSWF'.
           05  WS-FILE-NUMBER          PIC 99.
           05  FILLER                  PIC X(2) VALUE SPACES.
       01  WS-NUMBER                   PIC S9(8) COMP.
       01  WS-RECORD.
           05  REC-KEY.
               10  REC-KIND            PIC X(01) VALUE 'B'.
               10  REC-NUMBER          PIC 9(15).
           05  REC-COUNT               PIC 9(08) VALUE ZERO.
           05  REC-TEXT                PIC X(76) VALUE ALL 'DATA'.
       PROCEDURE DIVISION.
           PERFORM VARYING WS-FILE-NUMBER FROM 1 BY 1
                   UNTIL WS-FILE-NUMBER > 16
              MOVE 0                   TO REC-NUMBER
              EXEC CICS READ FILE(WS-FILE) INTO(WS-RECORD)
                        RIDFLD(REC-KEY) RESP(WS-RESP)
              END-EXEC
              IF WS-RESP NOT = DFHRESP(NORMAL)
                 PERFORM FILL-FILE
              END-IF
           END-PERFORM
           EXEC CICS RETURN END-EXEC
           GOBACK.

       FILL-FILE.
           PERFORM VARYING WS-NUMBER FROM 0 BY 1 UNTIL WS-NUMBER > 999
              MOVE WS-NUMBER           TO REC-NUMBER
              EXEC CICS WRITE FILE(WS-FILE) FROM(WS-RECORD)
                        RIDFLD(REC-KEY)
              END-EXEC
           END-PERFORM
           EXEC CICS SYNCPOINT END-EXEC.
