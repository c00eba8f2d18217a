       IDENTIFICATION DIVISION.
       PROGRAM-ID. WEBN.
      * What DIRN does, on the normal path.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  REQU                    PIC X(08).
       01  REQL                    PIC S9(08) COMP.
       01  RESP.
           05  RESP-KEY            PIC X(08).
           05  RESP-NAME           PIC X(92).
       PROCEDURE DIVISION.
           EXEC CICS WEB RECEIVE INTO(REQU) LENGTH(REQL) MAXLENGTH(8)
           END-EXEC
           MOVE REQU TO RESP-KEY
           MOVE 'NOBODY' TO RESP-NAME
           EXEC CICS WEB SEND FROM(RESP) FROMLENGTH(100)
                     MEDIATYPE('text/plain')
           END-EXEC
           EXEC CICS RETURN END-EXEC.
