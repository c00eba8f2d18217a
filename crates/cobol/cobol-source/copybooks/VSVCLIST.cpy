      * What CALL 'VSVPSYNC' gives a program of the direct path.
       01  LIST-POINTER.
           03  LIST-ADR-REQU   USAGE IS POINTER.
           03  LIST-ADR-REQUL  USAGE IS POINTER.
           03  LIST-ADR-RESP   USAGE IS POINTER.
           03  LIST-ADR-RESPL  USAGE IS POINTER.
           03  LIST-ADR-RC     USAGE IS POINTER.
