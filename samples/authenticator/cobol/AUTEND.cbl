      ******************************************************************
      * AUTEND    Runs when the region ends in order (program list):
      *           tells the HSM channels to end.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. AUTEND.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                         PIC S9(08) COMP.
       01  WS-CWA-POINTER                  USAGE POINTER.
       01  WS-CHANNEL                      PIC S9(08) COMP.
       LINKAGE SECTION.
       01  CWA.
           05  CWA-AUTCTL                  USAGE POINTER.
       COPY AUTCTL.
       PROCEDURE DIVISION.
       MAIN-LINE.
           EXEC CICS ADDRESS CWA(WS-CWA-POINTER) END-EXEC
           SET ADDRESS OF CWA          TO WS-CWA-POINTER
           IF CWA-AUTCTL NOT = NULL
              SET ADDRESS OF AUTCTL    TO CWA-AUTCTL
              SET CTL-STOPS            TO TRUE
              PERFORM VARYING WS-CHANNEL FROM 1 BY 1
                      UNTIL WS-CHANNEL > CTL-CHANNELS
                 EXEC CICS CANCEL REQID(CH-WAKE(WS-CHANNEL))
                           RESP(WS-RESP)
                 END-EXEC
              END-PERFORM
           END-IF
           EXEC CICS RETURN END-EXEC
           GOBACK.
