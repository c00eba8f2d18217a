      ******************************************************************
      * AUTCNA    The card not present API: authenticates the code that
      *           a display card has shown to its holder, who typed it
      *           as the security code. LINK to it, or CALL it, with
      *           AUTPARM. What it changes belongs to the caller's unit
      *           of work.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. AUTCNA.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY AUTWRK.
       COPY AUTCLK.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY AUTPARM REPLACING ==01  AUTPARM== BY ==03  AUTPARM==.
       PROCEDURE DIVISION.
       MAIN-LINE.
           PERFORM CLOCK-START
           SET AP-MALFORMED            TO TRUE
           PERFORM TAKE-CARD
           IF AW-PAN-LENGTH >= 12 AND AW-CARRIER-LENGTH >= 3
              CALL 'AUTVER' USING DFHEIBLK DFHCOMMAREA AUTWRK AUTPARM
           END-IF
           PERFORM CLOCK-STOP
      * Back to whoever has LINKed here, or CALLed.
           GOBACK.

       TAKE-CARD.
           SET AW-CARD-NOT-PRESENT     TO TRUE
           MOVE AP-PAN                 TO AW-PAN
           PERFORM VARYING AW-PAN-LENGTH FROM 19 BY -1
                   UNTIL AW-PAN-LENGTH = 0
                      OR AP-PAN(AW-PAN-LENGTH:1) NOT = SPACE
              CONTINUE
           END-PERFORM
           MOVE AP-EXPIRY              TO AW-EXPIRY
      * Nobody reads a service code from the front of a card.
           MOVE SPACES                 TO AW-SERVICE-CODE
           MOVE AP-SEQUENCE            TO AW-SEQUENCE
           MOVE AP-SECURITY-CODE       TO AW-CARRIER
           PERFORM VARYING AW-CARRIER-LENGTH FROM 4 BY -1
                   UNTIL AW-CARRIER-LENGTH = 0
                      OR AP-SECURITY-CODE(AW-CARRIER-LENGTH:1)
                         NOT = SPACE
              CONTINUE
           END-PERFORM.

           COPY AUTCLKP.
