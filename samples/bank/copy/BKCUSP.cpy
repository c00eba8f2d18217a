      ******************************************************************
      * What BKADDC, BKUPDT and BKDELE do alike with the customer map.
      ******************************************************************
       CUSTOMER-TO-SCREEN.
           MOVE CUS-NO                 TO CUSNOO  OF BKCUSMO
           MOVE CUS-SURNAME            TO SURNMO  OF BKCUSMO
           MOVE CUS-FIRST-NAME         TO FIRSTO  OF BKCUSMO
           MOVE CUS-BIRTH-DATE         TO BIRTHO  OF BKCUSMO
           MOVE CUS-STREET             TO STREETO OF BKCUSMO
           MOVE CUS-TOWN               TO TOWNO   OF BKCUSMO
           MOVE CUS-POSTCODE           TO POSTCO  OF BKCUSMO
           MOVE CUS-PHONE              TO PHONEO  OF BKCUSMO
           MOVE CUS-EMAIL              TO EMAILO  OF BKCUSMO
           MOVE CUS-RATING             TO RATINGO OF BKCUSMO
           MOVE CUS-CHANGED-BY         TO CHGBYO  OF BKCUSMO.

      * Nothing to type but a key: all fields protected, yet sent back.
       PROTECT-THE-FIELDS.
           MOVE DFHBMPRF               TO SURNMA  OF BKCUSMI
                                          FIRSTA  OF BKCUSMI
                                          BIRTHA  OF BKCUSMI
                                          STREETA OF BKCUSMI
                                          TOWNA   OF BKCUSMI
                                          POSTCA  OF BKCUSMI
                                          PHONEA  OF BKCUSMI
                                          EMAILA  OF BKCUSMI
                                          RATINGA OF BKCUSMI.

       PROTECT-THE-NUMBER.
           MOVE DFHBMASF               TO CUSNOA  OF BKCUSMI.

       SEND-WHOLE-SCREEN.
           PERFORM FILL-HEADER
           MOVE WS-ACTION              TO ACTIONO OF BKCUSMO
           EXEC CICS SEND
                     MAP   ('BKCUSM')
                     MAPSET('BKCUS')
                     FROM  (BKCUSMO)
                     ERASE
                     CURSOR
           END-EXEC.

       SEND-DATA-ONLY.
           PERFORM FILL-HEADER
           IF EIBAID = DFHCLEAR
      *       The terminal has erased the screen, labels and all.
              EXEC CICS SEND
                        MAP   ('BKCUSM')
                        MAPSET('BKCUS')
                        FROM  (BKCUSMO)
                        ERASE
                        CURSOR
              END-EXEC
           ELSE
              EXEC CICS SEND
                        MAP   ('BKCUSM')
                        MAPSET('BKCUS')
                        FROM  (BKCUSMO)
                        DATAONLY
                        CURSOR
              END-EXEC
           END-IF.

       GO-BACK.
           IF BK-CALLER = 'BKLIST'
              MOVE 'BKLIST'            TO WS-NEXT-PROGRAM
           ELSE
              MOVE 'BKMENU'            TO WS-NEXT-PROGRAM
           END-IF
           PERFORM HAND-OVER.
