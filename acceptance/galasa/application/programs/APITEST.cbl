       IDENTIFICATION DIVISION.
       PROGRAM-ID. APITEST.
       DATA DIVISION.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           02  A-CHARACTER PIC X OCCURS 1 TO 100
               DEPENDING ON EIBCALEN.
       PROCEDURE DIVISION.
      *    What came goes back in capitals.
           INSPECT DFHCOMMAREA CONVERTING
               'abcdefghijklmnopqrstuvwxyz' TO
               'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.
           EXEC CICS RETURN END-EXEC.
