      ******************************************************************
      * AUTHLT    AHLT   The health of the HSM channels: how many each
      *                  HSM has; and of each channel, as far as a
      *                  screen has room, to which HSM it is connected,
      *                  whether it is up, what it has done, and the
      *                  last error. Those that are not up come first.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. AUTHLT.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-CWA-POINTER                  USAGE POINTER.
       01  WS-CHANNEL                      PIC S9(08) COMP-5.
       01  WS-HSM                          PIC S9(08) COMP-5.
       01  WS-UP                           PIC 9(02) VALUE ZERO.
       01  WS-UP-THERE                     PIC Z9.
       01  WS-UP-COUNT                     PIC 9(02) OCCURS 4
                                               VALUE ZERO.
       01  WS-LINES-MAX                    PIC S9(04) COMP VALUE 22.
       01  WS-PASS                         PIC X(01).
           88  THOSE-UP                        VALUE 'U'.
           88  THOSE-NOT-UP                    VALUE 'N'.
       01  WS-LENGTH                       PIC S9(04) COMP VALUE ZERO.
       01  WS-TEXT.
           05  WS-LINE                     PIC X(79) OCCURS 24.
       01  WS-LINES                        PIC S9(04) COMP VALUE 1.
       01  WS-HEADING.
           05  FILLER                      PIC X(41) VALUE
               'CHANNEL  HSM                    STATE'.
           05  FILLER                      PIC X(38) VALUE
               'REQUESTS  FAILURES  CONNECTS  ERRNO'.
       01  WS-ROW.
           05  WR-CHANNEL                  PIC Z(06)9.
           05  FILLER                      PIC X(02) VALUE SPACES.
           05  WR-ADDRESS                  PIC X(15).
           05  FILLER                      PIC X(01) VALUE ':'.
           05  WR-PORT                     PIC 9(05).
           05  FILLER                      PIC X(02) VALUE SPACES.
           05  WR-STATE                    PIC X(06).
           05  WR-REQUESTS                 PIC Z(10)9.
           05  WR-FAILURES                 PIC Z(09)9.
           05  WR-CONNECTS                 PIC Z(09)9.
           05  WR-ERRNO                    PIC Z(06)9.
           05  FILLER                      PIC X(03) VALUE SPACES.
       LINKAGE SECTION.
       01  CWA.
           05  CWA-AUTCTL                  USAGE POINTER.
       COPY AUTCTL.
       PROCEDURE DIVISION.
       MAIN-LINE.
           EXEC CICS ADDRESS CWA(WS-CWA-POINTER) END-EXEC
           SET ADDRESS OF CWA          TO WS-CWA-POINTER
           MOVE WS-HEADING             TO WS-LINE(1)
           IF CWA-AUTCTL = NULL
              ADD 1                    TO WS-LINES
              MOVE 'No channel was started: see the region''s log.'
                                       TO WS-LINE(WS-LINES)
           ELSE
              SET ADDRESS OF AUTCTL    TO CWA-AUTCTL
              SET THOSE-NOT-UP         TO TRUE
              PERFORM CONSIDER-CHANNEL VARYING WS-CHANNEL FROM 1 BY 1
                      UNTIL WS-CHANNEL > CTL-CHANNELS
              SET THOSE-UP             TO TRUE
              PERFORM CONSIDER-CHANNEL VARYING WS-CHANNEL FROM 1 BY 1
                      UNTIL WS-CHANNEL > CTL-CHANNELS
              PERFORM WRITE-SUM
           END-IF
           COMPUTE WS-LENGTH = WS-LINES * LENGTH OF WS-LINE(1)
           EXEC CICS SEND TEXT FROM(WS-TEXT) LENGTH(WS-LENGTH)
                     ERASE FREEKB
           END-EXEC
           EXEC CICS RETURN END-EXEC
           GOBACK.

       CONSIDER-CHANNEL.
           IF CH-UP(WS-CHANNEL)
              IF THOSE-UP
                 ADD 1                 TO WS-UP
                                    WS-UP-COUNT(CH-HSM(WS-CHANNEL))
                 PERFORM WRITE-ROW
              END-IF
           ELSE
              IF THOSE-NOT-UP
                 PERFORM WRITE-ROW
              END-IF
           END-IF.

      * 64 channels are up: 32 + 32
       WRITE-SUM.
           ADD 1                       TO WS-LINES
           MOVE 1                      TO WS-LENGTH
           MOVE SPACES                 TO WS-LINE(WS-LINES)
           STRING WS-UP ' channels are up:' DELIMITED BY SIZE
                  INTO WS-LINE(WS-LINES) POINTER WS-LENGTH
           END-STRING
           PERFORM VARYING WS-HSM FROM 1 BY 1 UNTIL WS-HSM > CTL-HSMS
              IF WS-HSM > 1
                 STRING ' +' DELIMITED BY SIZE
                        INTO WS-LINE(WS-LINES) POINTER WS-LENGTH
                 END-STRING
              END-IF
              MOVE WS-UP-COUNT(WS-HSM) TO WS-UP-THERE
              STRING ' ' WS-UP-THERE DELIMITED BY SIZE
                     INTO WS-LINE(WS-LINES) POINTER WS-LENGTH
              END-STRING
           END-PERFORM.

       WRITE-ROW.
           IF WS-LINES < WS-LINES-MAX
              PERFORM FILL-ROW
           END-IF.

       FILL-ROW.
           MOVE WS-CHANNEL             TO WR-CHANNEL
           MOVE CTL-HSM-ADDRESS(CH-HSM(WS-CHANNEL)) TO WR-ADDRESS
           MOVE CTL-HSM-PORT(CH-HSM(WS-CHANNEL)) TO WR-PORT
           EVALUATE TRUE
              WHEN CH-UP(WS-CHANNEL)
                 MOVE 'UP'             TO WR-STATE
              WHEN CH-DOWN(WS-CHANNEL)
                 MOVE 'DOWN'           TO WR-STATE
              WHEN OTHER
                 MOVE 'ENDED'          TO WR-STATE
           END-EVALUATE
           MOVE CH-REQUESTS(WS-CHANNEL) TO WR-REQUESTS
           MOVE CH-FAILURES(WS-CHANNEL) TO WR-FAILURES
           MOVE CH-CONNECTS(WS-CHANNEL) TO WR-CONNECTS
           MOVE CH-LAST-ERRNO(WS-CHANNEL) TO WR-ERRNO
           ADD 1                       TO WS-LINES
           MOVE WS-ROW                 TO WS-LINE(WS-LINES).
