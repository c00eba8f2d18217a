      * The COMMAREA of BKENQC, the customer enquiry.
       01  ENQUIRY.
           05  ENQ-CUS-NO                  PIC 9(06).
           05  ENQ-ANSWER                  PIC X(01).
               88  ENQ-FOUND                   VALUE 'F'.
               88  ENQ-UNKNOWN                 VALUE 'U'.
               88  ENQ-FAILED                  VALUE 'X'.
           05  ENQ-NAME                    PIC X(41).
           05  ENQ-ADDRESS                 PIC X(60).
