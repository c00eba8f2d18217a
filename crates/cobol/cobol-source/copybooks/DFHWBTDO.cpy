      * COMMAREA of an analyzer: COPY it below a level 01.
           05  WBRA-EYECATCHER           PIC X(8).
           05  WBRA-FUNCTION             PIC S9(8) COMP.
           05  WBRA-REQUEST-TYPE         PIC X(1).
           05  WBRA-UNESCAPE             PIC X(1).
           05  WBRA-COMMAREA             PIC X(1).
           05  FILLER                    PIC X(1).
      * The client, and the address it has come to.
           05  WBRA-CLIENT-IP-ADDRESS    PIC X(4).
           05  WBRA-SERVER-IP-ADDRESS    PIC X(4).
           05  WBRA-CLIENT-IPV6-ADDRESS  PIC X(16).
           05  WBRA-SERVER-IPV6-ADDRESS  PIC X(16).
      * The request.
           05  WBRA-CONTENT-LENGTH       PIC S9(8) COMP.
           05  WBRA-METHOD-LENGTH        PIC S9(8) COMP.
           05  WBRA-METHOD-PTR           USAGE POINTER.
           05  WBRA-HTTP-VERSION-PTR     USAGE POINTER.
           05  WBRA-RESOURCE-PTR         USAGE POINTER.
           05  WBRA-QUERYSTRING-PTR      USAGE POINTER.
           05  WBRA-REQUEST-HEADER-PTR   USAGE POINTER.
           05  WBRA-HOSTNAME-PTR         USAGE POINTER.
           05  WBRA-USER-DATA-PTR        USAGE POINTER.
           05  WBRA-HTTP-VERSION-LENGTH  PIC S9(8) COMP.
           05  WBRA-RESOURCE-LENGTH      PIC S9(8) COMP.
           05  WBRA-QUERYSTRING-LENGTH   PIC S9(8) COMP.
           05  WBRA-REQUEST-HEADER-LENGTH PIC S9(8) COMP.
           05  WBRA-HOSTNAME-LENGTH      PIC S9(8) COMP.
           05  WBRA-USER-DATA-LENGTH     PIC S9(8) COMP.
           05  WBRA-URIMAP               PIC X(8).
      * What is to become of it.
           05  WBRA-ALIAS-TRANID         PIC X(4).
           05  WBRA-ALIAS-TERMID         PIC X(4).
           05  WBRA-CONVERTER-PROGRAM    PIC X(8).
           05  WBRA-SERVER-PROGRAM       PIC X(8).
           05  WBRA-USERID               PIC X(8).
           05  WBRA-USER-TOKEN           PIC X(8).
           05  WBRA-CHARACTERSET         PIC X(40).
           05  WBRA-HOSTCODEPAGE         PIC X(10).
           05  FILLER                    PIC X(2).
           05  WBRA-DFHCNV-KEY           PIC X(8).
           05  WBRA-RESPONSE             PIC S9(8) COMP.
           05  WBRA-REASON               PIC S9(8) COMP.
