       IDENTIFICATION DIVISION.
       PROGRAM-ID. CONTWEB.
      * The normal path: a request is the COMMAREA of the program that
      * its path names.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-LENGTH                   PIC S9(08) COMP.
       01  WS-PATH                     PIC X(40).
       01  WS-PATH-LENGTH              PIC S9(08) COMP VALUE 40.
       01  WS-PROGRAM                  PIC X(08) VALUE 'CONTSQL'.
       01  WS-MESSAGE.
           COPY CONTACT.
       PROCEDURE DIVISION.
           MOVE LOW-VALUES             TO WS-MESSAGE
           EXEC CICS WEB EXTRACT PATH(WS-PATH)
                     PATHLENGTH(WS-PATH-LENGTH)
           END-EXEC
           IF WS-PATH(1:5) = '/vsam'
              MOVE 'CONTVSM'           TO WS-PROGRAM
           END-IF
           EXEC CICS WEB RECEIVE INTO(WS-MESSAGE) LENGTH(WS-LENGTH)
                     MAXLENGTH(80)
           END-EXEC
           EXEC CICS LINK PROGRAM(WS-PROGRAM) COMMAREA(WS-MESSAGE)
                     LENGTH(80)
           END-EXEC
           EXEC CICS WEB SEND FROM(WS-MESSAGE) FROMLENGTH(80)
                     MEDIATYPE('text/plain')
           END-EXEC
           EXEC CICS RETURN END-EXEC.
