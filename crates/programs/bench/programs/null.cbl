      * The null task: attached, entered, back.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. NULL1.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY STORAGE.
       PROCEDURE DIVISION.
           EXEC CICS RETURN END-EXEC.
