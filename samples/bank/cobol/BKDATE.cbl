      ******************************************************************
      * BKDATE    The date check. A plain COBOL subprogram: CALLed, no
      *           EXEC CICS in it. Language Environment's CEEDAYS does
      *           the work.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BKDATE.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-DATE.
           05  WS-DATE-LENGTH              PIC S9(04) COMP.
           05  WS-DATE-TEXT                PIC X(10).
       01  WS-FORMAT.
           05  WS-FORMAT-LENGTH            PIC S9(04) COMP.
           05  WS-FORMAT-TEXT              PIC X(10).
       01  WS-FEEDBACK.
           05  WS-SEVERITY                 PIC S9(04) COMP.
           05  WS-MESSAGE-NUMBER           PIC S9(04) COMP.
           05  FILLER                      PIC X(08).
       LINKAGE SECTION.
       COPY BKLDAT.
       PROCEDURE DIVISION USING DATE-CHECK.
       CHECK-THE-DATE.
           MOVE LENGTH OF DCK-DATE     TO WS-DATE-LENGTH
           MOVE DCK-DATE               TO WS-DATE-TEXT
           MOVE LENGTH OF DCK-FORMAT   TO WS-FORMAT-LENGTH
           MOVE DCK-FORMAT             TO WS-FORMAT-TEXT
           MOVE ZERO                   TO DCK-DAY-NUMBER
           MOVE LOW-VALUES             TO WS-FEEDBACK

           CALL 'CEEDAYS' USING WS-DATE
                                WS-FORMAT
                                DCK-DAY-NUMBER
                                WS-FEEDBACK

           IF WS-SEVERITY = ZERO
              SET DCK-GOOD             TO TRUE
              MOVE ZERO                TO DCK-MESSAGE-NUMBER
           ELSE
              SET DCK-BAD              TO TRUE
              MOVE WS-MESSAGE-NUMBER   TO DCK-MESSAGE-NUMBER
           END-IF
           GOBACK.
