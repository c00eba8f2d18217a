      * Channels of as many containers as the COMMAREA says, put and
      * got, as often as it says.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CONTS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 WS-NAME.
          05 FILLER PIC X(6) VALUE 'BENCH-'.
          05 WS-NUMBER PIC 9(8).
       01 WS-DATA PIC X(100) VALUE 'CONTAINER'.
       LINKAGE SECTION.
       01 DFHCOMMAREA.
          05 CA-CONTAINERS PIC 9(8).
          05 CA-CHANNELS PIC 9(8).
       PROCEDURE DIVISION.
           PERFORM CA-CHANNELS TIMES
              PERFORM VARYING WS-NUMBER FROM 1 BY 1
                      UNTIL WS-NUMBER > CA-CONTAINERS
                 EXEC CICS PUT CONTAINER(WS-NAME) CHANNEL('BENCH')
                      FROM(WS-DATA) END-EXEC
              END-PERFORM
              PERFORM VARYING WS-NUMBER FROM 1 BY 1
                      UNTIL WS-NUMBER > CA-CONTAINERS
                 EXEC CICS GET CONTAINER(WS-NAME) CHANNEL('BENCH')
                      INTO(WS-DATA) END-EXEC
              END-PERFORM
              EXEC CICS DELETE CHANNEL('BENCH') END-EXEC
           END-PERFORM.
           EXEC CICS RETURN END-EXEC.
