      * COMMAREA of a converter: COPY it below a level 01.
           05  DECODE-PARMS.
               10  DECODE-EYECATCHER         PIC X(8).
               10  DECODE-FUNCTION           PIC S9(8) COMP.
               10  DECODE-VERSION            PIC S9(8) COMP.
               10  DECODE-RESPONSE           PIC S9(8) COMP.
               10  DECODE-REASON             PIC S9(8) COMP.
               10  DECODE-USER-TOKEN         PIC X(8).
               10  DECODE-ENTRY-COUNT        PIC S9(8) COMP.
               10  DECODE-VOLATILE           PIC X(1).
               10  FILLER                    PIC X(3).
               10  DECODE-SERVER-PROGRAM     PIC X(8).
               10  DECODE-DATA-PTR           USAGE POINTER.
               10  DECODE-INPUT-DATA-LEN     PIC S9(8) COMP.
               10  DECODE-OUTPUT-DATA-LEN    PIC S9(8) COMP.
               10  DECODE-CLIENT-ADDRESS     PIC X(4).
               10  DECODE-METHOD-LENGTH      PIC S9(8) COMP.
               10  DECODE-METHOD-PTR         USAGE POINTER.
               10  DECODE-HTTP-VERSION-PTR   USAGE POINTER.
               10  DECODE-RESOURCE-PTR       USAGE POINTER.
               10  DECODE-REQUEST-HEADER-PTR USAGE POINTER.
               10  DECODE-USER-DATA-PTR      USAGE POINTER.
               10  DECODE-HTTP-VERSION-LENGTH PIC S9(8) COMP.
               10  DECODE-RESOURCE-LENGTH    PIC S9(8) COMP.
               10  DECODE-REQUEST-HEADER-LENGTH PIC S9(8) COMP.
               10  DECODE-USER-DATA-LENGTH   PIC S9(8) COMP.
           05  ENCODE-PARMS REDEFINES DECODE-PARMS.
               10  ENCODE-EYECATCHER         PIC X(8).
               10  ENCODE-FUNCTION           PIC S9(8) COMP.
               10  ENCODE-VERSION            PIC S9(8) COMP.
               10  ENCODE-RESPONSE           PIC S9(8) COMP.
               10  ENCODE-REASON             PIC S9(8) COMP.
               10  ENCODE-USER-TOKEN         PIC X(8).
               10  ENCODE-ENTRY-COUNT        PIC S9(8) COMP.
               10  ENCODE-VOLATILE           PIC X(1).
               10  FILLER                    PIC X(3).
               10  ENCODE-SERVER-PROGRAM     PIC X(8).
               10  ENCODE-DATA-PTR           USAGE POINTER.
               10  ENCODE-INPUT-DATA-LEN     PIC S9(8) COMP.
