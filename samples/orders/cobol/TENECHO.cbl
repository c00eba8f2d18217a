      ******************************************************************
      * TENECHO   Ten fields come, and go back as they are.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. TENECHO.
       DATA DIVISION.
       LINKAGE SECTION.
       01  DFHCOMMAREA            PIC X(800).
       PROCEDURE DIVISION.
           EXEC CICS RETURN END-EXEC.
