      * The parameters of BKDATE, the date check.
       01  DATE-CHECK.
           05  DCK-DATE                    PIC X(10).
           05  DCK-FORMAT                  PIC X(10).
           05  DCK-ANSWER                  PIC X(01).
               88  DCK-GOOD                    VALUE 'G'.
               88  DCK-BAD                     VALUE 'B'.
           05  DCK-MESSAGE-NUMBER          PIC 9(04).
           05  DCK-DAY-NUMBER              PIC S9(09) COMP.
