      * Asks the service as often as its COMMAREA says. An answer with
      * other fields than were sent ends it.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. TENASK.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-REQUEST                 PIC X(800).
       01  WS-ANSWER                  PIC X(800).
       01  WS-LENGTH                  PIC S9(8) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  CA-TIMES               PIC 9(8).
       PROCEDURE DIVISION.
           MOVE ALL 'ABCDEFGHIJKLMNOP' TO WS-REQUEST
           PERFORM CA-TIMES TIMES
              EXEC CICS PUT CONTAINER('DFHWS-DATA') CHANNEL('TEN')
                        FROM(WS-REQUEST) FLENGTH(800)
              END-EXEC
              EXEC CICS INVOKE SERVICE('TEN') CHANNEL('TEN')
                        OPERATION('call') URIMAP('TENOUT')
              END-EXEC
              MOVE LENGTH OF WS-ANSWER TO WS-LENGTH
              EXEC CICS GET CONTAINER('DFHWS-DATA') CHANNEL('TEN')
                        INTO(WS-ANSWER) FLENGTH(WS-LENGTH)
              END-EXEC
              IF WS-ANSWER NOT = WS-REQUEST
                 EXEC CICS ABEND ABCODE('DIFF') END-EXEC
              END-IF
           END-PERFORM
           EXEC CICS RETURN END-EXEC.
