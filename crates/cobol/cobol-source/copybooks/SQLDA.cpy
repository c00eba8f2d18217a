       01  SQLDA.
           05  SQLDAID        PIC X(8).
           05  SQLDABC        PIC S9(9) COMP.
           05  SQLN           PIC S9(4) COMP.
           05  SQLD           PIC S9(4) COMP.
           05  SQLVAR OCCURS 1 TO 750 TIMES DEPENDING ON SQLD.
               10  SQLTYPE    PIC S9(4) COMP.
               10  SQLLEN     PIC S9(4) COMP.
               10  SQLDATA    POINTER.
               10  SQLIND     POINTER.
               10  SQLNAME.
                   49  SQLNAMEL PIC S9(4) COMP.
                   49  SQLNAMEC PIC X(30).
