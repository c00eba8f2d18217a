      ******************************************************************
      * The two ways out of a screen program: wait for the next key in
      * the same transaction, or hand the terminal to another program.
      ******************************************************************
       WAIT-FOR-KEY.
           EXEC CICS RETURN
                     TRANSID (WS-TRANID)
                     COMMAREA(BK-COMMAREA)
                     LENGTH  (LENGTH OF BK-COMMAREA)
           END-EXEC.

       HAND-OVER.
           MOVE WS-PROGRAM        TO BK-CALLER
           SET BK-JUST-ENTERED    TO TRUE
           MOVE SPACES            TO BK-OWN
           EXEC CICS XCTL
                     PROGRAM (WS-NEXT-PROGRAM)
                     COMMAREA(BK-COMMAREA)
           END-EXEC.
