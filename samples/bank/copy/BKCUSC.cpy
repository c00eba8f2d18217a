      ******************************************************************
      * What BKADDC and BKUPDT do alike with a customer that was typed.
      ******************************************************************
       SCREEN-TO-CUSTOMER.
           MOVE SURNMI  OF BKCUSMI     TO CUS-SURNAME
           MOVE FIRSTI  OF BKCUSMI     TO CUS-FIRST-NAME
           MOVE BIRTHI  OF BKCUSMI     TO CUS-BIRTH-DATE
           MOVE STREETI OF BKCUSMI     TO CUS-STREET
           MOVE TOWNI   OF BKCUSMI     TO CUS-TOWN
           MOVE POSTCI  OF BKCUSMI     TO CUS-POSTCODE
           MOVE PHONEI  OF BKCUSMI     TO CUS-PHONE
           MOVE EMAILI  OF BKCUSMI     TO CUS-EMAIL
           IF RATINGI OF BKCUSMI IS NUMERIC
              MOVE RATINGI OF BKCUSMI  TO CUS-RATING
           ELSE
              MOVE ZERO                TO CUS-RATING
           END-IF
           INSPECT CUSTOMER-RECORD REPLACING ALL LOW-VALUES BY SPACES.

      * The first field that is wrong gets the cursor and the message;
      * every wrong field turns red.
       CHECK-THE-CUSTOMER.
           MOVE DFHGREEN               TO SURNMC OF BKCUSMO
                                          FIRSTC OF BKCUSMO
                                          BIRTHC OF BKCUSMO
                                          TOWNC  OF BKCUSMO
                                          EMAILC OF BKCUSMO
           MOVE SPACES                 TO WS-MESSAGE
           IF CUS-SURNAME = SPACES
              MOVE DFHRED              TO SURNMC OF BKCUSMO
              PERFORM CURSOR-TO-SURNAME
           END-IF
           IF CUS-FIRST-NAME = SPACES
              MOVE DFHRED              TO FIRSTC OF BKCUSMO
              IF WS-MESSAGE = SPACES
                 MOVE -1               TO FIRSTL OF BKCUSMI
                 MOVE 'Please enter the first name.' TO WS-MESSAGE
              END-IF
           END-IF
           MOVE CUS-BIRTH-DATE         TO DCK-DATE
           MOVE 'YYYY-MM-DD'           TO DCK-FORMAT
           CALL 'BKDATE' USING DATE-CHECK
           IF DCK-BAD
              MOVE DFHRED              TO BIRTHC OF BKCUSMO
              IF WS-MESSAGE = SPACES
                 MOVE -1               TO BIRTHL OF BKCUSMI
                 STRING 'There is no such date (message '
                        DCK-MESSAGE-NUMBER ').' DELIMITED BY SIZE
                   INTO WS-MESSAGE
              END-IF
           END-IF
           IF CUS-TOWN = SPACES
              MOVE DFHRED              TO TOWNC OF BKCUSMO
              IF WS-MESSAGE = SPACES
                 MOVE -1               TO TOWNL OF BKCUSMI
                 MOVE 'Please enter the town.' TO WS-MESSAGE
              END-IF
           END-IF
           MOVE ZERO                   TO WS-AT-SIGNS
           INSPECT CUS-EMAIL TALLYING WS-AT-SIGNS FOR ALL '@'
           IF CUS-EMAIL NOT = SPACES AND WS-AT-SIGNS NOT = 1
              MOVE DFHRED              TO EMAILC OF BKCUSMO
              IF WS-MESSAGE = SPACES
                 MOVE -1               TO EMAILL OF BKCUSMI
                 MOVE 'That is no e-mail address.' TO WS-MESSAGE
              END-IF
           END-IF.

       CURSOR-TO-SURNAME.
           MOVE -1                     TO SURNML OF BKCUSMI
           MOVE 'Please enter the surname.' TO WS-MESSAGE.
