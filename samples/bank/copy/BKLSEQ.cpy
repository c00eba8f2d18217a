      * The COMMAREA of BKSEQN, the giver of numbers.
       01  NUMBER-WANTED.
           05  NUM-SERIES                  PIC X(08).
           05  NUM-GIVEN                   PIC 9(08).
