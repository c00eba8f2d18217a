      * The document's record: ten fields of 80 bytes.
       01  TEN-RECORD.
           05  FIELD-1            PIC X(80).
           05  FIELD-2            PIC X(80).
           05  FIELD-3            PIC X(80).
           05  FIELD-4            PIC X(80).
           05  FIELD-5            PIC X(80).
           05  FIELD-6            PIC X(80).
           05  FIELD-7            PIC X(80).
           05  FIELD-8            PIC X(80).
           05  FIELD-9            PIC X(80).
           05  FIELD-10           PIC X(80).
