       IDENTIFICATION DIVISION.
       PROGRAM-ID. JAVAWORK.
      * Work of the kind that the COMMAREA names, so often: C reads a
      * queue in COBOL, L links to a Java program that does nothing,
      * Q links once to one that reads the queue so often, B and O
      * to one that browses 42 records so often, ahead or one by one.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-ITEM                 PIC X(100) VALUE 'ITEM'.
       01  WS-LENGTH               PIC S9(04) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-WORK             PIC X(01).
           05  CA-TIMES            PIC 9(08).
       PROCEDURE DIVISION.
           EVALUATE CA-WORK
              WHEN 'I' PERFORM INITIAL-WORK
              WHEN 'C' PERFORM READ-QUEUE CA-TIMES TIMES
              WHEN 'L' PERFORM LINK-TO-NOTHING CA-TIMES TIMES
              WHEN OTHER
                 EXEC CICS LINK PROGRAM('JWORK')
                      COMMAREA(DFHCOMMAREA) END-EXEC
           END-EVALUATE
           EXEC CICS RETURN END-EXEC.
       INITIAL-WORK.
           EXEC CICS WRITEQ TS QUEUE('BENCHQ') FROM(WS-ITEM)
                MAIN END-EXEC.
       READ-QUEUE.
           MOVE 100 TO WS-LENGTH
           EXEC CICS READQ TS QUEUE('BENCHQ') INTO(WS-ITEM)
                LENGTH(WS-LENGTH) ITEM(1) END-EXEC.
       LINK-TO-NOTHING.
           EXEC CICS LINK PROGRAM('JNONE') END-EXEC.
