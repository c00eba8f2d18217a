       IDENTIFICATION DIVISION.
       PROGRAM-ID. ZUIDSTCK.
      * Stands in for the assembler program of this name: the clock
      * as STCKE stores it, to the 4096 microseconds that zECS uses.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  NOW.
           05  DAY-NOW     PIC 9(8).
           05  HOURS       PIC 9(2).
           05  MINUTES     PIC 9(2).
           05  SECONDS     PIC 9(2).
           05  HUNDREDTHS  PIC 9(2).
           05  FILLER      PIC X(5).
       01  DAYS            PIC 9(9) COMP.
       01  TICKS           PIC 9(18) COMP.
       01  TICKS-BYTES REDEFINES TICKS PIC X(8).
       LINKAGE SECTION.
       01  THE-CLOCK.
           05  EXTENSION   PIC X.
           05  HIGH-ORDER  PIC X(5).
           05  FILLER      PIC X(10).
       PROCEDURE DIVISION USING THE-CLOCK.
           MOVE FUNCTION CURRENT-DATE TO NOW
           COMPUTE DAYS = FUNCTION INTEGER-OF-DATE(DAY-NOW)
               - FUNCTION INTEGER-OF-DATE(19000101)
           COMPUTE TICKS = ((((DAYS * 24 + HOURS) * 60 + MINUTES) * 60
               + SECONDS) * 1000000 + HUNDREDTHS * 10000) / 4096
           MOVE LOW-VALUES TO THE-CLOCK
           MOVE TICKS-BYTES(4:5) TO HIGH-ORDER
           GOBACK.
