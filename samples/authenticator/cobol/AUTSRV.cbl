      ******************************************************************
      * AUTSRV    AUTS   The server of one connection, a child of the
      *                  listener: takes an authorization request, asks
      *                  the Authenticator, commits, and responds; again
      *                  until the client hangs up. The listener has
      *                  read the first request, or a part of it: a
      *                  client that says nothing costs no task.
      *
      *           A client that says nothing, stops in the middle or
      *           says more than a frame holds is left. What can be read
      *           but is no request is answered with code 30.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. AUTSRV.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                         PIC S9(08) COMP.
       01  WS-TIM-LENGTH                   PIC S9(04) COMP.
       01  WS-REQUEST-LENGTH               PIC S9(08) COMP VALUE 137.
       01  WS-LONGEST-LENGTH               PIC S9(08) COMP VALUE 2048.
       01  WS-GOT                          PIC S9(08) COMP.
       01  WS-WHOLE                        PIC S9(08) COMP.
       01  WS-AT                           PIC S9(08) COMP.
       01  WS-CONVERSATION                 PIC X(01) VALUE 'Y'.
           88  CONVERSATION-GOES-ON            VALUE 'Y'.
           88  CONVERSATION-IS-OVER            VALUE 'N'.
       01  WS-KEEP-SWITCH                  PIC X(01) VALUE SPACE.
           88  KEEPS-NO-CONNECTION             VALUE 'N'.
       01  WS-SILENCE                      PIC X(01) VALUE SPACE.
           88  SILENCE-IS-LIMITED              VALUE 'L'.
       01  WS-TIMEOUT.
           05  WS-TIMEOUT-SECONDS          PIC 9(08) COMP VALUE 5.
           05  WS-TIMEOUT-MICROSECONDS     PIC 9(08) COMP VALUE ZERO.
       01  WS-TIMEOUT-LENGTH               PIC 9(08) COMP VALUE 8.
       01  WS-RECEIVE-TIMEOUT              PIC 9(08) COMP VALUE 4102.
       01  WS-REQUEST-BITMAP               PIC X(08)
                                           VALUE X'3220468028C08000'.
       01  WS-CWA-POINTER                  USAGE POINTER.
       01  WS-CLIENT-ID.
           05  WS-CLIENT-DOMAIN            PIC 9(08) COMP VALUE 2.
           05  WS-CLIENT-NAME              PIC X(08).
           05  WS-CLIENT-TASK              PIC X(08).
           05  FILLER                      PIC X(20) VALUE LOW-VALUES.
      * What the listener STARTs its child with.
       01  TIM.
           05  TIM-SOCKET                  PIC 9(08) COMP.
           05  TIM-LISTENER-NAME           PIC X(08).
           05  TIM-LISTENER-TASK           PIC X(08).
           05  TIM-CLIENT-DATA             PIC X(35).
           05  FILLER                      PIC X(97).
           05  TIM-MESSAGE-LENGTH          PIC 9(04) COMP.
           05  TIM-MESSAGE                 PIC X(137).
       COPY AUTSOC.
       COPY AUTMSG.
       01  WS-PARM.
           COPY AUTPARM REPLACING ==01  AUTPARM== BY ==03  AUTPARM==.
       LINKAGE SECTION.
       01  CWA.
           05  CWA-AUTCTL                  USAGE POINTER.
       COPY AUTCTL.
       PROCEDURE DIVISION.
       MAIN-LINE.
           MOVE LENGTH OF TIM          TO WS-TIM-LENGTH
           MOVE LOW-VALUES             TO TIM
           EXEC CICS RETRIEVE INTO(TIM) LENGTH(WS-TIM-LENGTH)
                     RESP(WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              PERFORM TAKE-SOCKET
              IF SOC-RETCODE >= ZERO
                 PERFORM CONVERSE UNTIL CONVERSATION-IS-OVER
                 CALL 'EZASOKET' USING SOC-CLOSE SOC-DESCRIPTOR
                      SOC-ERRNO SOC-RETCODE
              END-IF
           END-IF
           EXEC CICS RETURN END-EXEC
           GOBACK.

       TAKE-SOCKET.
           MOVE TIM-SOCKET             TO SOC-DESCRIPTOR
           MOVE TIM-LISTENER-NAME      TO WS-CLIENT-NAME
           MOVE TIM-LISTENER-TASK      TO WS-CLIENT-TASK
           CALL 'EZASOKET' USING SOC-TAKESOCKET SOC-DESCRIPTOR
                WS-CLIENT-ID SOC-ERRNO SOC-RETCODE
           IF SOC-RETCODE >= ZERO
              MOVE SOC-RETCODE         TO SOC-DESCRIPTOR
              PERFORM LOOK-AT-CONFIGURATION
           END-IF.

       LOOK-AT-CONFIGURATION.
           EXEC CICS ADDRESS CWA(WS-CWA-POINTER) END-EXEC
           SET ADDRESS OF CWA          TO WS-CWA-POINTER
           IF CWA-AUTCTL NOT = NULL
              SET ADDRESS OF AUTCTL    TO CWA-AUTCTL
              MOVE CTL-CLIENT-SECONDS  TO WS-TIMEOUT-SECONDS
              MOVE CTL-KEEP-SWITCH     TO WS-KEEP-SWITCH
           END-IF.

      * Only who has to be waited for can be silent.
       LIMIT-SILENCE.
           SET SILENCE-IS-LIMITED      TO TRUE
           CALL 'EZASOKET' USING SOC-SETSOCKOPT SOC-DESCRIPTOR
                WS-RECEIVE-TIMEOUT WS-TIMEOUT WS-TIMEOUT-LENGTH
                SOC-ERRNO SOC-RETCODE.

       CONVERSE.
           PERFORM READ-REQUEST
           IF CONVERSATION-GOES-ON
              PERFORM ANSWER-REQUEST
              MOVE LENGTH OF RESPONSE-FRAME TO SOC-LENGTH
              CALL 'EZASOKET' USING SOC-WRITE SOC-DESCRIPTOR SOC-LENGTH
                   RESPONSE-FRAME SOC-ERRNO SOC-RETCODE
      * Behind a request that is shorter than any nobody finds the next.
              IF SOC-RETCODE < ZERO OR WS-GOT > WS-WHOLE
              OR KEEPS-NO-CONNECTION
                 SET CONVERSATION-IS-OVER TO TRUE
              END-IF
           END-IF.

       READ-REQUEST.
           MOVE ZERO                   TO WS-GOT
           MOVE WS-REQUEST-LENGTH      TO WS-WHOLE
           IF TIM-MESSAGE-LENGTH > ZERO
              MOVE TIM-MESSAGE         TO REQUEST-FRAME(1:137)
              MOVE TIM-MESSAGE-LENGTH  TO WS-GOT
              MOVE ZERO                TO TIM-MESSAGE-LENGTH
              PERFORM SEE-LENGTH
           END-IF
           PERFORM READ-MORE
                   UNTIL WS-GOT >= WS-WHOLE OR CONVERSATION-IS-OVER.

      * One READ gets a whole request, as a rule.
       READ-MORE.
           IF NOT SILENCE-IS-LIMITED
              PERFORM LIMIT-SILENCE
           END-IF
           COMPUTE SOC-LENGTH =
              FUNCTION MIN(WS-WHOLE - WS-GOT, WS-REQUEST-LENGTH)
           COMPUTE WS-AT = FUNCTION MIN(WS-GOT, WS-REQUEST-LENGTH) + 1
           CALL 'EZASOKET' USING SOC-READ SOC-DESCRIPTOR SOC-LENGTH
                REQUEST-FRAME(WS-AT:) SOC-ERRNO SOC-RETCODE
           IF SOC-RETCODE > ZERO
              ADD SOC-RETCODE          TO WS-GOT
              PERFORM SEE-LENGTH
           ELSE
              SET CONVERSATION-IS-OVER TO TRUE
           END-IF.

       SEE-LENGTH.
           IF WS-GOT >= 2
              MOVE REQ-LENGTH          TO WS-WHOLE
              ADD 2                    TO WS-WHOLE
              IF REQ-LENGTH > WS-LONGEST-LENGTH
                 SET CONVERSATION-IS-OVER TO TRUE
              END-IF
           END-IF.

      * The syncpoint comes first: what a client hears has happened.
       ANSWER-REQUEST.
           PERFORM ECHO-REQUEST
           MOVE ZERO                   TO AP-MICROSECONDS
           IF WS-GOT = WS-REQUEST-LENGTH
           AND WS-WHOLE = WS-REQUEST-LENGTH  AND REQ-TYPE = '0100'
           AND REQ-BITMAP = WS-REQUEST-BITMAP
           AND REQ-AMOUNT NUMERIC            AND REQ-TRACE NUMERIC
           AND REQ-TRANSMITTED NUMERIC       AND REQ-SEQUENCE NUMERIC
           AND REQ-TRACK2-LENGTH = '37'
              PERFORM AUTHENTICATE
           ELSE
              SET AP-MALFORMED         TO TRUE
              PERFORM BLANK-WHAT-CANNOT-BE-READ
           END-IF
           MOVE AP-RETURN-CODE         TO RSP-RETURN-CODE
           MOVE AP-MICROSECONDS        TO RSP-MICROSECONDS
           PERFORM TELL-RESPONSE-CODE.

       ECHO-REQUEST.
           MOVE REQ-PROCESSING-CODE    TO RSP-PROCESSING-CODE
           MOVE REQ-AMOUNT             TO RSP-AMOUNT
           MOVE REQ-TRANSMITTED        TO RSP-TRANSMITTED
           MOVE REQ-TRACE              TO RSP-TRACE
           MOVE REQ-REFERENCE          TO RSP-REFERENCE
           MOVE REQ-TERMINAL           TO RSP-TERMINAL
           MOVE REQ-MERCHANT           TO RSP-MERCHANT
           MOVE REQ-CURRENCY           TO RSP-CURRENCY.

      * A response is a good message, whatever the request was.
       BLANK-WHAT-CANNOT-BE-READ.
           IF RSP-PROCESSING-CODE NOT NUMERIC
              MOVE ZEROS               TO RSP-PROCESSING-CODE
           END-IF
           IF RSP-AMOUNT NOT NUMERIC
              MOVE ZEROS               TO RSP-AMOUNT
           END-IF
           IF RSP-TRANSMITTED NOT NUMERIC
              MOVE ZEROS               TO RSP-TRANSMITTED
           END-IF
           IF RSP-TRACE NOT NUMERIC
              MOVE ZEROS               TO RSP-TRACE
           END-IF
           IF RSP-CURRENCY NOT NUMERIC
              MOVE ZEROS               TO RSP-CURRENCY
           END-IF.

       AUTHENTICATE.
           MOVE REQ-TRACK2             TO AP-TRACK2
           MOVE REQ-SEQUENCE(2:2)      TO AP-SEQUENCE
           MOVE REQ-AMOUNT             TO AP-AMOUNT
           MOVE REQ-TERMINAL           TO AP-TERMINAL
           MOVE REQ-MERCHANT           TO AP-MERCHANT
           CALL 'AUTCPA' USING DFHEIBLK WS-PARM
                ON EXCEPTION SET AP-FAILURE TO TRUE
           END-CALL
           IF AP-FAILURE
              EXEC CICS SYNCPOINT ROLLBACK END-EXEC
           ELSE
              EXEC CICS SYNCPOINT RESP(WS-RESP) END-EXEC
              IF WS-RESP NOT = DFHRESP(NORMAL)
                 SET AP-FAILURE        TO TRUE
              END-IF
           END-IF.

      * Funds are another program's business: authentic is approved.
       TELL-RESPONSE-CODE.
           MOVE SPACES                 TO RSP-APPROVAL
           EVALUATE TRUE
              WHEN AP-AUTHENTIC
                 MOVE '00'             TO RSP-CODE
                 MOVE REQ-TRACE        TO RSP-APPROVAL
              WHEN AP-WRONG
                 MOVE '05'             TO RSP-CODE
              WHEN AP-REPLAYED OR AP-OUTSIDE-WINDOW OR AP-OUTSIDE-TIME
                 MOVE '63'             TO RSP-CODE
              WHEN AP-UNKNOWN-BIN OR AP-UNKNOWN-ACCOUNT
                 MOVE '14'             TO RSP-CODE
              WHEN AP-EXPIRED
                 MOVE '54'             TO RSP-CODE
              WHEN AP-MALFORMED
                 MOVE '30'             TO RSP-CODE
              WHEN AP-NO-HSM
                 MOVE '91'             TO RSP-CODE
              WHEN OTHER
                 MOVE '96'             TO RSP-CODE
           END-EVALUATE.
