      * The floor of a task: 21 calls and a little arithmetic between
      * them, on the bare host.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. STRAIGHT.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 WS-ID PIC 9(9) COMP-5 VALUE 0.
       01 WS-SUM PIC S9(15) COMP-3 VALUE 0.
       01 WS-I PIC S9(8) COMP VALUE 0.
       01 WS-OP PIC X(8) VALUE 'FIRST'.
       COPY STORAGE.
       PROCEDURE DIVISION.
       MAIN-PARA.
           CALL 'DFHEI1' USING WS-OP WS-ID.
           SET IX TO 3.
           PERFORM VARYING WS-I FROM 1 BY 1 UNTIL WS-I > 20
              ADD WS-ID TO WS-SUM
              MOVE WS-ID TO WS-N(IX)
              SET IX UP BY 1
              MOVE 'WAIT' TO WS-OP
              CALL 'DFHEI1' USING WS-OP WS-ID
           END-PERFORM.
           GOBACK.
