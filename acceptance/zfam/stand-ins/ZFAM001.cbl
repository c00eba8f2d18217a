       IDENTIFICATION DIVISION.
       PROGRAM-ID. ZFAM001.
      * Stands in for the assembler program of this name, as far as it
      * serves basic mode over HTTP without a model of security.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  HEADER-NAME  PIC X(27) VALUE 'Access-Control-Allow-Origin'.
       01  NAME-LENGTH  PIC S9(8) COMP VALUE 27.
       01  ANYBODY      PIC X VALUE '*'.
       01  ONE          PIC S9(8) COMP VALUE 1.
       PROCEDURE DIVISION.
           EXEC CICS WEB WRITE HTTPHEADER(HEADER-NAME)
               NAMELENGTH(NAME-LENGTH) VALUE(ANYBODY) VALUELENGTH(ONE)
               NOHANDLE END-EXEC
           EXEC CICS XCTL PROGRAM('ZFAM002') CHANNEL('ZFAM-CHANNEL')
               END-EXEC.
