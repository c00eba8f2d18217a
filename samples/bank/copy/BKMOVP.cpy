      ******************************************************************
      * Moves WS-AMOUNT from account WS-FROM-NO to account WS-TO-NO: two
      * REWRITEs and two movements with WS-TEXT, in the unit of work of
      * whoever copies it.
      ******************************************************************
      * WS-FROM-BALANCE is what could still be drawn, overdraft counted.
       TAKE-IT-FROM-THE-ONE.
           EXEC CICS READ
                     FILE  ('BKACCT')
                     INTO  (ACCOUNT-RECORD)
                     RIDFLD(WS-FROM-NO)
                     UPDATE
           END-EXEC
           SUBTRACT WS-AMOUNT          FROM ACC-BALANCE
           COMPUTE WS-FROM-BALANCE = ACC-BALANCE + ACC-OVERDRAFT
           EXEC CICS REWRITE
                     FILE  ('BKACCT')
                     FROM  (ACCOUNT-RECORD)
           END-EXEC
           COMPUTE MOV-AMOUNT = ZERO - WS-AMOUNT
           MOVE WS-TO-NO               TO MOV-OTHER-ACC
           PERFORM WRITE-THE-MOVEMENT.

       GIVE-IT-TO-THE-OTHER.
           EXEC CICS READ
                     FILE  ('BKACCT')
                     INTO  (ACCOUNT-RECORD)
                     RIDFLD(WS-TO-NO)
                     UPDATE
           END-EXEC
           ADD WS-AMOUNT               TO ACC-BALANCE
           EXEC CICS REWRITE
                     FILE  ('BKACCT')
                     FROM  (ACCOUNT-RECORD)
           END-EXEC
           MOVE WS-AMOUNT              TO MOV-AMOUNT
           MOVE WS-FROM-NO             TO MOV-OTHER-ACC
           PERFORM WRITE-THE-MOVEMENT.

       WRITE-THE-MOVEMENT.
           MOVE 'MOVEMENT'             TO NUM-SERIES
           EXEC CICS LINK
                     PROGRAM ('BKSEQN')
                     COMMAREA(NUMBER-WANTED)
           END-EXEC
           EXEC CICS ASKTIME ABSTIME(WS-NOW) END-EXEC
           EXEC CICS FORMATTIME ABSTIME(WS-NOW)
                     YYYYMMDD(MOV-DATE) DATESEP('-')
           END-EXEC
           MOVE ACC-NO                 TO MOV-ACC-NO
           MOVE NUM-GIVEN              TO MOV-SEQUENCE
           MOVE ACC-BALANCE            TO MOV-BALANCE
           MOVE ACC-BRANCH             TO MOV-BRANCH
           MOVE WS-TEXT                TO MOV-TEXT
           EXEC CICS WRITE
                     FILE  ('BKMOVE')
                     FROM  (MOVEMENT-RECORD)
                     RIDFLD(MOV-KEY)
           END-EXEC.
