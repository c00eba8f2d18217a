      ******************************************************************
      * AUTSWI    ALOG   The Validation Log's switch: ALOG ON, ALOG OFF,
      *                  or ALOG to see how it stands. The next
      *                  authentication heeds it.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. AUTSWI.
       ENVIRONMENT DIVISION.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                         PIC S9(08) COMP.
       01  WS-INPUT                        PIC X(20) VALUE SPACES.
       01  WS-INPUT-LENGTH                 PIC S9(04) COMP VALUE 20.
       01  WS-TRANSACTION                  PIC X(04).
       01  WS-WORD                         PIC X(03) VALUE SPACES.
       01  WS-SWITCH                       PIC X(01) VALUE SPACE.
       01  WS-ANSWER                       PIC X(60) VALUE SPACES.
       COPY AUTRCFG.
       PROCEDURE DIVISION.
       MAIN-LINE.
           EXEC CICS RECEIVE INTO(WS-INPUT) LENGTH(WS-INPUT-LENGTH)
                     RESP(WS-RESP)
           END-EXEC
           UNSTRING FUNCTION UPPER-CASE(WS-INPUT)
                    DELIMITED BY ALL SPACES
                    INTO WS-TRANSACTION WS-WORD
           END-UNSTRING
           EVALUATE WS-WORD
              WHEN 'ON'
                 MOVE 'Y'              TO WS-SWITCH
              WHEN 'OFF'
                 MOVE 'N'              TO WS-SWITCH
              WHEN SPACES
                 CONTINUE
              WHEN OTHER
                 MOVE 'Type ALOG ON, ALOG OFF, or ALOG alone.'
                                       TO WS-ANSWER
           END-EVALUATE
           IF WS-ANSWER = SPACES
              PERFORM SWITCH-AND-TELL
           END-IF
           EXEC CICS SEND TEXT FROM(WS-ANSWER)
                     LENGTH(LENGTH OF WS-ANSWER) ERASE FREEKB
           END-EXEC
           EXEC CICS RETURN END-EXEC
           GOBACK.

       SWITCH-AND-TELL.
           EXEC CICS READ FILE('AUTCFG') INTO(CONFIG-RECORD)
                     RIDFLD('CONFIG  ') UPDATE RESP(WS-RESP)
           END-EXEC
           IF WS-RESP NOT = DFHRESP(NORMAL)
              MOVE 'There is no record CONFIG in file AUTCFG.'
                                       TO WS-ANSWER
           ELSE
              IF WS-SWITCH NOT = SPACE
                 MOVE WS-SWITCH        TO CFG-LOG-SWITCH
                 EXEC CICS REWRITE FILE('AUTCFG') FROM(CONFIG-RECORD)
                 END-EXEC
                 EXEC CICS SYNCPOINT END-EXEC
              END-IF
              IF CFG-LOG-ON
                 MOVE 'The Validation Log is on.' TO WS-ANSWER
              ELSE
                 MOVE 'The Validation Log is off.' TO WS-ANSWER
              END-IF
           END-IF.
