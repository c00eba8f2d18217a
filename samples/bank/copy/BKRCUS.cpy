      * BKCUST: the customers. 200 bytes, key CUS-NO; alternate index
      * over CUS-SURNAME, several customers to a name.
       01  CUSTOMER-RECORD.
           05  CUS-NO                      PIC 9(06).
           05  CUS-SURNAME                 PIC X(20).
           05  CUS-FIRST-NAME              PIC X(20).
           05  CUS-BIRTH-DATE              PIC X(10).
           05  CUS-STREET                  PIC X(30).
           05  CUS-TOWN                    PIC X(20).
           05  CUS-POSTCODE                PIC X(08).
           05  CUS-PHONE                   PIC X(15).
           05  CUS-EMAIL                   PIC X(40).
           05  CUS-RATING                  PIC 9(03).
           05  CUS-CHANGED-BY              PIC X(08).
           05  FILLER                      PIC X(20).
