//! Ways out of a program's SQL: to files, settings, sessions, roles and the catalogue of the region's own PostgreSQL, by texts that
//! are made at run time and by those of the program itself. None leads anywhere: each has an SQLCODE, or a message of the
//! compiler, and region, server and the next task go on.

use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::Path;

use crate::house::{FREE_PORT, Region, application, product};
use crate::with_database::WithDatabase;

/// `TRYS I statement` executes it, `TRYS Q query` reads a row, `TRYS P statement` prepares and executes it.
const TRIES: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. TRIES.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  WS-LENGTH               PIC S9(04) COMP VALUE 500.
       01  WS-INPUT.
           05  FILLER              PIC X(05).
           05  WS-HOW              PIC X(01).
           05  FILLER              PIC X(01).
           05  WS-TEXT             PIC X(493).
       01  WS-OUT                  PIC X(200).
       01  WS-NULL                 PIC S9(04) COMP.
       01  ANSWER.
           05  FILLER              PIC X(05) VALUE 'CAME '.
           05  ANSWER-CODE         PIC -(5)9.
           05  FILLER              PIC X(01).
           05  ANSWER-STATE        PIC X(05).
           05  FILLER              PIC X(01).
           05  ANSWER-OUT          PIC X(60).
       PROCEDURE DIVISION.
           EXEC SQL DECLARE C1 CURSOR FOR S1 END-EXEC
           MOVE SPACES TO WS-INPUT WS-OUT
           EXEC CICS RECEIVE INTO(WS-INPUT) LENGTH(WS-LENGTH) END-EXEC
           EVALUATE WS-HOW
              WHEN 'I'
                 EXEC SQL EXECUTE IMMEDIATE :WS-TEXT END-EXEC
              WHEN 'P'
                 EXEC SQL PREPARE S1 FROM :WS-TEXT END-EXEC
                 IF SQLCODE >= 0
                    EXEC SQL EXECUTE S1 END-EXEC
                 END-IF
              WHEN OTHER
                 EXEC SQL PREPARE S1 FROM :WS-TEXT END-EXEC
                 IF SQLCODE >= 0
                    EXEC SQL OPEN C1 END-EXEC
                 END-IF
                 IF SQLCODE >= 0
                    EXEC SQL FETCH C1 INTO :WS-OUT:WS-NULL END-EXEC
                 END-IF
           END-EVALUATE
           MOVE SQLCODE            TO ANSWER-CODE
           MOVE SQLSTATE           TO ANSWER-STATE
           MOVE WS-OUT             TO ANSWER-OUT
           EXEC CICS SEND TEXT FROM(ANSWER) LENGTH(78) ERASE END-EXEC
           EXEC CICS RETURN END-EXEC.
";

const TABLES: &str = "
CREATE TABLE T (A CHAR(60) NOT NULL);
CREATE TABLE PARENT (ID INTEGER NOT NULL PRIMARY KEY);
CREATE TABLE CHILD (ID INTEGER NOT NULL, FOREIGN KEY (ID) REFERENCES PARENT (ID));
INSERT INTO T VALUES ('ONE');
";

/// Queries, each of which would show or do what no program may.
const QUERIES: &[&str] = &[
    "SELECT PG_READ_FILE('PG_VERSION') FROM T",
    "SELECT PG_READ_BINARY_FILE('PG_VERSION') FROM T",
    "SELECT pg_catalog.pg_read_file('PG_VERSION') FROM T",
    "SELECT \"pg_read_file\"('PG_VERSION') FROM T",
    "SELECT PG_LS_DIR('.') FROM T",
    "SELECT PG_STAT_FILE('PG_VERSION') FROM T",
    "SELECT LO_IMPORT('PG_VERSION') FROM T",
    "SELECT LO_FROM_BYTEA(0, X'41') FROM T",
    "SELECT LO_EXPORT(1, 'users.toml') FROM T",
    "SELECT LO_CREAT(-1) FROM T",
    "SELECT LO_UNLINK(1) FROM T",
    "SELECT QUERY_TO_XML('CREATE ROLE R SUPERUSER', TRUE, TRUE, '') FROM T",
    "SELECT DATABASE_TO_XML(TRUE, TRUE, '') FROM T",
    "SELECT CURSOR_TO_XML('C1', 1, TRUE, TRUE, '') FROM T",
    "SELECT SET_CONFIG('session_replication_role', 'replica', FALSE) FROM T",
    "SELECT SET_CONFIG('search_path', 'x', FALSE) FROM T",
    "SELECT SET_CONFIG('TimeZone', 'UTC', FALSE) FROM T",
    "SELECT CURRENT_SETTING('data_directory') FROM T",
    "SELECT PG_TERMINATE_BACKEND(PG_BACKEND_PID()) FROM T",
    "SELECT PG_CANCEL_BACKEND(1) FROM T",
    "SELECT PG_ADVISORY_LOCK(1) FROM T",
    "SELECT PG_TRY_ADVISORY_LOCK(1) FROM T",
    "SELECT PG_ADVISORY_XACT_LOCK(1) FROM T",
    "SELECT PG_SLEEP(60) FROM T",
    "SELECT PG_NOTIFY('A', 'B') FROM T",
    "SELECT PG_RELOAD_CONF() FROM T",
    "SELECT PG_ROTATE_LOGFILE() FROM T",
    "SELECT PG_SWITCH_WAL() FROM T",
    "SELECT PG_EXPORT_SNAPSHOT() FROM T",
    "SELECT SETVAL('S', 1) FROM T",
    "SELECT TXID_CURRENT() FROM T",
    "SELECT INET_SERVER_ADDR() FROM T",
    "SELECT VERSION() FROM T",
    "SELECT TS_STAT('SELECT 1') FROM T",
    "SELECT DBLINK('x', 'y') FROM T",
    "SELECT ROLPASSWORD FROM PG_AUTHID",
    "SELECT PASSWD FROM PG_SHADOW",
    "SELECT QUERY FROM PG_STAT_ACTIVITY",
    "SELECT SETTING FROM PG_SETTINGS",
    "SELECT STATEMENT FROM PG_PREPARED_STATEMENTS",
    "SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES",
    "SELECT NAME FROM DB2.SCRIPTS",
    "SELECT UNIT FROM SYNCPOINT.ENDED",
    "SELECT A FROM T WHERE EXISTS (SELECT 1 FROM PG_CLASS)",
    "WITH X AS (SELECT PG_READ_FILE('PG_VERSION') AS A FROM T) SELECT A FROM X",
    "SELECT A FROM T ORDER BY PG_SLEEP(60)",
    "SELECT CAST(PG_READ_FILE('PG_VERSION') AS CHAR(9)) FROM T",
    "SELECT A INTO COPY_OF FROM T",
    "SELECT A FROM T; DROP TABLE T",
    "VALUES (PG_READ_FILE('PG_VERSION'))",
    "SELECT GENERATE_SERIES(1, 1000000000) FROM T",
];

/// Statements, each of which would do what no program may.
const STATEMENTS: &[&str] = &[
    "ALTER SYSTEM SET work_mem = '1MB'",
    "ALTER USER SYNCPOINT SUPERUSER",
    "ALTER ROLE SYNCPOINT SUPERUSER",
    "CREATE USER R SUPERUSER",
    "CREATE ROLE R SUPERUSER",
    "CREATE EXTENSION DBLINK",
    "CREATE LANGUAGE PLPERLU",
    "CREATE SERVER S FOREIGN DATA WRAPPER F",
    "CREATE SUBSCRIPTION S CONNECTION 'x' PUBLICATION P",
    "CREATE EVENT TRIGGER E ON DDL_COMMAND_START EXECUTE FUNCTION F()",
    "CREATE RULE R AS ON INSERT TO T DO INSTEAD NOTHING",
    "CREATE FUNCTION F() RETURNS INTEGER LANGUAGE C AS 'x', 'y'",
    "CREATE FUNCTION F() RETURNS INTEGER LANGUAGE PLPGSQL AS 'BEGIN PERFORM pg_sleep(9); RETURN 1; END'",
    "CREATE FUNCTION F() RETURNS CHAR(9) LANGUAGE SQL RETURN PG_READ_FILE('PG_VERSION')",
    "CREATE PROCEDURE P () LANGUAGE SQL BEGIN EXECUTE IMMEDIATE 'SET ROLE X'; END",
    "CREATE VIEW V AS SELECT PG_READ_FILE('PG_VERSION') AS A FROM T",
    "CREATE VIEW V AS SELECT * FROM PG_SHADOW",
    "CREATE TABLE U (A CHAR(60) DEFAULT PG_READ_FILE('PG_VERSION'))",
    "CREATE TABLE U (A INTEGER CHECK (PG_SLEEP(9) IS NULL))",
    "CREATE TABLE DB2.U (A INTEGER)",
    "CREATE TABLE PG_CATALOG.U (A INTEGER)",
    "CREATE INDEX X ON T (PG_SLEEP(9))",
    "DROP SCHEMA DB2 CASCADE",
    "DROP TABLE DB2.SCRIPTS",
    "DROP TABLE SYNCPOINT.ENDED",
    "DROP FUNCTION DB2.LENGTH(TEXT)",
    "DROP OWNED BY SYNCPOINT",
    "DELETE FROM PG_CLASS",
    "UPDATE PG_SETTINGS SET SETTING = 'replica' WHERE NAME = 'session_replication_role'",
    "UPDATE PG_PROC SET PROACL = NULL",
    "DELETE FROM SYNCPOINT.ENDED",
    "INSERT INTO T VALUES (PG_READ_FILE('PG_VERSION'))",
    "UPDATE T SET A = PG_READ_FILE('PG_VERSION')",
    "DELETE FROM T WHERE PG_SLEEP(9) IS NULL",
    "LOCK TABLE PG_CLASS IN EXCLUSIVE MODE",
    "SET ROLE SYNCPOINT_OWNER",
    "SET SESSION AUTHORIZATION SYNCPOINT_OWNER",
    "SET SESSION_REPLICATION_ROLE = 'replica'",
    "SET SEARCH_PATH = 'X'",
    "SET LOCAL TIME ZONE 'UTC'",
    "RESET ALL",
    "DISCARD ALL",
    "DEALLOCATE ALL",
    "COPY T TO '/var/lib/x'",
    "COPY T FROM PROGRAM 'id'",
    "DO 'BEGIN END'",
    "VACUUM T",
    "CHECKPOINT",
    "LOAD 'x'",
    "LISTEN X",
    "REASSIGN OWNED BY SYNCPOINT TO X",
    "CALL PG_SLEEP(9)",
];

/// A region as an ordinary user: as this one, or, where that is root, as a user without any right.
fn start(folder: &Path) -> Region {
    /// The user that every system has for those who own nothing.
    const NOBODY: u32 = 65_534;
    let mut command = product();
    if rustix::process::geteuid().is_root() {
        for entry in [folder.to_owned(), folder.join("programs")] {
            chown(entry, Some(NOBODY), Some(NOBODY)).expect("its owner");
        }
        command.uid(NOBODY).gid(NOBODY);
    }
    Region::by(command, folder)
}

#[test]
fn no_way_leads_out_of_a_programs_sql() {
    let region = format!("{FREE_PORT}[sql]\nscripts = \"tables.sql\"\n");
    let csd = "DEFINE PROGRAM(TRIES) GROUP(T)\nDEFINE TRANSACTION(TRYS) GROUP(T) PROGRAM(TRIES)\n";
    let folder = WithDatabase::of(application(&[
        ("region.toml", &region),
        ("tries.csd", csd),
        ("tables.sql", TABLES),
        ("programs/TRIES.cbl", TRIES),
    ]));
    let region = start(folder.path());
    let mut terminal = region.terminal();
    // The server is there when it answers.
    terminal.until("TRYS Q SELECT A FROM T", "00000 ONE");
    let ways = QUERIES.iter().map(|text| ('Q', *text)).chain(STATEMENTS.iter().map(|text| ('I', *text)));
    let prepared = STATEMENTS.iter().map(|text| ('P', *text));
    let mut wrong = Vec::new();
    for (how, text) in ways.chain(prepared) {
        terminal.start(&format!("TRYS {how} {text}"));
        terminal.sees("CAME");
        let shown = terminal.shows();
        let code = shown.split_whitespace().skip_while(|word| *word != "CAME").nth(1);
        let is_refused = code.and_then(|code| code.parse::<i32>().ok()).is_some_and(|code| code < 0);
        // One that the region does not recover from.
        let is_known = !shown.contains("58004") && !shown.contains("-923") && !shown.contains("-924");
        if !is_refused || !is_known {
            wrong.push(format!("{how} {text}: {shown}"));
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), region.log());
    // Nothing of it is left in any session.
    for _ in 0..8 {
        terminal.start("TRYS I INSERT INTO CHILD VALUES (1)");
        terminal.sees("CAME   -530");
        terminal.start("TRYS Q SELECT A FROM T");
        terminal.sees("00000 ONE");
    }
    region.end(terminal);
}

#[test]
fn what_no_program_may_is_named_at_its_line_when_it_is_translated() {
    const STATIC: [&str; 8] = [
        "SELECT PG_READ_FILE('k') INTO :WS-A FROM T",
        "SELECT A INTO :WS-A FROM PG_SHADOW",
        "INSERT INTO T VALUES (LO_IMPORT('k'))",
        "UPDATE T SET A = SET_CONFIG('a', 'b', FALSE)",
        "DELETE FROM SYNCPOINT.ENDED",
        "SET :WS-A = CURRENT_SETTING('data_directory')",
        "CREATE EXTENSION DBLINK",
        "DECLARE C1 CURSOR FOR SELECT PG_LS_DIR('.') FROM T",
    ];
    let mut program = String::from(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. STATICS.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n\
         \x20          EXEC SQL INCLUDE SQLCA END-EXEC.\n       01  WS-A PIC X(60).\n       PROCEDURE DIVISION.\n",
    );
    for text in STATIC {
        program += &format!("           EXEC SQL\n              {text}\n           END-EXEC\n");
    }
    program += "           EXEC CICS RETURN END-EXEC.\n";
    let folder = application(&[("region.toml", ""), ("programs/STATICS.cbl", &program)]);
    let output = product()
        .args(["check", "."])
        .current_dir(folder.path())
        .env("NO_COLOR", "1")
        .output()
        .expect("it runs");
    assert!(!output.status.success());
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    for line in (0..STATIC.len()).map(|at| 9 + 3 * at) {
        assert!(told.contains(&format!("STATICS.cbl:{line}:")), "line {line}:\n{told}");
    }
}
