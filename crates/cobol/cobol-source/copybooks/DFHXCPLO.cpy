      * Areas of the external interface: COPY it in WORKING-STORAGE.
       01  EXCI-RETURN-CODE.
           05  EXCI-RESPONSE             PIC S9(8) COMP VALUE 0.
           05  EXCI-REASON               PIC S9(8) COMP VALUE 0.
           05  EXCI-SUB-REASON1          PIC S9(8) COMP VALUE 0.
           05  EXCI-SUB-REASON2          PIC S9(8) COMP VALUE 0.
           05  EXCI-MSG-PTR              USAGE POINTER VALUE NULL.
       01  EXCI-EXEC-RETURN-CODE.
           05  EXEC-RESP                 PIC S9(8) COMP VALUE 0.
           05  EXEC-RESP2                PIC S9(8) COMP VALUE 0.
           05  EXEC-ABCODE               PIC X(4) VALUE SPACES.
           05  EXEC-MSG-LEN              PIC S9(8) COMP VALUE 0.
           05  EXEC-MSG-PTR              USAGE POINTER VALUE NULL.
       01  EXCI-DPL-RETAREA.
           05  EXCI-DPL-RESP             PIC S9(8) COMP VALUE 0.
           05  EXCI-DPL-RESP2            PIC S9(8) COMP VALUE 0.
           05  EXCI-DPL-ABCODE           PIC X(4) VALUE SPACES.
       01  VERSION-1                     PIC S9(8) COMP VALUE 1.
       01  VERSION-2                     PIC S9(8) COMP VALUE 2.
       01  VERSION-3                     PIC S9(8) COMP VALUE 3.
       01  EXCI-CALL-TYPES.
           05  INIT-USER                 PIC S9(8) COMP VALUE 1.
           05  ALLOCATE-PIPE             PIC S9(8) COMP VALUE 2.
           05  OPEN-PIPE                 PIC S9(8) COMP VALUE 3.
           05  CLOSE-PIPE                PIC S9(8) COMP VALUE 4.
           05  DEALLOCATE-PIPE           PIC S9(8) COMP VALUE 5.
           05  DPL-REQUEST               PIC S9(8) COMP VALUE 6.
