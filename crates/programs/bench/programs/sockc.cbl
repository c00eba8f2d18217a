       IDENTIFICATION DIVISION.
       PROGRAM-ID. SOCKC.
      * A child server: takes the socket that the listener gives,
      * reads a message of 137 bytes, answers with 106, and closes.
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
       01  BUF                   PIC X(137).
       01  CLIENTID.
           05  CID-DOMAIN        PIC 9(8) BINARY.
           05  CID-NAME          PIC X(8).
           05  CID-TASK          PIC X(8).
           05  FILLER            PIC X(20) VALUE LOW-VALUES.
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
           MOVE 137 TO NBYTE
           CALL 'EZASOKET' USING SOC-READ S NBYTE BUF ERRNO RETCODE
           MOVE 106 TO NBYTE
           CALL 'EZASOKET' USING SOC-WRITE S NBYTE BUF ERRNO RETCODE
           CALL 'EZASOKET' USING SOC-CLOSE S ERRNO RETCODE
           EXEC CICS RETURN END-EXEC.
