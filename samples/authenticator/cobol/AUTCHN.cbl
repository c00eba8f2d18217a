      ******************************************************************
      * AUTCHN    ACHN   One HSM channel: a task that lasts as long as
      *                  the region, and its connection to an HSM. It
      *                  waits for a requester's POST, exchanges a
      *                  command for a response, wakes the requester.
      *
      *           A connection that fails is made anew, to the next HSM,
      *           after a pause that doubles up to five seconds. An idle
      *           one is tried every thirty seconds. A channel that has
      *           left the HSM that it was dealt out to looks for it now
      *           and then, and goes back.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. AUTCHN.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                         PIC S9(08) COMP.
       01  WS-CHANNEL-LENGTH               PIC S9(04) COMP VALUE 4.
       01  WS-CHANNEL                      PIC S9(08) COMP.
       01  WS-CWA-POINTER                  USAGE POINTER.
       01  WS-EVENT                        USAGE POINTER.
       01  WS-CONNECTION                   PIC X(01) VALUE 'N'.
           88  CONNECTED                       VALUE 'Y'.
           88  NOT-CONNECTED                   VALUE 'N'.
       01  WS-EXCHANGE                     PIC X(01).
           88  EXCHANGED                       VALUE 'Y'.
           88  NOT-EXCHANGED                   VALUE 'N'.
       01  WS-REPLY                        PIC X(01) VALUE 'N'.
           88  REPLY-DUE                       VALUE 'Y'.
           88  NO-REPLY-DUE                    VALUE 'N'.
       01  WS-IDLE-SECONDS                 PIC S9(08) COMP.
       01  WS-LONGEST-IDLE                 PIC S9(08) COMP VALUE 30.
       01  WS-PAUSE                        PIC S9(08) COMP VALUE 100.
       01  WS-FIRST-PAUSE                  PIC S9(08) COMP VALUE 100.
       01  WS-LONGEST-PAUSE                PIC S9(08) COMP VALUE 5000.
      * Away from home: when home is looked for again, and after how
      * many seconds once more.
       01  WS-NOW                          PIC S9(15) COMP-3.
       01  WS-HOME-TIME                    PIC S9(15) COMP-3.
       01  WS-HOME-SECONDS                 PIC S9(08) COMP VALUE 1.
       01  WS-AWAY-HSM                     PIC S9(08) COMP-5.
       01  WS-AWAY-DESCRIPTOR              PIC 9(04) COMP.
       01  WS-DIAGNOSTICS                  PIC X(02) VALUE 'NC'.
      * A response's code is the command's, its last character one
      * higher.
       01  WS-CODE-NUMBER                  PIC 9(08) COMP.
       01  FILLER REDEFINES WS-CODE-NUMBER.
           05  FILLER                      PIC X(02).
           05  WS-CODE                     PIC X(02).
      * A frame: length, header, command or response.
       01  WS-SEQUENCE                     PIC 9(04) COMP VALUE ZERO.
       01  WS-FRAME.
           05  WS-FRAME-LENGTH             PIC 9(04) COMP.
           05  WS-FRAME-HEADER             PIC 9(04).
           05  WS-FRAME-DATA               PIC X(256).
       01  WS-GOT                          PIC S9(08) COMP.
       01  WS-WHOLE                        PIC S9(08) COMP.
       01  WS-DATA-LENGTH                  PIC S9(08) COMP.
       01  WS-WAKE.
           05  FILLER                      PIC X(06) VALUE 'AUTHCH'.
           05  WS-WAKE-NUMBER              PIC 9(02).
       01  WS-ADDRESS-LENGTH               PIC 9(04) COMP.
       01  WS-NAME.
           05  WS-NAME-FAMILY              PIC 9(04) COMP VALUE 2.
           05  WS-NAME-PORT                PIC 9(04) COMP.
           05  WS-NAME-ADDRESS             PIC 9(08) COMP.
           05  FILLER                      PIC X(08) VALUE LOW-VALUES.
       01  WS-BINARY-ADDRESS.
           05  WS-BINARY-IPV4              PIC 9(08) COMP.
           05  FILLER                      PIC X(12).
       01  WS-TIMEOUT.
           05  WS-TIMEOUT-SECONDS          PIC 9(08) COMP.
           05  WS-TIMEOUT-MICROSECONDS     PIC 9(08) COMP VALUE ZERO.
       01  WS-TIMEOUT-LENGTH               PIC 9(08) COMP VALUE 8.
       01  WS-SEND-TIMEOUT                 PIC 9(08) COMP VALUE 4101.
       01  WS-RECEIVE-TIMEOUT              PIC 9(08) COMP VALUE 4102.
       COPY AUTSOC.
       LINKAGE SECTION.
       01  CWA.
           05  CWA-AUTCTL                  USAGE POINTER.
       COPY AUTCTL.
       PROCEDURE DIVISION.
       MAIN-LINE.
           EXEC CICS HANDLE ABEND LABEL(BROKEN) END-EXEC
           EXEC CICS RETRIEVE INTO(WS-CHANNEL)
                     LENGTH(WS-CHANNEL-LENGTH)
           END-EXEC
           EXEC CICS ADDRESS CWA(WS-CWA-POINTER) END-EXEC
           SET ADDRESS OF CWA          TO WS-CWA-POINTER
           SET ADDRESS OF AUTCTL       TO CWA-AUTCTL
           MOVE CTL-HSM-SECONDS        TO WS-TIMEOUT-SECONDS
           MOVE WS-CHANNEL             TO WS-WAKE-NUMBER
           MOVE WS-WAKE                TO CH-WAKE(WS-CHANNEL)
           PERFORM LIVE UNTIL CTL-STOPS
           PERFORM LEAVE-HSM
           SET CH-ENDED(WS-CHANNEL)    TO TRUE
           EXEC CICS RETURN END-EXEC
           GOBACK.

      * Whatever happened, nobody may wait for this channel.
       BROKEN.
           SET CH-ENDED(WS-CHANNEL)    TO TRUE
           PERFORM FAIL-REQUEST
           EXEC CICS ABEND ABCODE('ACHN') NODUMP END-EXEC.

       LIVE.
           IF NOT-CONNECTED
              PERFORM MEET-HSM
           END-IF
           IF CONNECTED
              PERFORM SERVE
           ELSE
              PERFORM FAIL-REQUEST
              EXEC CICS DELAY FOR MILLISECS(WS-PAUSE) END-EXEC
              COMPUTE WS-PAUSE = WS-PAUSE * 2
              IF WS-PAUSE > WS-LONGEST-PAUSE
                 MOVE WS-LONGEST-PAUSE TO WS-PAUSE
              END-IF
           END-IF.

      * The order matters: first something to be woken by, then the
      * requester is told, then a look for a request, then sleep.
       SERVE.
           IF CH-HSM(WS-CHANNEL) = CH-HOME(WS-CHANNEL)
              MOVE WS-LONGEST-IDLE     TO WS-IDLE-SECONDS
           ELSE
              MOVE WS-HOME-SECONDS     TO WS-IDLE-SECONDS
           END-IF
           EXEC CICS POST AFTER SECONDS(WS-IDLE-SECONDS)
                     REQID(WS-WAKE) SET(WS-EVENT)
           END-EXEC
           SET CH-UP(WS-CHANNEL)       TO TRUE
           IF REPLY-DUE
              PERFORM TELL-REQUESTER
           END-IF
           IF CH-HSM(WS-CHANNEL) NOT = CH-HOME(WS-CHANNEL)
              PERFORM LOOK-FOR-HOME
           END-IF
           IF NOT CH-REQUESTED(WS-CHANNEL)
              EXEC CICS WAIT EVENT ECADDR(WS-EVENT) NAME('HSMWORK')
              END-EXEC
           END-IF
           EVALUATE TRUE
              WHEN CTL-STOPS
                 PERFORM FAIL-REQUEST
              WHEN CH-REQUESTED(WS-CHANNEL)
                 PERFORM CARRY-OUT-REQUEST
              WHEN OTHER
                 PERFORM TRY-CONNECTION
           END-EVALUATE.

       CARRY-OUT-REQUEST.
           ADD 1                       TO CH-REQUESTS(WS-CHANNEL)
           MOVE CH-COMMAND(WS-CHANNEL) TO WS-FRAME-DATA
           MOVE CH-COMMAND-LENGTH(WS-CHANNEL)
                                       TO WS-DATA-LENGTH
           PERFORM EXCHANGE
           IF EXCHANGED
              MOVE WS-FRAME-DATA       TO CH-RESPONSE(WS-CHANNEL)
              MOVE WS-DATA-LENGTH      TO CH-RESPONSE-LENGTH(WS-CHANNEL)
              SET REPLY-DUE            TO TRUE
           ELSE
              PERFORM LOSE-HSM
              PERFORM FAIL-REQUEST
           END-IF.

      * A requester that has given up wants to hear nothing.
       TELL-REQUESTER.
           SET NO-REPLY-DUE            TO TRUE
           IF CH-ABANDONED(WS-CHANNEL)
              SET CH-FREE(WS-CHANNEL)  TO TRUE
           ELSE
              SET CH-ANSWERED(WS-CHANNEL) TO TRUE
              EXEC CICS CANCEL REQID(CH-DONE(WS-CHANNEL)) RESP(WS-RESP)
              END-EXEC
           END-IF.

       FAIL-REQUEST.
           EVALUATE TRUE
              WHEN CH-REQUESTED(WS-CHANNEL)
                 SET CH-FAILED(WS-CHANNEL) TO TRUE
                 EXEC CICS CANCEL REQID(CH-DONE(WS-CHANNEL))
                           RESP(WS-RESP)
                 END-EXEC
              WHEN CH-ABANDONED(WS-CHANNEL)
                 SET CH-FREE(WS-CHANNEL) TO TRUE
           END-EVALUATE.

      * Nothing to do for a while: is the HSM still there?
       TRY-CONNECTION.
           MOVE WS-DIAGNOSTICS         TO WS-FRAME-DATA
           MOVE 2                      TO WS-DATA-LENGTH
           PERFORM EXCHANGE
           IF NOT-EXCHANGED
              PERFORM LOSE-HSM
           END-IF.

       EXCHANGE.
           SET NOT-EXCHANGED           TO TRUE
           MOVE ZERO                   TO WS-CODE-NUMBER
           MOVE WS-FRAME-DATA(1:2)     TO WS-CODE
           ADD 1                       TO WS-CODE-NUMBER
           IF WS-SEQUENCE < 9999
              ADD 1                    TO WS-SEQUENCE
           ELSE
              MOVE ZERO                TO WS-SEQUENCE
           END-IF
           MOVE WS-SEQUENCE            TO WS-FRAME-HEADER
           MOVE WS-DATA-LENGTH         TO WS-FRAME-LENGTH
           ADD 4                       TO WS-FRAME-LENGTH
           MOVE WS-FRAME-LENGTH        TO SOC-LENGTH
           ADD 2                       TO SOC-LENGTH
           CALL 'EZASOKET' USING SOC-WRITE SOC-DESCRIPTOR SOC-LENGTH
                WS-FRAME SOC-ERRNO SOC-RETCODE
           IF SOC-RETCODE = SOC-LENGTH
              PERFORM READ-RESPONSE
           END-IF
           IF NOT-EXCHANGED
              MOVE SOC-ERRNO           TO CH-LAST-ERRNO(WS-CHANNEL)
           END-IF.

      * One READ gets all of it, as a rule.
       READ-RESPONSE.
           MOVE ZERO                   TO WS-GOT
           MOVE LENGTH OF WS-FRAME     TO WS-WHOLE
           PERFORM WITH TEST AFTER
                   UNTIL WS-GOT >= WS-WHOLE OR SOC-RETCODE <= ZERO
              MOVE LENGTH OF WS-FRAME  TO SOC-LENGTH
              SUBTRACT WS-GOT          FROM SOC-LENGTH
              CALL 'EZASOKET' USING SOC-READ SOC-DESCRIPTOR SOC-LENGTH
                   WS-FRAME(WS-GOT + 1:) SOC-ERRNO SOC-RETCODE
              IF SOC-RETCODE > ZERO
                 ADD SOC-RETCODE       TO WS-GOT
                 IF WS-GOT >= 2
                    MOVE WS-FRAME-LENGTH TO WS-WHOLE
                    ADD 2              TO WS-WHOLE
                    IF WS-WHOLE > LENGTH OF WS-FRAME
                       MOVE ZERO       TO WS-WHOLE
                    END-IF
                 END-IF
              END-IF
           END-PERFORM
      * A response that is too short, too long or another's ends the
      * connection.
           IF WS-GOT = WS-WHOLE AND WS-WHOLE >= 10
           AND WS-FRAME-HEADER = WS-SEQUENCE
           AND WS-FRAME-DATA(1:2) = WS-CODE
              MOVE WS-FRAME-LENGTH     TO WS-DATA-LENGTH
              SUBTRACT 4               FROM WS-DATA-LENGTH
              SET EXCHANGED            TO TRUE
           END-IF.

       MEET-HSM.
           MOVE CTL-HSM-PORT(CH-HSM(WS-CHANNEL))
                                       TO WS-NAME-PORT
           PERFORM ADDRESS-OF-HSM
           CALL 'EZASOKET' USING SOC-SOCKET SOC-AF-INET SOC-STREAM
                SOC-TCP SOC-ERRNO SOC-RETCODE
           IF SOC-RETCODE >= ZERO
              MOVE SOC-RETCODE         TO SOC-DESCRIPTOR
              CALL 'EZASOKET' USING SOC-SETSOCKOPT SOC-DESCRIPTOR
                   WS-SEND-TIMEOUT WS-TIMEOUT WS-TIMEOUT-LENGTH
                   SOC-ERRNO SOC-RETCODE
              CALL 'EZASOKET' USING SOC-SETSOCKOPT SOC-DESCRIPTOR
                   WS-RECEIVE-TIMEOUT WS-TIMEOUT WS-TIMEOUT-LENGTH
                   SOC-ERRNO SOC-RETCODE
              CALL 'EZASOKET' USING SOC-CONNECT SOC-DESCRIPTOR
                   WS-NAME SOC-ERRNO SOC-RETCODE
              SET CONNECTED            TO TRUE
      * An HSM with no connection to spare says so at the first command.
              IF SOC-RETCODE = ZERO
                 PERFORM TRY-CONNECTION
              ELSE
                 MOVE SOC-ERRNO        TO CH-LAST-ERRNO(WS-CHANNEL)
                 PERFORM LOSE-HSM
              END-IF
           END-IF
           IF CONNECTED
              ADD 1                    TO CH-CONNECTS(WS-CHANNEL)
              MOVE WS-FIRST-PAUSE      TO WS-PAUSE
              IF CH-HSM(WS-CHANNEL) = CH-HOME(WS-CHANNEL)
                 MOVE 1                TO WS-HOME-SECONDS
              END-IF
           END-IF.

       ADDRESS-OF-HSM.
           PERFORM VARYING SOC-LENGTH FROM 15 BY -1
                   UNTIL SOC-LENGTH = 1
                      OR CTL-HSM-ADDRESS(CH-HSM(WS-CHANNEL))
                         (SOC-LENGTH:1) NOT = SPACE
              CONTINUE
           END-PERFORM
           MOVE SOC-LENGTH             TO WS-ADDRESS-LENGTH
           CALL 'EZASOKET' USING SOC-PTON SOC-AF-INET
                CTL-HSM-ADDRESS(CH-HSM(WS-CHANNEL)) WS-ADDRESS-LENGTH
                WS-BINARY-ADDRESS SOC-ERRNO SOC-RETCODE
           MOVE WS-BINARY-IPV4         TO WS-NAME-ADDRESS.

      * The next HSM's turn.
       LOSE-HSM.
           SET CH-DOWN(WS-CHANNEL)     TO TRUE
           ADD 1                       TO CH-FAILURES(WS-CHANNEL)
           PERFORM LEAVE-HSM
           IF CH-HSM(WS-CHANNEL) = CH-HOME(WS-CHANNEL)
              PERFORM SET-HOME-TIME
           END-IF
           ADD 1                       TO CH-HSM(WS-CHANNEL)
           IF CH-HSM(WS-CHANNEL) > CTL-HSMS
              MOVE 1                   TO CH-HSM(WS-CHANNEL)
           END-IF.

      * The channel keeps its connection until it has the other one.
      * Nobody waits meanwhile: it is down.
       LOOK-FOR-HOME.
           EXEC CICS ASKTIME ABSTIME(WS-NOW) END-EXEC
           IF WS-NOW >= WS-HOME-TIME AND NOT CH-REQUESTED(WS-CHANNEL)
              SET CH-DOWN(WS-CHANNEL)  TO TRUE
              MOVE CH-HSM(WS-CHANNEL)  TO WS-AWAY-HSM
              MOVE SOC-DESCRIPTOR      TO WS-AWAY-DESCRIPTOR
              MOVE CH-HOME(WS-CHANNEL) TO CH-HSM(WS-CHANNEL)
              SET NOT-CONNECTED        TO TRUE
              PERFORM MEET-HSM
              IF CONNECTED
                 CALL 'EZASOKET' USING SOC-CLOSE WS-AWAY-DESCRIPTOR
                      SOC-ERRNO SOC-RETCODE
              ELSE
                 PERFORM STAY-AWAY
              END-IF
              SET CH-UP(WS-CHANNEL)    TO TRUE
           END-IF.

       STAY-AWAY.
           MOVE WS-AWAY-HSM            TO CH-HSM(WS-CHANNEL)
           MOVE WS-AWAY-DESCRIPTOR     TO SOC-DESCRIPTOR
           SET CONNECTED               TO TRUE
           COMPUTE WS-HOME-SECONDS = WS-HOME-SECONDS * 2
           IF WS-HOME-SECONDS > WS-LONGEST-IDLE
              MOVE WS-LONGEST-IDLE     TO WS-HOME-SECONDS
           END-IF
           PERFORM SET-HOME-TIME.

       SET-HOME-TIME.
           EXEC CICS ASKTIME ABSTIME(WS-NOW) END-EXEC
           COMPUTE WS-HOME-TIME = WS-NOW + WS-HOME-SECONDS * 1000.

       LEAVE-HSM.
           IF CONNECTED
              CALL 'EZASOKET' USING SOC-CLOSE SOC-DESCRIPTOR SOC-ERRNO
                   SOC-RETCODE
              SET NOT-CONNECTED        TO TRUE
           END-IF.
