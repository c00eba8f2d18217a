      * Functions and responses of analyzers and converters.
       77  URP-ANALYZE                   PIC S9(8) COMP VALUE 1.
       77  URP-DECODE                    PIC S9(8) COMP VALUE 1.
       77  URP-ENCODE                    PIC S9(8) COMP VALUE 2.
       77  URP-OK                        PIC S9(8) COMP VALUE 0.
       77  URP-EXCEPTION                 PIC S9(8) COMP VALUE 4.
       77  URP-INVALID                   PIC S9(8) COMP VALUE 8.
       77  URP-DISASTER                  PIC S9(8) COMP VALUE 12.
       77  URP-OK-LOOP                   PIC S9(8) COMP VALUE 16.
       77  URP-SECURITY-FAILURE          PIC S9(8) COMP VALUE 1.
       77  URP-CORRUPT-CLIENT-DATA       PIC S9(8) COMP VALUE 2.
       77  URP-RECEIVE-OUTSTANDING       PIC S9(8) COMP VALUE 16.
