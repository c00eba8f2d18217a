      * A message, and its answer: what is to be done, how it went,
      * and a contact.
           05  CA-ACTION               PIC X(01).
               88  CA-QUERY            VALUE 'Q'.
               88  CA-ALL-KINDS        VALUE 'M'.
           05  CA-STATE                PIC X(01).
           05  CA-CONTACT.
               10  CA-ID               PIC X(08).
               10  CA-NAME             PIC X(30).
               10  CA-PHONE            PIC X(20).
               10  CA-QUALIFIER        PIC X(10).
           05  FILLER                  PIC X(10).
