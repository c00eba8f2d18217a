      ******************************************************************
      * AUTINI    Runs when the region starts (program list): gets the
      *           table of HSM channels from the Configuration table and
      *           starts a task for each.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. AUTINI.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                         PIC S9(08) COMP.
       01  WS-CWA-POINTER                  USAGE POINTER.
       01  WS-CONTROL-POINTER              USAGE POINTER.
       01  WS-CONTROL-LENGTH               PIC S9(08) COMP.
       01  WS-ZERO                         PIC X(01) VALUE LOW-VALUE.
       01  WS-CHANNEL                      PIC S9(08) COMP.
       01  WS-HSM                          PIC S9(08) COMP.
       COPY AUTRCFG.
       COPY AUTRKEY.
       LINKAGE SECTION.
       01  CWA.
           05  CWA-AUTCTL                  USAGE POINTER.
       COPY AUTCTL.
       PROCEDURE DIVISION.
       MAIN-LINE.
           EXEC CICS READ FILE('AUTCFG') INTO(CONFIG-RECORD)
                     RIDFLD('CONFIG  ') RESP(WS-RESP)
           END-EXEC
           EVALUATE TRUE
              WHEN WS-RESP NOT = DFHRESP(NORMAL)
                 DISPLAY 'AUTINI: no configuration: RESP ' WS-RESP
                         '. Load record CONFIG of file AUTCFG.'
              WHEN CFG-CHANNELS < 1 OR > 64 OR CFG-HSMS < 1 OR > 4
                 DISPLAY 'AUTINI: 1 to 64 channels and 1 to 4 HSMs: '
                         CFG-CHANNELS ' and ' CFG-HSMS
                         ' are configured. No channel is started.'
              WHEN OTHER
                 PERFORM MAKE-TABLE
                 PERFORM START-CHANNEL
                         VARYING WS-CHANNEL FROM 1 BY 1
                         UNTIL WS-CHANNEL > CTL-CHANNELS
                 DISPLAY 'AUTINI: ' CFG-CHANNELS ' channels to '
                         CFG-HSMS ' HSMs are started'
                 PERFORM IMPORT-FIRST-PORTFOLIO
           END-EVALUATE
           EXEC CICS RETURN END-EXEC
           GOBACK.

       MAKE-TABLE.
           MOVE LENGTH OF AUTCTL       TO WS-CONTROL-LENGTH
           EXEC CICS GETMAIN SET(WS-CONTROL-POINTER)
                     FLENGTH(WS-CONTROL-LENGTH)
                     INITIMG(WS-ZERO) SHARED
           END-EXEC
           SET ADDRESS OF AUTCTL       TO WS-CONTROL-POINTER
           MOVE 'AUTCTL'               TO CTL-EYE
           MOVE 'N'                    TO CTL-STOP-SWITCH
           MOVE CFG-CHANNELS           TO CTL-CHANNELS
           MOVE CFG-HSM-SECONDS        TO CTL-HSM-SECONDS
           MOVE CFG-CLIENT-SECONDS     TO CTL-CLIENT-SECONDS
           MOVE CFG-KEEP-SWITCH        TO CTL-KEEP-SWITCH
           MOVE CFG-HSMS               TO CTL-HSMS
           PERFORM VARYING WS-HSM FROM 1 BY 1 UNTIL WS-HSM > CTL-HSMS
              MOVE CFG-HSM(WS-HSM)     TO CTL-HSM(WS-HSM)
           END-PERFORM
           EXEC CICS ADDRESS CWA(WS-CWA-POINTER) END-EXEC
           SET ADDRESS OF CWA          TO WS-CWA-POINTER
           SET CWA-AUTCTL              TO WS-CONTROL-POINTER.

      * A region that knows no portfolio imports the batch that lies
      * there.
       IMPORT-FIRST-PORTFOLIO.
           MOVE LOW-VALUES             TO KEY-PORTFOLIO
           EXEC CICS STARTBR FILE('AUTKEY') RIDFLD(KEY-PORTFOLIO) GTEQ
                     RESP(WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
              EXEC CICS ENDBR FILE('AUTKEY') END-EXEC
           ELSE
              EXEC CICS START TRANSID('AIMP') END-EXEC
           END-IF.

      * Dealt out to the HSMs like cards.
       START-CHANNEL.
           SET CH-DOWN(WS-CHANNEL)     TO TRUE
           SET CH-FREE(WS-CHANNEL)     TO TRUE
           COMPUTE CH-HOME(WS-CHANNEL) =
              FUNCTION MOD(WS-CHANNEL - 1, CTL-HSMS) + 1
           MOVE CH-HOME(WS-CHANNEL)    TO CH-HSM(WS-CHANNEL)
           EXEC CICS START TRANSID('ACHN') FROM(WS-CHANNEL)
                     LENGTH(LENGTH OF WS-CHANNEL)
           END-EXEC.
