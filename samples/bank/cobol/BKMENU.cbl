      ******************************************************************
      * BKMENU    BKMN   The main menu. An option whose program is not
      *           installed in this region says so; one that only
      *           managers may use is not shown to clerks.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BKMENU.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-PROGRAM                      PIC X(08) VALUE 'BKMENU'.
       01  WS-TRANID                       PIC X(04) VALUE 'BKMN'.
       01  WS-NEXT-PROGRAM                 PIC X(08).
       01  WS-CHOICE                       PIC 9(02).
       01  WS-OPTION-COUNT                 PIC S9(04) COMP VALUE 12.
       01  WS-OPTION-VALUES.
           05  FILLER PIC X(40) VALUE 'BKLISTCCustomers'.
           05  FILLER PIC X(40) VALUE 'BKVIEWCAccount and movements'.
           05  FILLER PIC X(40) VALUE 'BKADDCCNew customer'.
           05  FILLER PIC X(40) VALUE 'BKUPDTCChange a customer'.
           05  FILLER PIC X(40) VALUE 'BKDELEMClose a customer'.
           05  FILLER PIC X(40) VALUE 'BKXFERCTransfer'.
           05  FILLER PIC X(40) VALUE 'BKREPTCReports and statements'.
           05  FILLER PIC X(40) VALUE 'BKTELLCTeller''s enquiry'.
           05  FILLER PIC X(40) VALUE 'BKLOANCMortgages'.
           05  FILLER PIC X(40) VALUE 'BKRECVMRecovery exercise'.
           05  FILLER PIC X(40) VALUE 'BKPAYECPayees'.
           05  FILLER PIC X(40) VALUE 'BKSTORCStanding orders'.
       01  WS-OPTIONS REDEFINES WS-OPTION-VALUES.
           05  WS-OPTION                   OCCURS 12
                                           INDEXED BY WS-OPT.
               10  WS-OPTION-PROGRAM       PIC X(06).
               10  WS-OPTION-FOR           PIC X(01).
                   88  WS-FOR-MANAGERS         VALUE 'M'.
               10  WS-OPTION-TEXT          PIC X(33).
       01  WS-OPTION-LINE.
           05  WS-LINE-NUMBER              PIC Z9.
           05  FILLER                      PIC X(02) VALUE '. '.
           05  WS-LINE-TEXT                PIC X(33).
       COPY BKWORK.
       COPY BKCOMM.
       COPY BKMNU.
      * The twelve option lines of the map as a table.
       01  WS-LINES REDEFINES BKMNUMI.
           05  FILLER                      PIC X(12).
           05  FILLER                      PIC X(05).
           05  FILLER                      PIC X(04).
           05  FILLER                      PIC X(05).
           05  FILLER                      PIC X(10).
           05  FILLER                      PIC X(05).
           05  FILLER                      PIC X(08).
           05  FILLER                      PIC X(05).
           05  FILLER                      PIC X(08).
           05  FILLER                      PIC X(05).
           05  FILLER                      PIC X(30).
           05  WS-LINE                     OCCURS 12.
               10  FILLER                  PIC X(05).
               10  WS-LINE-O               PIC X(40).
       COPY DFHAID.
       COPY DFHBMSCA.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  FILLER                      PIC X(01)
               OCCURS 1 TO 32767 TIMES DEPENDING ON EIBCALEN.
       PROCEDURE DIVISION.
       MAIN-LINE.
           PERFORM TAKE-THE-COMMAREA
           MOVE LOW-VALUES             TO BKMNUMO
           IF BK-JUST-ENTERED
              SET BK-ASKED             TO TRUE
              PERFORM SHOW-MENU
           ELSE
              EVALUATE EIBAID
                 WHEN DFHENTER
                    PERFORM TAKE-THE-CHOICE
                 WHEN DFHPF3
                    MOVE 'BKSIGN'      TO WS-NEXT-PROGRAM
                    EXEC CICS XCTL PROGRAM(WS-NEXT-PROGRAM) END-EXEC
                 WHEN OTHER
                    MOVE 'Invalid key. Use ENTER or PF3.' TO WS-MESSAGE
              END-EVALUATE
              PERFORM SHOW-MENU
           END-IF
           PERFORM WAIT-FOR-KEY
           GOBACK.

       TAKE-THE-CHOICE.
           EXEC CICS RECEIVE
                     MAP   ('BKMNUM')
                     MAPSET('BKMNU')
                     RESP  (WS-RESP)
           END-EXEC
           IF OPTIONI OF BKMNUMI IS NUMERIC
              MOVE OPTIONI OF BKMNUMI  TO WS-CHOICE
           ELSE
              MOVE ZERO                TO WS-CHOICE
           END-IF
           MOVE LOW-VALUES             TO BKMNUMO
           IF WS-CHOICE = ZERO OR WS-CHOICE > WS-OPTION-COUNT
              MOVE 'Please choose one of the options above.'
                                       TO WS-MESSAGE
           ELSE
              SET WS-OPT               TO WS-CHOICE
              IF WS-FOR-MANAGERS(WS-OPT) AND NOT BK-MANAGER
                 MOVE 'Only a manager may do that.' TO WS-MESSAGE
              ELSE
                 PERFORM GO-TO-THE-OPTION
              END-IF
           END-IF.

       GO-TO-THE-OPTION.
           MOVE WS-OPTION-PROGRAM(WS-OPT) TO WS-NEXT-PROGRAM
           EXEC CICS INQUIRE
                     PROGRAM(WS-NEXT-PROGRAM)
                     NOHANDLE
           END-EXEC
           IF EIBRESP = DFHRESP(NORMAL)
              MOVE ZERO                TO BK-CUS-NO BK-ACC-NO
              PERFORM HAND-OVER
           END-IF
           STRING WS-OPTION-TEXT(WS-OPT) DELIMITED BY '  '
                  ' is not installed in this region.'
                                          DELIMITED BY SIZE
             INTO WS-MESSAGE.

       SHOW-MENU.
           PERFORM FILL-HEADER
           MOVE BK-USER-NAME           TO UNAMEO OF BKMNUMO
           PERFORM FILL-OPTION-LINE
              VARYING WS-OPT FROM 1 BY 1 UNTIL WS-OPT > WS-OPTION-COUNT
           MOVE -1                     TO OPTIONL
           EXEC CICS SEND
                     MAP   ('BKMNUM')
                     MAPSET('BKMNU')
                     FROM  (BKMNUMO)
                     ERASE
                     CURSOR
           END-EXEC.

       FILL-OPTION-LINE.
           IF BK-MANAGER OR NOT WS-FOR-MANAGERS(WS-OPT)
              SET WS-CHOICE            TO WS-OPT
              MOVE WS-CHOICE           TO WS-LINE-NUMBER
              MOVE WS-OPTION-TEXT(WS-OPT) TO WS-LINE-TEXT
              MOVE WS-OPTION-LINE      TO WS-LINE-O(WS-CHOICE)
           END-IF.

       COPY BKHEAD REPLACING ==:MAP:== BY ==BKMNUM==.
       COPY BKSIGNED.
       COPY BKLEAVE.
