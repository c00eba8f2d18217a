      * A pseudo-conversation: the first task keeps the count, each
      * ENTER behind it is a task that works.
       MAIN-LINE.
           IF EIBCALEN = 0
              MOVE LENGTH OF WS-INPUT  TO WS-LENGTH
              MOVE SPACES              TO WS-INPUT
              EXEC CICS RECEIVE INTO(WS-INPUT) LENGTH(WS-LENGTH)
                        RESP(WS-RESP)
              END-EXEC
              MOVE 0                   TO ST-COUNT ST-TASK
              IF WS-INPUT-COUNT IS NUMERIC
                 MOVE WS-INPUT-COUNT   TO ST-COUNT
              END-IF
           ELSE
              MOVE DFHCOMMAREA         TO WS-STATE
              PERFORM WORK
              ADD 1                    TO ST-TASK
              MOVE 'DONE'              TO WS-ANSWER
           END-IF
           EXEC CICS SEND TEXT FROM(WS-ANSWER)
                     LENGTH(LENGTH OF WS-ANSWER) ERASE FREEKB
           END-EXEC
           EXEC CICS RETURN TRANSID(EIBTRNID) COMMAREA(WS-STATE)
                     LENGTH(LENGTH OF WS-STATE)
           END-EXEC
           GOBACK.
