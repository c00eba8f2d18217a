       IDENTIFICATION DIVISION.
       PROGRAM-ID. SOCKR.
      * A receiver as it is written with EZASOKET: takes its socket,
      * reads the conversation's name and then messages behind their
      * lengths, LINKs to the customer's program with each, and leaves
      * its answer to the sender of that name.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  SOC-TAKESOCKET        PIC X(16) VALUE 'TAKESOCKET'.
       01  SOC-READ              PIC X(16) VALUE 'READ'.
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
       01  WS-GOT                PIC S9(8) COMP.
       01  WS-WANTED             PIC S9(8) COMP.
       01  WS-MESSAGE.
           05  WS-MESSAGE-LENGTH PIC 9(4) COMP.
           05  WS-MESSAGE-DATA   PIC X(137).
       01  WS-ANSWER-LENGTH      PIC S9(4) COMP.
       01  WS-RESP               PIC S9(8) COMP.
       01  WS-END                PIC X VALUE 'N'.
           88  CLIENT-HAS-GONE   VALUE 'Y'.
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
           MOVE 8 TO WS-WANTED
           PERFORM READ-BYTES
           MOVE WS-MESSAGE(1:8) TO WS-NAME
           PERFORM UNTIL CLIENT-HAS-GONE
              MOVE 139 TO WS-WANTED
              PERFORM READ-BYTES
              IF NOT CLIENT-HAS-GONE
                 PERFORM ANSWER-IT
              END-IF
           END-PERFORM
      * An empty answer ends the sender.
           MOVE 0 TO WS-MESSAGE-LENGTH
           MOVE 2 TO WS-ANSWER-LENGTH
           PERFORM HAND-OVER
           CALL 'EZASOKET' USING SOC-CLOSE S ERRNO RETCODE
           EXEC CICS RETURN END-EXEC.

       READ-BYTES.
           MOVE 0 TO WS-GOT
           PERFORM UNTIL WS-GOT = WS-WANTED OR CLIENT-HAS-GONE
              SUBTRACT WS-GOT FROM WS-WANTED GIVING NBYTE
              CALL 'EZASOKET' USING SOC-READ S NBYTE
                   WS-MESSAGE(WS-GOT + 1:) ERRNO RETCODE
              IF RETCODE > 0
                 ADD RETCODE TO WS-GOT
              ELSE
                 SET CLIENT-HAS-GONE TO TRUE
              END-IF
           END-PERFORM.

       ANSWER-IT.
           EXEC CICS LINK PROGRAM('SOCKL') COMMAREA(WS-MESSAGE)
                LENGTH(LENGTH OF WS-MESSAGE)
           END-EXEC
           ADD 2 WS-MESSAGE-LENGTH GIVING WS-ANSWER-LENGTH
           PERFORM HAND-OVER
           EXEC CICS SYNCPOINT END-EXEC.

      * First the answer, then the sender is woken: one that is awake
      * looks before it sleeps.
       HAND-OVER.
           EXEC CICS WRITEQ TS QUEUE(WS-NAME) FROM(WS-MESSAGE)
                LENGTH(WS-ANSWER-LENGTH) MAIN
           END-EXEC
           EXEC CICS CANCEL REQID(WS-NAME) RESP(WS-RESP) END-EXEC.
