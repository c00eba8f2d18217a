      ******************************************************************
      * The authorization pair, ISO 8583:1987: request 0100 of 137 bytes
      * and response 0110 of 106 bytes, each behind its length.
      ******************************************************************
       01  REQUEST-FRAME.
           05  REQ-LENGTH                  PIC 9(04) COMP.
           05  REQ-MESSAGE.
               10  REQ-TYPE                PIC X(04).
               10  REQ-BITMAP              PIC X(08).
               10  REQ-PROCESSING-CODE     PIC X(06).
               10  REQ-AMOUNT              PIC X(12).
               10  REQ-TRANSMITTED         PIC X(10).
               10  REQ-TRACE               PIC X(06).
               10  REQ-MERCHANT-TYPE       PIC X(04).
               10  REQ-ENTRY-MODE          PIC X(03).
               10  REQ-SEQUENCE            PIC X(03).
               10  REQ-CONDITION           PIC X(02).
               10  REQ-TRACK2-LENGTH       PIC X(02).
               10  REQ-TRACK2              PIC X(37).
               10  REQ-REFERENCE           PIC X(12).
               10  REQ-TERMINAL            PIC X(08).
               10  REQ-MERCHANT            PIC X(15).
               10  REQ-CURRENCY            PIC X(03).
      * What is longer is read to its end, piece by piece over itself,
      * and refused.
           05  FILLER                      PIC X(137).
       01  RESPONSE-FRAME.
           05  RSP-LENGTH                  PIC 9(04) COMP VALUE 104.
           05  RSP-TYPE                    PIC X(04) VALUE '0110'.
           05  RSP-BITMAP                  PIC X(08)
                                           VALUE X'322000000EC18000'.
           05  RSP-PROCESSING-CODE         PIC X(06).
           05  RSP-AMOUNT                  PIC X(12).
           05  RSP-TRANSMITTED             PIC X(10).
           05  RSP-TRACE                   PIC X(06).
           05  RSP-REFERENCE               PIC X(12).
           05  RSP-APPROVAL                PIC X(06).
           05  RSP-CODE                    PIC X(02).
           05  RSP-TERMINAL                PIC X(08).
           05  RSP-MERCHANT                PIC X(15).
           05  FILLER                      PIC X(03) VALUE '009'.
           05  RSP-RETURN-CODE             PIC 9(03).
           05  RSP-MICROSECONDS            PIC 9(06).
           05  RSP-CURRENCY                PIC X(03).
