      * Gives the document's record back as it came: for the direct
      * path, which makes TEND of it.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. TENC.
       DATA DIVISION.
       LINKAGE SECTION.
       01  DFHCOMMAREA            PIC X(800).
       PROCEDURE DIVISION.
           EXEC CICS RETURN END-EXEC.
