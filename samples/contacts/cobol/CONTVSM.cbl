       IDENTIFICATION DIVISION.
       PROGRAM-ID. CONTVSM.
      * Contacts in a KSDS. Action Q: one is read. Action M: one is
      * created, read, changed twice, read and deleted.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                     PIC S9(08) COMP.
       01  WS-CONTACT.
           05  WS-ID                   PIC X(08).
           05  WS-NAME                 PIC X(30).
           05  WS-PHONE                PIC X(20).
           05  WS-QUALIFIER            PIC X(10).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY CONTACT.
       PROCEDURE DIVISION.
       MAIN-PROCESS.
           MOVE CA-CONTACT             TO WS-CONTACT
           EVALUATE TRUE
              WHEN CA-QUERY            PERFORM READ-CONTACT
              WHEN CA-ALL-KINDS        PERFORM ALL-KINDS
              WHEN OTHER               MOVE '?' TO CA-STATE
           END-EVALUATE
           EXEC CICS RETURN END-EXEC.
       ALL-KINDS.
           EXEC CICS WRITE FILE('CONTACT') FROM(WS-CONTACT)
                     RIDFLD(WS-ID)
           END-EXEC
           PERFORM READ-CONTACT
           PERFORM READ-FOR-UPDATE
           MOVE '555-0000'             TO WS-PHONE
           EXEC CICS REWRITE FILE('CONTACT') FROM(WS-CONTACT) END-EXEC
           PERFORM READ-FOR-UPDATE
           MOVE 'CHANGED'              TO WS-QUALIFIER
           EXEC CICS REWRITE FILE('CONTACT') FROM(WS-CONTACT) END-EXEC
           PERFORM READ-CONTACT
           EXEC CICS DELETE FILE('CONTACT') RIDFLD(WS-ID) END-EXEC.
       READ-CONTACT.
           EXEC CICS READ FILE('CONTACT') INTO(WS-CONTACT)
                     RIDFLD(WS-ID) RESP(WS-RESP)
           END-EXEC
           IF WS-RESP = DFHRESP(NOTFND)
              MOVE 'N'                 TO CA-STATE
              EXEC CICS RETURN END-EXEC
           END-IF
           MOVE '0'                    TO CA-STATE
           MOVE WS-CONTACT             TO CA-CONTACT.
       READ-FOR-UPDATE.
           EXEC CICS READ FILE('CONTACT') INTO(WS-CONTACT)
                     RIDFLD(WS-ID) UPDATE
           END-EXEC.
