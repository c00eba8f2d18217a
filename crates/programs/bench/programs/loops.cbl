      * Calls and calls, for swaps of its image.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LOOPS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 WS-OP PIC X(8) VALUE 'WAIT'.
       COPY STORAGE.
       PROCEDURE DIVISION.
       MAIN-PARA.
           CALL 'DFHEI1' USING WS-OP.
           GO TO MAIN-PARA.
