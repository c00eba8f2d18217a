      ******************************************************************
      * What AUTHSM takes and gives: a host command without length and
      * header, and its response.
      ******************************************************************
       01  AUTHSMP.
           05  HP-RESULT                   PIC X(01).
               88  HP-ANSWERED                 VALUE 'A'.
               88  HP-NO-HSM                   VALUE 'N'.
           05  HP-COMMAND-LENGTH           PIC S9(04) COMP.
           05  HP-COMMAND                  PIC X(256).
           05  HP-RESPONSE-LENGTH          PIC S9(04) COMP.
           05  HP-RESPONSE.
               10  HP-RESPONSE-CODE        PIC X(02).
               10  HP-ERROR                PIC X(02).
               10  HP-FIELDS               PIC X(252).
