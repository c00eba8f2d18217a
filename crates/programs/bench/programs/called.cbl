      * The program that is CALLed: it counts.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CALLED.
       DATA DIVISION.
       LINKAGE SECTION.
       01 LK-AREA PIC X(100).
       01 LK-COUNT PIC S9(9) COMP-5.
       PROCEDURE DIVISION USING LK-AREA LK-COUNT.
           ADD 1 TO LK-COUNT.
           GOBACK.
