       IDENTIFICATION DIVISION.
       PROGRAM-ID. ZFAMNC.
      * Stands in for the assembler program of this name: defines the
      * named counter of an instance and starts its expiration.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  COUNTER.
           05  INSTANCE-ID  PIC X(4).
           05  FILLER       PIC X(12) VALUE '_ZFAM'.
       01  EXPIRES.
           05  FILLER       PIC X(2) VALUE 'FX'.
           05  INSTANCE-NO  PIC X(2).
       01  TYPED            PIC X(9).
       01  TYPED-LENGTH     PIC S9(4) COMP VALUE 9.
       01  FIRST-VALUE      PIC S9(18) COMP VALUE 1.
       01  LAST-VALUE       PIC S9(18) COMP VALUE 4294967295.
       01  RESPONSE         PIC S9(8) COMP.
       PROCEDURE DIVISION.
           EXEC CICS RECEIVE INTO(TYPED) LENGTH(TYPED-LENGTH)
               NOHANDLE END-EXEC
           MOVE TYPED(6:4) TO INSTANCE-ID
           MOVE TYPED(8:2) TO INSTANCE-NO
           EXEC CICS DEFINE DCOUNTER(COUNTER) VALUE(FIRST-VALUE)
               MINIMUM(FIRST-VALUE) MAXIMUM(LAST-VALUE)
               RESP(RESPONSE) END-EXEC
           IF RESPONSE NOT = DFHRESP(NORMAL)
               EXEC CICS SEND TEXT FROM('Already defined') LENGTH(15)
                   ERASE FREEKB END-EXEC
               EXEC CICS RETURN END-EXEC
           END-IF
           EXEC CICS START TRANSID(EXPIRES) FROM(INSTANCE-ID) LENGTH(4)
               END-EXEC
           EXEC CICS SEND TEXT FROM('Named counter created') LENGTH(21)
               ERASE FREEKB END-EXEC
           EXEC CICS RETURN END-EXEC.
