       IDENTIFICATION DIVISION.
       PROGRAM-ID. HELLO.
       PROCEDURE DIVISION.
      *    The user's own screen, until a key is pressed.
           EXEC CICS SEND TEXT FROM('HELLO') ERASE FREEKB END-EXEC.
           EXEC CICS RETURN END-EXEC.
