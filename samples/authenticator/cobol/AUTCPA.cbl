      ******************************************************************
      * AUTCPA    The card present API: authenticates the code that a
      *           card has put into track 2. LINK to it, or CALL it,
      *           with AUTPARM. What it changes belongs to the caller's
      *           unit of work: a counter is taken when that commits.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. AUTCPA.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-SEPARATOR                    PIC S9(04) COMP.
       COPY AUTWRK.
       COPY AUTCLK.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY AUTPARM REPLACING ==01  AUTPARM== BY ==03  AUTPARM==.
       PROCEDURE DIVISION.
       MAIN-LINE.
           PERFORM CLOCK-START
           SET AP-MALFORMED            TO TRUE
           PERFORM FIND-SEPARATOR
           IF WS-SEPARATOR > 0
              PERFORM TAKE-CARD
              CALL 'AUTVER' USING DFHEIBLK DFHCOMMAREA AUTWRK AUTPARM
           END-IF
           PERFORM CLOCK-STOP
      * Back to whoever has LINKed here, or CALLed.
           GOBACK.

      * Most card numbers have 16 digits.
       FIND-SEPARATOR.
           IF AP-TRACK2(17:1) = '='
              MOVE 17                  TO WS-SEPARATOR
           ELSE
              PERFORM VARYING WS-SEPARATOR FROM 13 BY 1
                      UNTIL WS-SEPARATOR > 20
                         OR AP-TRACK2(WS-SEPARATOR:1) = '=' OR 'D'
                 CONTINUE
              END-PERFORM
              IF WS-SEPARATOR > 20
                 MOVE ZERO             TO WS-SEPARATOR
              END-IF
           END-IF.

       TAKE-CARD.
           SET AW-CARD-PRESENT         TO TRUE
           MOVE WS-SEPARATOR           TO AW-PAN-LENGTH
           SUBTRACT 1                  FROM AW-PAN-LENGTH
           MOVE AP-TRACK2(1:AW-PAN-LENGTH)
                                       TO AW-PAN
           MOVE AP-TRACK2(WS-SEPARATOR + 1:4)
                                       TO AW-EXPIRY
           MOVE AP-TRACK2(WS-SEPARATOR + 5:3)
                                       TO AW-SERVICE-CODE
           MOVE AP-SEQUENCE            TO AW-SEQUENCE
      * What is left of 37 behind expiry and service code.
           MOVE 30                     TO AW-CARRIER-LENGTH
           SUBTRACT WS-SEPARATOR       FROM AW-CARRIER-LENGTH
           MOVE AP-TRACK2(WS-SEPARATOR + 8:AW-CARRIER-LENGTH)
                                       TO AW-CARRIER.

           COPY AUTCLKP.
