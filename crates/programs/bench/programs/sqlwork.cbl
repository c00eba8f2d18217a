       IDENTIFICATION DIVISION.
       PROGRAM-ID. SQLWORK.
      * A unit of work of the kind that the COMMAREA names; N is none,
      * so that only what the others do is measured.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  WS-ID                   PIC S9(09) COMP.
       01  WS-END                  PIC S9(09) COMP.
       01  WS-NAME                 PIC X(30).
       01  WS-BRANCH               PIC X(04).
       01  WS-BALANCE              PIC S9(09)V99 COMP-3.
       01  WS-CHANGES              PIC S9(09) COMP.
       01  WS-RECORD               PIC X(200).
           EXEC SQL
              DECLARE HUNDRED CURSOR FOR
              SELECT NAME, BRANCH, BALANCE, CHANGES FROM ACCOUNT
              WHERE ID >= :WS-ID AND ID < :WS-END
              ORDER BY ID FOR FETCH ONLY
           END-EXEC.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-WORK             PIC X(01).
           05  CA-KEY              PIC 9(08).
       PROCEDURE DIVISION.
           MOVE CA-KEY TO WS-ID
           EVALUATE CA-WORK
              WHEN 'S' PERFORM FIND-ROW
              WHEN 'U' PERFORM CHANGE-ROW
              WHEN 'R' PERFORM CHANGE-RECORD
              WHEN 'B' PERFORM CHANGE-RECORD PERFORM CHANGE-ROW
              WHEN 'C' PERFORM READ-HUNDRED
           END-EVALUATE
           EXEC CICS RETURN END-EXEC.
       FIND-ROW.
           EXEC SQL
              SELECT NAME, BRANCH, BALANCE, CHANGES
                 INTO :WS-NAME, :WS-BRANCH, :WS-BALANCE, :WS-CHANGES
                 FROM ACCOUNT WHERE ID = :WS-ID
           END-EXEC
           PERFORM CHECK-CODE.
       CHANGE-ROW.
           EXEC SQL
              UPDATE ACCOUNT SET CHANGES = CHANGES + 1
                 WHERE ID = :WS-ID
           END-EXEC
           PERFORM CHECK-CODE.
       CHANGE-RECORD.
           EXEC CICS READ FILE('RECORDS') INTO(WS-RECORD)
                RIDFLD(CA-KEY) UPDATE END-EXEC
           EXEC CICS REWRITE FILE('RECORDS') FROM(WS-RECORD)
                END-EXEC.
       READ-HUNDRED.
           ADD 100 TO WS-ID GIVING WS-END
           EXEC SQL OPEN HUNDRED END-EXEC
           PERFORM CHECK-CODE
           PERFORM 100 TIMES
              EXEC SQL
                 FETCH HUNDRED
                 INTO :WS-NAME, :WS-BRANCH, :WS-BALANCE, :WS-CHANGES
              END-EXEC
              PERFORM CHECK-CODE
           END-PERFORM
           EXEC SQL CLOSE HUNDRED END-EXEC
           PERFORM CHECK-CODE.
       CHECK-CODE.
           IF SQLCODE NOT = ZERO
              EXEC CICS ABEND ABCODE('SQLC') END-EXEC
           END-IF.
