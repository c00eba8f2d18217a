       IDENTIFICATION DIVISION.
       PROGRAM-ID. WEBS.
      * What DIRS does, on the normal path.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  WS-ID                   PIC S9(09) COMP.
       01  WS-NAME                 PIC X(30).
       01  REQU                    PIC 9(08).
       01  REQL                    PIC S9(08) COMP.
       01  RESP.
           05  RESP-KEY            PIC 9(08).
           05  RESP-NAME           PIC X(92).
       PROCEDURE DIVISION.
           EXEC CICS WEB RECEIVE INTO(REQU) LENGTH(REQL) MAXLENGTH(8)
           END-EXEC
           MOVE REQU TO WS-ID RESP-KEY
           EXEC SQL
              SELECT NAME INTO :WS-NAME
                 FROM CONTACT WHERE ID = :WS-ID
           END-EXEC
           IF SQLCODE NOT = ZERO
              EXEC CICS ABEND ABCODE('SQLC') END-EXEC
           END-IF
           MOVE WS-NAME TO RESP-NAME
           EXEC CICS WEB SEND FROM(RESP) FROMLENGTH(100)
                     MEDIATYPE('text/plain')
           END-EXEC
           EXEC CICS RETURN END-EXEC.
