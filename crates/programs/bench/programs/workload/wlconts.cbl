      * The container study: as many BIT containers of 8 bytes as were
      * typed are put into one channel, and read in reverse order.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WLCONTS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-NAME.
           05  FILLER                  PIC X(6) VALUE 'STUDY-'.
           05  WS-NUMBER               PIC 9(8).
       01  WS-DATA                     PIC X(8) VALUE 'CONTENTS'.
       01  WS-GOT                      PIC S9(8) COMP.
       COPY WLDATA.
       LINKAGE SECTION.
       01  DFHCOMMAREA                 PIC X(16).
       PROCEDURE DIVISION.
       COPY WLTASK.

       WORK.
           PERFORM VARYING WS-NUMBER FROM 1 BY 1
                   UNTIL WS-NUMBER > ST-COUNT
              EXEC CICS PUT CONTAINER(WS-NAME) CHANNEL('STUDY')
                        FROM(WS-DATA) FLENGTH(8) BIT
              END-EXEC
           END-PERFORM
           PERFORM VARYING WS-NUMBER FROM ST-COUNT BY -1
                   UNTIL WS-NUMBER < 1
              MOVE 8                   TO WS-GOT
              EXEC CICS GET CONTAINER(WS-NAME) CHANNEL('STUDY')
                        INTO(WS-DATA) FLENGTH(WS-GOT)
              END-EXEC
           END-PERFORM.
