      ******************************************************************
      * Configuration table: one record, key CONFIG.
      ******************************************************************
       01  CONFIG-RECORD.
           05  CFG-KEY                     PIC X(08).
           05  CFG-LOG-SWITCH              PIC X(01).
               88  CFG-LOG-ON                  VALUE 'Y'.
               88  CFG-LOG-OFF                 VALUE 'N'.
      * Key-encrypting key under the HSM's local master key.
           05  CFG-KEK                     PIC X(33).
      * Channels in all, dealt out to the HSMs.
           05  CFG-CHANNELS                PIC 9(02).
      * Seconds that an HSM may take to answer.
           05  CFG-HSM-SECONDS             PIC 9(02).
      * Seconds that a client may say nothing.
           05  CFG-CLIENT-SECONDS          PIC 9(02).
           05  CFG-HSMS                    PIC 9(01).
           05  CFG-HSM                     OCCURS 4.
               10  CFG-HSM-ADDRESS         PIC X(15).
               10  CFG-HSM-PORT            PIC 9(05).
      * Whether a client may go on after a response: blank, or N.
           05  CFG-KEEP-SWITCH             PIC X(01).
               88  CFG-KEEPS-NO-CONNECTION     VALUE 'N'.
           05  FILLER                      PIC X(110).
