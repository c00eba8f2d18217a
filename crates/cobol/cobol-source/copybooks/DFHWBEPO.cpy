      * COMMAREA of DFHWBEP: COPY it below a level 01.
           05  WBEP-EYECATCHER           PIC X(8).
           05  WBEP-VERSION              PIC S9(4) COMP.
           05  WBEP-LENGTH               PIC S9(4) COMP.
           05  WBEP-ERROR-CODE           PIC S9(4) COMP.
           05  WBEP-HTTP-RESPONSE-CODE   PIC S9(4) COMP.
           05  WBEP-ABEND-CODE           PIC X(4).
           05  WBEP-ACTIVITY             PIC X(1).
           05  WBEP-CLOSE-CONN           PIC X(1).
           05  WBEP-SUPPRESS-ABEND       PIC X(1).
           05  FILLER                    PIC X(1).
      * What happened.
           05  WBEP-MESSAGE-NUMBER       PIC S9(8) COMP.
           05  WBEP-MESSAGE-LEN          PIC S9(8) COMP.
           05  WBEP-MESSAGE-PTR          USAGE POINTER.
           05  WBEP-ANALYZER-RESPONSE    PIC S9(8) COMP.
           05  WBEP-ANALYZER-REASON      PIC S9(8) COMP.
           05  WBEP-CONVERTER-RESPONSE   PIC S9(8) COMP.
           05  WBEP-CONVERTER-REASON     PIC S9(8) COMP.
           05  WBEP-CONVERTER-PROGRAM    PIC X(8).
           05  WBEP-TARGET-PROGRAM       PIC X(8).
           05  WBEP-FAILING-PROGRAM      PIC X(8).
           05  WBEP-TCPIPSERVICE-NAME    PIC X(8).
           05  WBEP-CLIENT-ADDRESS       PIC X(4).
           05  WBEP-CLIENT-ADDRESS-LEN   PIC S9(8) COMP.
           05  WBEP-CLIENT-ADDRESS-STRING PIC X(40).
      * What the client is to read: status line, headers, a blank
      * line, body.
           05  WBEP-RESPONSE-PTR         USAGE POINTER.
           05  WBEP-RESPONSE-LEN         PIC S9(8) COMP.
           05  FILLER                    PIC X(4).
