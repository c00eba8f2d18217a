       IDENTIFICATION DIVISION.
       PROGRAM-ID. CONTSQL.
      * Contacts in a table. Action Q: one is read. Action M: one is
      * created, read, changed twice, read and deleted.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
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
           EXEC SQL
              INSERT INTO CONTACT
                 VALUES (:WS-ID, :WS-NAME, :WS-PHONE, :WS-QUALIFIER)
           END-EXEC
           PERFORM CHECK-CODE
           PERFORM READ-CONTACT
           EXEC SQL
              UPDATE CONTACT SET PHONE = '555-0000' WHERE ID = :WS-ID
           END-EXEC
           PERFORM CHECK-CODE
           EXEC SQL
              UPDATE CONTACT SET QUALIFIER = 'CHANGED'
                 WHERE ID = :WS-ID
           END-EXEC
           PERFORM CHECK-CODE
           PERFORM READ-CONTACT
           EXEC SQL
              DELETE FROM CONTACT WHERE ID = :WS-ID
           END-EXEC
           PERFORM CHECK-CODE.
       READ-CONTACT.
           EXEC SQL
              SELECT NAME, PHONE, QUALIFIER
                 INTO :WS-NAME, :WS-PHONE, :WS-QUALIFIER
                 FROM CONTACT WHERE ID = :WS-ID
           END-EXEC
           PERFORM CHECK-CODE
           MOVE WS-CONTACT             TO CA-CONTACT.
       CHECK-CODE.
           EVALUATE SQLCODE
              WHEN 0                   MOVE '0' TO CA-STATE
              WHEN 100                 MOVE 'N' TO CA-STATE
                                       EXEC CICS RETURN END-EXEC
              WHEN OTHER
                 EXEC CICS ABEND ABCODE('CSQL') END-EXEC
           END-EVALUATE.
