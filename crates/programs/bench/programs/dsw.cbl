      * A transaction of the kind that DSW has: files, queues, storage
      * and a program below. It leaves everything as it was.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. DSW.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 WS-KEY PIC 9(8) VALUE 0.
       01 WS-RECORD PIC X(200).
       01 WS-AREA PIC X(100) VALUE 'REQUEST'.
       01 WS-POINTER POINTER.
       PROCEDURE DIVISION.
           EXEC CICS GETMAIN SET(WS-POINTER) FLENGTH(200) END-EXEC.
           EXEC CICS GETMAIN SET(WS-POINTER) FLENGTH(200) BELOW
                END-EXEC.
           PERFORM 10 TIMES
              EXEC CICS READ FILE('RECORDS') INTO(WS-RECORD)
                   RIDFLD(WS-KEY) END-EXEC
           END-PERFORM.
           PERFORM 3 TIMES
              EXEC CICS READ FILE('RECORDS') INTO(WS-RECORD)
                   RIDFLD(WS-KEY) UPDATE END-EXEC
              EXEC CICS REWRITE FILE('RECORDS') FROM(WS-RECORD)
                   END-EXEC
           END-PERFORM.
           EXEC CICS STARTBR FILE('RECORDS') RIDFLD(WS-KEY) END-EXEC.
           EXEC CICS READNEXT FILE('RECORDS') INTO(WS-RECORD)
                RIDFLD(WS-KEY) END-EXEC.
           EXEC CICS ENDBR FILE('RECORDS') END-EXEC.
           PERFORM 2 TIMES
              EXEC CICS LINK PROGRAM('LINKED') COMMAREA(WS-AREA)
                   END-EXEC
           END-PERFORM.
           PERFORM 3 TIMES
              EXEC CICS WRITEQ TS QUEUE('DSWQUEUE') FROM(WS-AREA)
                   END-EXEC
           END-PERFORM.
           EXEC CICS DELETEQ TS QUEUE('DSWQUEUE') END-EXEC.
           EXEC CICS RETURN END-EXEC.
