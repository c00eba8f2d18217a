       IDENTIFICATION DIVISION.
       PROGRAM-ID. SOCKS.
      * A sender as it is written with EZASOKET: takes its socket, reads
      * the conversation's name, and sends each answer that the
      * receiver of that name leaves for it.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  SOC-TAKESOCKET        PIC X(16) VALUE 'TAKESOCKET'.
       01  SOC-READ              PIC X(16) VALUE 'READ'.
       01  SOC-WRITE             PIC X(16) VALUE 'WRITE'.
       01  SOC-CLOSE             PIC X(16) VALUE 'CLOSE'.
       01  TIM.
           05  GIVE-TAKE-SOCKET  PIC 9(8) COMP.
           05  LSTN-NAME         PIC X(8).
           05  LSTN-SUBNAME      PIC X(8).
           05  CLIENT-IN-DATA    PIC X(35).
           05  FILLER            PIC X(1).
           05  SOCK-FAMILY       PIC 9(4) COMP.
           05  FILLER            PIC X(94).
           05  DATA2-LENGTH      PIC 9(4) COMP.
           05  DATA2             PIC X(999).
       01  TIM-LENGTH            PIC S9(4) COMP.
       01  S                     PIC 9(4) BINARY.
       01  ERRNO                 PIC 9(8) BINARY.
       01  RETCODE               PIC S9(8) BINARY.
       01  NBYTE                 PIC 9(8) BINARY.
       01  CLIENTID.
           05  CID-DOMAIN        PIC 9(8) BINARY.
           05  CID-NAME          PIC X(8).
           05  CID-TASK          PIC X(8).
           05  FILLER            PIC X(20) VALUE LOW-VALUES.
       01  WS-NAME               PIC X(8).
       01  WS-ANSWER.
           05  WS-ANSWER-LENGTH  PIC 9(4) COMP.
           05  WS-ANSWER-DATA    PIC X(137).
       01  WS-LENGTH             PIC S9(4) COMP.
       01  WS-EVENT              POINTER.
       01  WS-RESP               PIC S9(8) COMP.
       01  WS-END                PIC X VALUE 'N'.
           88  IS-OVER           VALUE 'Y'.
       PROCEDURE DIVISION.
           MOVE 1153 TO TIM-LENGTH
           EXEC CICS RETRIEVE INTO(TIM) LENGTH(TIM-LENGTH) END-EXEC
           MOVE SOCK-FAMILY TO CID-DOMAIN
           MOVE LSTN-NAME TO CID-NAME
           MOVE LSTN-SUBNAME TO CID-TASK
           MOVE GIVE-TAKE-SOCKET TO S
           CALL 'EZASOKET' USING SOC-TAKESOCKET S CLIENTID
                                 ERRNO RETCODE
           MOVE RETCODE TO S
           MOVE 8 TO NBYTE
           CALL 'EZASOKET' USING SOC-READ S NBYTE WS-NAME
                                 ERRNO RETCODE
           IF RETCODE = 8
              PERFORM NEXT-ANSWER UNTIL IS-OVER
           END-IF
           CALL 'EZASOKET' USING SOC-CLOSE S ERRNO RETCODE
           EXEC CICS RETURN END-EXEC.

      * First something to be woken by, then a look, then sleep.
       NEXT-ANSWER.
           EXEC CICS POST AFTER SECONDS(30) REQID(WS-NAME)
                SET(WS-EVENT)
           END-EXEC
           PERFORM LOOK
           IF WS-RESP NOT = DFHRESP(NORMAL)
              EXEC CICS WAIT EVENT ECADDR(WS-EVENT) NAME('ANSWER')
              END-EXEC
              PERFORM LOOK
           END-IF
           IF WS-RESP = DFHRESP(NORMAL)
              PERFORM SEND-IT
           END-IF.

       LOOK.
           MOVE LENGTH OF WS-ANSWER TO WS-LENGTH
           EXEC CICS READQ TS QUEUE(WS-NAME) INTO(WS-ANSWER)
                LENGTH(WS-LENGTH) ITEM(1) RESP(WS-RESP)
           END-EXEC.

      * The client sends nothing more before it has this answer, so
      * the queue has no other.
       SEND-IT.
           EXEC CICS DELETEQ TS QUEUE(WS-NAME) END-EXEC
           IF WS-ANSWER-LENGTH = 0
              SET IS-OVER TO TRUE
           ELSE
              ADD 2 WS-ANSWER-LENGTH GIVING NBYTE
              CALL 'EZASOKET' USING SOC-WRITE S NBYTE WS-ANSWER
                                    ERRNO RETCODE
              IF RETCODE < 0
                 SET IS-OVER TO TRUE
              END-IF
           END-IF.
