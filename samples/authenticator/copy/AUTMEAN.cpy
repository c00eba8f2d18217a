      ******************************************************************
      * What the Authenticator's return codes mean.
      ******************************************************************
       01  AUTMEAN.
           05  FILLER   PIC X(24) VALUE '000AUTHENTIC'.
           05  FILLER   PIC X(24) VALUE '004WRONG CODE'.
           05  FILLER   PIC X(24) VALUE '008REPLAYED COUNTER'.
           05  FILLER   PIC X(24) VALUE '012OUTSIDE WINDOW'.
           05  FILLER   PIC X(24) VALUE '016OUTSIDE TIME'.
           05  FILLER   PIC X(24) VALUE '020UNKNOWN BIN'.
           05  FILLER   PIC X(24) VALUE '024UNKNOWN ACCOUNT'.
           05  FILLER   PIC X(24) VALUE '028EXPIRED CARD'.
           05  FILLER   PIC X(24) VALUE '032MALFORMED'.
           05  FILLER   PIC X(24) VALUE '036NO HSM'.
           05  FILLER   PIC X(24) VALUE '040FAILURE'.
       01  MEANING-TABLE REDEFINES AUTMEAN.
           05  MEANING                     OCCURS 11
                                           INDEXED BY MEANING-INDEX.
               10  MEANING-CODE            PIC 9(03).
               10  MEANING-TEXT            PIC X(21).
