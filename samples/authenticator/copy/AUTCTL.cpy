      ******************************************************************
      * The HSM channels: shared storage, anchored in the first eight
      * bytes of the common work area. AUTINI gets it. A channel writes
      * its own row; a requester that has reserved the channel writes
      * the request in it.
      ******************************************************************
       01  AUTCTL.
           05  CTL-EYE                     PIC X(08).
           05  CTL-STOP-SWITCH             PIC X(01).
               88  CTL-STOPS                   VALUE 'Y'.
           05  CTL-KEEP-SWITCH             PIC X(01).
               88  CTL-KEEPS-NO-CONNECTION     VALUE 'N'.
           05  CTL-CHANNELS                PIC S9(08) COMP-5.
      * The channel that was taken last. Two tasks may take the same:
      * the enqueue sorts that out.
           05  CTL-LAST                    PIC S9(08) COMP-5.
           05  CTL-HSM-SECONDS             PIC S9(08) COMP-5.
           05  CTL-CLIENT-SECONDS          PIC S9(08) COMP-5.
           05  CTL-HSMS                    PIC S9(08) COMP-5.
           05  CTL-HSM                     OCCURS 4.
               10  CTL-HSM-ADDRESS         PIC X(15).
               10  CTL-HSM-PORT            PIC 9(05).
           05  CTL-CHANNEL                 OCCURS 64.
               10  CH-STATE                PIC X(01).
                   88  CH-UP                   VALUE 'U'.
                   88  CH-DOWN                 VALUE 'D'.
                   88  CH-ENDED                VALUE 'E'.
      * Where it is, and where it was dealt out to.
               10  CH-HSM                  PIC S9(08) COMP-5.
               10  CH-HOME                 PIC S9(08) COMP-5.
      * The POST that the channel waits for, and its requester.
               10  CH-WAKE                 PIC X(08).
               10  CH-DONE                 PIC X(08).
               10  CH-REQUEST              PIC X(01).
                   88  CH-REQUESTED            VALUE 'R'.
                   88  CH-ANSWERED             VALUE 'A'.
                   88  CH-FAILED               VALUE 'F'.
                   88  CH-ABANDONED            VALUE 'X'.
                   88  CH-FREE                 VALUE 'N'.
               10  CH-COMMAND-LENGTH       PIC S9(04) COMP.
               10  CH-COMMAND              PIC X(256).
               10  CH-RESPONSE-LENGTH      PIC S9(04) COMP.
               10  CH-RESPONSE             PIC X(256).
      * For the health display.
               10  CH-REQUESTS             PIC S9(08) COMP-5.
               10  CH-FAILURES             PIC S9(08) COMP-5.
               10  CH-CONNECTS             PIC S9(08) COMP-5.
               10  CH-LAST-ERRNO           PIC S9(08) COMP-5.
