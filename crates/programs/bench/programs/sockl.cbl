       IDENTIFICATION DIVISION.
       PROGRAM-ID. SOCKL.
      * A customer's program as it is LINKed to: a message of 137 bytes
      * comes in its COMMAREA, an answer of 106 goes back there.
       DATA DIVISION.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  MESSAGE-LENGTH    PIC 9(4) COMP.
           05  MESSAGE-DATA      PIC X(137).
       PROCEDURE DIVISION.
           MOVE 106 TO MESSAGE-LENGTH
           MOVE 'OK' TO MESSAGE-DATA(1:2)
           EXEC CICS RETURN END-EXEC.
