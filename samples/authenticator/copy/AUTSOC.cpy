      ******************************************************************
      * What every CALL 'EZASOKET' needs.
      ******************************************************************
       01  AUTSOC.
           05  SOC-SOCKET                  PIC X(16) VALUE 'SOCKET'.
           05  SOC-CONNECT                 PIC X(16) VALUE 'CONNECT'.
           05  SOC-TAKESOCKET              PIC X(16) VALUE 'TAKESOCKET'.
           05  SOC-SETSOCKOPT              PIC X(16) VALUE 'SETSOCKOPT'.
           05  SOC-PTON                    PIC X(16) VALUE 'PTON'.
           05  SOC-READ                    PIC X(16) VALUE 'READ'.
           05  SOC-WRITE                   PIC X(16) VALUE 'WRITE'.
           05  SOC-CLOSE                   PIC X(16) VALUE 'CLOSE'.
           05  SOC-AF-INET                 PIC 9(08) COMP VALUE 2.
           05  SOC-STREAM                  PIC 9(08) COMP VALUE 1.
           05  SOC-TCP                     PIC 9(08) COMP VALUE 0.
           05  SOC-RCVTIMEO                PIC X(16).
           05  SOC-DESCRIPTOR              PIC 9(04) COMP.
           05  SOC-LENGTH                  PIC 9(08) COMP.
           05  SOC-ERRNO                   PIC 9(08) COMP.
           05  SOC-RETCODE                 PIC S9(08) COMP.
