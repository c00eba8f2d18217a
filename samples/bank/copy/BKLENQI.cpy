      * What a web service asks BKENQC for: the begin of ENQUIRY.
       01  ENQUIRY-FOR.
           05  ENQ-CUS-NO                  PIC 9(06).
