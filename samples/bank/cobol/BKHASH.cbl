      ******************************************************************
      * BKHASH    Turns a user id and a password into the digest that
      *           the user file keeps, so that no password stands in the
      *           file. It shows a CALLed subprogram; a real shop leaves
      *           this to its security manager.
      *
      *           Characters count by their place in WS-ALPHABET, never
      *           by their code: the digest is the same everywhere.
      ******************************************************************
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BKHASH.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-ALPHABET                     PIC X(37)
               VALUE ' ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'.
       01  WS-LETTERS REDEFINES WS-ALPHABET.
           05  WS-LETTER                   PIC X(01) OCCURS 37
                                           INDEXED BY WS-PLACE.
       01  WS-TEXT                         PIC X(16).
       01  WS-ROUND                        PIC S9(04) COMP.
       01  WS-POSITION                     PIC S9(04) COMP.
       01  WS-VALUE                        PIC S9(04) COMP.
       01  WS-DIGEST                       PIC S9(18) COMP.
       01  WS-QUOTIENT                     PIC S9(18) COMP.
       01  WS-MODULUS                      PIC S9(18) COMP
                                           VALUE 999999999999989.
       LINKAGE SECTION.
       01  LK-USER-ID                      PIC X(08).
       01  LK-PASSWORD                     PIC X(08).
       01  LK-DIGEST                       PIC 9(15).
       PROCEDURE DIVISION USING LK-USER-ID LK-PASSWORD LK-DIGEST.
       MAIN-LINE.
           MOVE LK-USER-ID             TO WS-TEXT(1:8)
           MOVE LK-PASSWORD            TO WS-TEXT(9:8)
           MOVE 7                      TO WS-DIGEST
           PERFORM STIR-ONE-LETTER
              VARYING WS-ROUND FROM 1 BY 1 UNTIL WS-ROUND > 20
                AFTER WS-POSITION FROM 1 BY 1 UNTIL WS-POSITION > 16
           MOVE WS-DIGEST              TO LK-DIGEST
           GOBACK.

       STIR-ONE-LETTER.
           SET WS-PLACE                TO 1
           SEARCH WS-LETTER
              AT END
                 MOVE 99               TO WS-VALUE
              WHEN WS-LETTER(WS-PLACE) = WS-TEXT(WS-POSITION:1)
                 SET WS-VALUE          TO WS-PLACE
           END-SEARCH
           COMPUTE WS-DIGEST = WS-DIGEST * 131 + WS-VALUE * WS-ROUND
           DIVIDE WS-DIGEST BY WS-MODULUS
              GIVING WS-QUOTIENT REMAINDER WS-DIGEST.
