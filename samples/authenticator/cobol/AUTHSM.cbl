      ******************************************************************
      * AUTHSM    The resource manager of the HSM channels: takes a
      *           channel in turn, reserves it, hands a command over and
      *           waits for the response. A channel whose HSM fails is
      *           passed over, and the command goes to another: commands
      *           may be repeated.
      *
      *           Nothing waits for ever: the POST that a requester
      *           waits for comes by itself when its time is over, and
      *           a command that fails is repeated only for as long as
      *           HSMs may take to answer.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. AUTHSM.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                         PIC S9(08) COMP.
       01  WS-CWA-POINTER                  USAGE POINTER.
       01  WS-EVENT                        USAGE POINTER.
       01  WS-CHANNEL                      PIC S9(08) COMP-5.
       01  WS-PASSED-OVER                  PIC S9(08) COMP-5.
       01  WS-PAUSES                       PIC S9(08) COMP-5.
       01  WS-PAUSES-MAX                   PIC S9(08) COMP-5.
       01  WS-PATIENCE                     PIC X(01).
           88  PATIENCE-IS-OVER                VALUE 'O'.
           88  PATIENCE-IS-LEFT                VALUE 'L'.
       01  WS-SECONDS                      PIC S9(08) COMP.
       01  WS-NOW                          PIC S9(15) COMP-3.
      * Zero until the command has failed once.
       01  WS-DEADLINE                     PIC S9(15) COMP-3.
      * A channel lets go after CTL-HSM-SECONDS. Only one that is dead
      * lets its requester wait longer.
       01  WS-GRACE                        PIC S9(08) COMP VALUE 2.
       01  WS-PAUSES-A-SECOND              PIC S9(08) COMP VALUE 20.
       01  WS-PAUSE                        PIC S9(08) COMP VALUE 50.
       01  WS-REQUEST-ID.
           05  FILLER                      PIC X(01) VALUE 'A'.
           05  WS-REQUEST-TASK             PIC 9(07).
       01  WS-RESERVATION.
           05  FILLER                      PIC X(08) VALUE 'AUTHCHAN'.
           05  WS-RESERVED                 PIC 9(02).
       LINKAGE SECTION.
       01  CWA.
           05  CWA-AUTCTL                  USAGE POINTER.
       COPY AUTCTL.
       COPY AUTHSMP.
       PROCEDURE DIVISION USING AUTHSMP.
       MAIN-LINE.
           SET HP-NO-HSM               TO TRUE
           MOVE ZERO                   TO HP-RESPONSE-LENGTH
           EXEC CICS ADDRESS CWA(WS-CWA-POINTER) END-EXEC
           SET ADDRESS OF CWA          TO WS-CWA-POINTER
           IF CWA-AUTCTL NOT = NULL
              SET ADDRESS OF AUTCTL    TO CWA-AUTCTL
              MOVE EIBTASKN            TO WS-REQUEST-TASK
              MOVE ZERO                TO WS-PASSED-OVER WS-PAUSES
                                          WS-DEADLINE
              SET PATIENCE-IS-LEFT     TO TRUE
              PERFORM TRY-A-CHANNEL
                      UNTIL HP-ANSWERED OR PATIENCE-IS-OVER
           END-IF
           GOBACK.

       TRY-A-CHANNEL.
           MOVE CTL-LAST               TO WS-CHANNEL
           ADD 1                       TO WS-CHANNEL
           IF WS-CHANNEL > CTL-CHANNELS
              MOVE 1                   TO WS-CHANNEL
           END-IF
           MOVE WS-CHANNEL             TO CTL-LAST
           IF CH-UP(WS-CHANNEL)
              PERFORM RESERVE-CHANNEL
              PERFORM HAND-OVER
              PERFORM RELEASE-CHANNEL
           ELSE
              ADD 1                    TO WS-PASSED-OVER
              IF WS-PASSED-OVER >= CTL-CHANNELS
                 MOVE ZERO             TO WS-PASSED-OVER
                 PERFORM PAUSE-FOR-A-CHANNEL
              END-IF
           END-IF.

       RESERVE-CHANNEL.
           MOVE WS-CHANNEL             TO WS-RESERVED
           EXEC CICS ENQ RESOURCE(WS-RESERVATION)
                     LENGTH(LENGTH OF WS-RESERVATION)
           END-EXEC.

       RELEASE-CHANNEL.
           EXEC CICS DEQ RESOURCE(WS-RESERVATION)
                     LENGTH(LENGTH OF WS-RESERVATION)
           END-EXEC.

      * The channel may have gone down while others had it. One that
      * still has the request of somebody who gave up is not free.
       HAND-OVER.
           IF CH-UP(WS-CHANNEL) AND NOT CH-REQUESTED(WS-CHANNEL)
                                AND NOT CH-ABANDONED(WS-CHANNEL)
              PERFORM ASK
           END-IF.

       ASK.
           MOVE CTL-HSM-SECONDS        TO WS-SECONDS
           ADD WS-GRACE                TO WS-SECONDS
           EXEC CICS POST AFTER SECONDS(WS-SECONDS)
                     REQID(WS-REQUEST-ID) SET(WS-EVENT)
           END-EXEC
           MOVE HP-COMMAND-LENGTH   TO CH-COMMAND-LENGTH(WS-CHANNEL)
           MOVE HP-COMMAND(1:HP-COMMAND-LENGTH)
                                    TO CH-COMMAND(WS-CHANNEL)
           MOVE WS-REQUEST-ID       TO CH-DONE(WS-CHANNEL)
           SET CH-REQUESTED(WS-CHANNEL) TO TRUE
      * Wakes the channel. One that is awake looks before it sleeps.
           EXEC CICS CANCEL REQID(CH-WAKE(WS-CHANNEL)) RESP(WS-RESP)
           END-EXEC
           EXEC CICS WAIT EVENT ECADDR(WS-EVENT) NAME('HSM')
           END-EXEC
           EVALUATE TRUE
              WHEN CH-ANSWERED(WS-CHANNEL)
                 MOVE CH-RESPONSE-LENGTH(WS-CHANNEL)
                                       TO HP-RESPONSE-LENGTH
                 MOVE CH-RESPONSE(WS-CHANNEL)
                                       TO HP-RESPONSE
                 SET CH-FREE(WS-CHANNEL) TO TRUE
                 SET HP-ANSWERED       TO TRUE
              WHEN CH-FAILED(WS-CHANNEL)
                 SET CH-FREE(WS-CHANNEL) TO TRUE
                 PERFORM CONSIDER-DEADLINE
              WHEN OTHER
                 SET CH-ABANDONED(WS-CHANNEL) TO TRUE
                 PERFORM CONSIDER-DEADLINE
           END-EVALUATE.

      * An HSM that takes commands and answers none could be tried for
      * ever.
       CONSIDER-DEADLINE.
           EXEC CICS ASKTIME ABSTIME(WS-NOW) END-EXEC
           IF WS-DEADLINE = ZERO
              COMPUTE WS-DEADLINE = WS-NOW + CTL-HSM-SECONDS * 1000
           END-IF
           IF WS-NOW > WS-DEADLINE
              SET PATIENCE-IS-OVER     TO TRUE
           END-IF.

      * No channel is up: one may come back.
       PAUSE-FOR-A-CHANNEL.
           EXEC CICS DELAY FOR MILLISECS(WS-PAUSE) END-EXEC
           ADD 1                       TO WS-PAUSES
           COMPUTE WS-PAUSES-MAX = CTL-HSM-SECONDS * WS-PAUSES-A-SECOND
           IF WS-PAUSES >= WS-PAUSES-MAX
              SET PATIENCE-IS-OVER     TO TRUE
           END-IF.
