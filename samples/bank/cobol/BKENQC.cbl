      ******************************************************************
      * BKENQC    The customer enquiry: LINKed with a COMMAREA, gives
      *           name and address ready for a screen.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BKENQC.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                         PIC S9(08) COMP.
       COPY BKRCUS.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  FILLER                      PIC X(108).
       COPY BKLENQ.
       PROCEDURE DIVISION.
       MAIN-LINE.
           IF EIBCALEN < LENGTH OF ENQUIRY
              EXEC CICS ABEND ABCODE('BKCA') END-EXEC
           END-IF
           SET ADDRESS OF ENQUIRY      TO ADDRESS OF DFHCOMMAREA
           MOVE SPACES                 TO ENQ-NAME ENQ-ADDRESS
           EXEC CICS READ
                     FILE  ('BKCUST')
                     INTO  (CUSTOMER-RECORD)
                     RIDFLD(ENQ-CUS-NO)
                     RESP  (WS-RESP)
           END-EXEC
           EVALUATE WS-RESP
              WHEN DFHRESP(NORMAL)
                 SET ENQ-FOUND         TO TRUE
                 STRING CUS-FIRST-NAME DELIMITED BY '  '
                        ' '            DELIMITED BY SIZE
                        CUS-SURNAME    DELIMITED BY '  '
                   INTO ENQ-NAME
                 STRING CUS-STREET     DELIMITED BY '  '
                        ', '           DELIMITED BY SIZE
                        CUS-TOWN       DELIMITED BY '  '
                        ' '            DELIMITED BY SIZE
                        CUS-POSTCODE   DELIMITED BY SIZE
                   INTO ENQ-ADDRESS
              WHEN DFHRESP(NOTFND)
                 SET ENQ-UNKNOWN       TO TRUE
              WHEN OTHER
                 SET ENQ-FAILED        TO TRUE
           END-EVALUATE
           EXEC CICS RETURN END-EXEC
           GOBACK.
