//! `syncpoint sql`: statements of files and of people, on the database of an application. Where no PostgreSQL is installed,
//! the tests say so and are skipped.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use expect_test::{Expect, expect};
use tempfile::TempDir;

/// An application in a folder of its own; `None` where no PostgreSQL is installed.
fn application(region: &str) -> Option<TempDir> {
    let folder = tempfile::Builder::new().prefix("sql").tempdir_in("/tmp").expect("a short path");
    // The private PostgreSQL is another user where this test is root.
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("permitted");
    fs::write(folder.path().join("region.toml"), format!("applid = \"SQLS\"\n{region}")).expect("written");
    let asked = piped(folder.path(), &[], "VALUES 1");
    let told = text(&asked.stderr);
    if told.contains("PostgreSQL is not installed") {
        eprintln!("skipped: no PostgreSQL here");
        return None;
    }
    assert!(asked.status.success(), "{told}");
    Some(folder)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn sql(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    command.arg("sql").args(arguments).current_dir(folder).env("NO_COLOR", "1");
    command
}

/// Runs statements from standard input.
fn piped(folder: &Path, arguments: &[&str], statements: &str) -> Output {
    let pipes = || Stdio::piped();
    let mut child = sql(folder, arguments).stdin(pipes()).stdout(pipes()).stderr(pipes()).spawn();
    let child = child.as_mut().expect("it runs");
    child.stdin.take().expect("a pipe").write_all(statements.as_bytes()).expect("taken");
    let mut out = (Vec::new(), Vec::new());
    let mut stdout = child.stdout.take().expect("a pipe");
    std::io::Read::read_to_end(&mut stdout, &mut out.0).expect("read");
    let mut stderr = child.stderr.take().expect("a pipe");
    std::io::Read::read_to_end(&mut stderr, &mut out.1).expect("read");
    Output { status: child.wait().expect("ended"), stdout: out.0, stderr: out.1 }
}

/// Checks the output of a script, then its objections, then its exit status.
fn check(folder: &Path, arguments: &[&str], script: &str, expected: &Expect) {
    fs::write(folder.join("a.sql"), script).expect("written");
    let output = sql(folder, arguments).args(["--input", "a.sql"]).output().expect("it runs");
    let told = text(&output.stdout) + &text(&output.stderr);
    let lines: String = told.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    expected.assert_eq(&format!("{lines}exit {}\n", output.status.code().unwrap_or(-1)));
}

const DEFINITION: &str = "\
-- as Db2 has it
CREATE TABLESPACE CARDTS IN CARDDB USING STOGROUP CARDSG;
CREATE TABLE KIND (
  CODE CHAR(2) NOT NULL, NAME VARCHAR(20) NOT NULL, LIMIT DECIMAL(9,2),
  SINCE TIMESTAMP NOT NULL, PRIMARY KEY(CODE)) IN CARDDB.CARDTS CCSID EBCDIC;
CREATE UNIQUE INDEX XKIND ON KIND (CODE ASC) USING STOGROUP CARDSG;
INSERT INTO KIND VALUES ('01', 'Purchase', 12.5, '2026-01-31-10.30.00.123456');
";

#[test]
fn a_file_is_a_unit_of_work_and_goes_on_behind_a_refused_statement() {
    let Some(folder) = application("") else { return };
    let script = format!(
        "{DEFINITION}INSERT INTO KIND VALUES ('02', 'Fee', NULL, '2026-02-01-00.00.00');\n\
         INSERT INTO KIND VALUES ('02', 'Again', 1, CURRENT TIMESTAMP);\n\
         SELECT NOSUCH\n  FROM KIND;\nSELEC 1;\nSELECT CODE, LIMIT, SINCE FROM KIND ORDER BY CODE WITH UR"
    );
    check(
        folder.path(),
        &[],
        &script,
        &expect![[r#"
        accepted: there is nothing to be done for it here
        done
        done
        1 row inserted
        1 row inserted
        CODE  LIMIT  SINCE
        ----  -----  --------------------------
        01    12.50  2026-01-31-10.30.00.123456
        02        -  2026-02-01-00.00.00.000000
        2 rows
        error[SPCL037]: SQLCODE -803, SQLSTATE 23505: duplicate key value violates unique constraint "kind_pkey" (Key (code)=(02) already exists.)
         --> a.sql:9:1
          |
        9 | INSERT INTO KIND VALUES ('02', 'Again', 1, CURRENT TIMESTAMP);
          | ^^^^^^

        error[SPCL037]: SQLCODE -206, SQLSTATE 42703: column "nosuch" does not exist
          --> a.sql:10:8
           |
        10 | SELECT NOSUCH
           |        ^^^^^^

        error[SPCL037]: SELEC is not an SQL statement
          --> a.sql:12:1
           |
        12 | SELEC 1;
           | ^^^^^
           |
           = help: a statement begins with a word such as SELECT, UPDATE, OPEN or FETCH

        exit 1
    "#]],
    );
    // It was committed at its end.
    let output =
        piped(folder.path(), &[], "UPDATE KIND SET NAME = 'X'; ROLLBACK; SELECT NAME FROM KIND ORDER BY 1");
    expect![[r#"
        2 rows updated
        backed out
        NAME
        --------
        Fee
        Purchase
        2 rows
    "#]]
    .assert_eq(&text(&output.stdout));
}

#[test]
fn stop_ends_at_the_first_refusal_and_keeps_nothing_that_was_not_committed() {
    let Some(folder) = application("") else { return };
    let script = format!("{DEFINITION}COMMIT;\nDELETE FROM KIND;\nDELETE FROM NOSUCH;\nDELETE FROM KIND;");
    check(
        folder.path(),
        &["--stop"],
        &script,
        &expect![[r#"
        accepted: there is nothing to be done for it here
        done
        done
        1 row inserted
        committed
        1 row deleted
        error[SPCL037]: SQLCODE -204, SQLSTATE 42704: relation "nosuch" does not exist
          --> a.sql:10:13
           |
        10 | DELETE FROM NOSUCH;
           |             ^^^^^^

        exit 1
    "#]],
    );
    let output = piped(folder.path(), &[], "SELECT COUNT(*) AS N FROM KIND");
    expect![[r#"
        N
        -
        1
        1 row
    "#]]
    .assert_eq(&text(&output.stdout));
}

#[test]
fn names_without_a_schema_belong_to_the_current_sqlid_or_to_the_regions_schemas() {
    let Some(folder) = application("[sql]\nschemas = [\"PAY\"]\n") else { return };
    let script = "CREATE TABLE T (A INTEGER); INSERT INTO T VALUES (1);
SET CURRENT SQLID = 'CARD';
CREATE TABLE T (A INTEGER); INSERT INTO T VALUES (2);
SELECT A FROM T; SELECT A FROM PAY.T;
SET CURRENT SQLID = USER;
SELECT A FROM T; SELECT A FROM CARD.T;
";
    check(
        folder.path(),
        &[],
        script,
        &expect![[r#"
        done
        1 row inserted
        done
        done
        1 row inserted
        A
        -
        2
        1 row
        A
        -
        1
        1 row
        done
        A
        -
        1
        1 row
        A
        -
        2
        1 row
        exit 0
    "#]],
    );
}

#[test]
fn a_server_that_region_toml_does_not_name_is_refused() {
    let Some(folder) = application("") else { return };
    check(
        folder.path(),
        &["--server", "DB2X"],
        "VALUES 1",
        &expect![[r#"
        error[SPCL034]: region.toml has no server DB2X
         |
         = help: write [sql.DB2X] with url = "postgresql://USER@HOST:PORT/DATABASE"

        exit 1
    "#]],
    );
}

/// Adds kinds: the first is committed, the second backed out, the third kept at the program's end.
const ADDS: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. ADDS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  WS-CODE PIC X(2).
       01  WS-TEXT.
           05  WS-LENGTH PIC S9(4) COMP VALUE 720.
           05  WS-LINE PIC X(720).
       01  WS-LRECL PIC S9(9) COMP VALUE 72.
       01  WS-SHOWN PIC -(4)9.
       01  WS-ZERO PIC 9 VALUE 0.
       LINKAGE SECTION.
       01  PARM.
           05  PARM-LENGTH PIC S9(4) COMP.
           05  PARM-TEXT PIC X(5).
       PROCEDURE DIVISION USING PARM.
           MOVE 'C1' TO WS-CODE PERFORM ADD-KIND
           EXEC SQL COMMIT END-EXEC
           MOVE 'R1' TO WS-CODE PERFORM ADD-KIND
           EXEC SQL ROLLBACK END-EXEC
           MOVE 'E1' TO WS-CODE PERFORM ADD-KIND
           PERFORM ADD-KIND
           MOVE SQLCODE TO WS-SHOWN
           DISPLAY 'SQLCODE ' WS-SHOWN
           CALL 'DSNTIAR' USING SQLCA WS-TEXT WS-LRECL
           DISPLAY WS-LINE(1:60)
           IF PARM-LENGTH = 5 AND PARM-TEXT = 'ABEND'
              DIVIDE 1 BY WS-ZERO GIVING WS-LRECL
           END-IF
           GOBACK.
       ADD-KIND.
           EXEC SQL INSERT INTO KIND VALUES (:WS-CODE, 'ADDED', NULL,
              CURRENT TIMESTAMP) END-EXEC.
";

/// CALLs it, and backs out what it has left.
const CALLER: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. CALLER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  NO-PARM.
           05  PIC S9(4) COMP VALUE 0.
           05  PIC X(5).
       01  CODE-SHOWN PIC +9(9).
       01  FORMATTED PIC 9.
       PROCEDURE DIVISION.
           CALL 'ADDS' USING NO-PARM
           MOVE RETURN-CODE TO FORMATTED
           EXEC SQL ROLLBACK END-EXEC
           MOVE SQLCODE TO CODE-SHOWN
           DISPLAY 'CODE ' CODE-SHOWN ', FORMATTED ' FORMATTED
           GOBACK.
";

/// As shops run such programs.
const JOB: &str = "//ADD      JOB
//STEP1    EXEC PGM=IKJEFT01
//DBRMLIB  DD DISP=SHR,DSN=APP.DBRMLIB
//SYSTSPRT DD SYSOUT=*
//SYSTSIN  DD *
  DSN SYSTEM(DB2A)
  RUN PROGRAM(ADDS) PLAN(ADDS)
";

/// As applications ship their definitions: sequence numbers stand behind column 72.
const DSNTIAD: &str = "//DEFINE   JOB
//STEP1    EXEC PGM=IKJEFT01,DYNAMNBR=20
//SYSTSPRT DD SYSOUT=*
//SYSPRINT DD SYSOUT=*
//SYSTSIN  DD *
  DSN SYSTEM(DB2A)
  RUN  PROGRAM(DSNTIAD) PLAN(DSNTIA12) -
       LIB('DSN.RUNLIB.LOAD')
/*
//SYSIN    DD *
  SET CURRENT SQLID='APP' ;
-- The first time there is none.
  DROP TABLE APP.SHADE;                                                 00020000
  CREATE TABLE APP.SHADE (NAME CHAR(5) NOT NULL, PRIMARY KEY (NAME))    00030000
    IN DATABASE APPDB;                                                  00040000
  GRANT ALL PRIVILEGES ON TABLE APP.SHADE TO PUBLIC;
  INSERT INTO SHADE VALUES ('GREEN');
  INSERT INTO SHADE VALUES ('GREEN');
/*
//STEP2    EXEC PGM=IKJEFT01,COND=(8,LT)
//SYSPRINT DD SYSOUT=*
//SYSTSIN  DD *
  DSN SYSTEM(DB2A)
  RUN PROGRAM(DSNTEP2) PLAN(DSNTEP12)
//SYSIN    DD *
  SELECT NAME FROM APP.SHADE;
";

#[test]
fn a_job_runs_statements_by_dsntiad() {
    let Some(folder) = application("") else { return };
    let root = folder.path();
    fs::write(root.join("define.jcl"), DSNTIAD).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    let output =
        command.args(["batch", "--jcl", "define.jcl"]).current_dir(root).env("NO_COLOR", "1").output();
    let output = output.expect("it runs");
    expect![[r#"
          SET CURRENT SQLID='APP' ;
        -- The first time there is none.
        done
          DROP TABLE APP.SHADE;
        SQLCODE -204, SQLSTATE 42704, line 3: table "shade" does not exist
          CREATE TABLE APP.SHADE (NAME CHAR(5) NOT NULL, PRIMARY KEY (NAME))
            IN DATABASE APPDB;
        done
          GRANT ALL PRIVILEGES ON TABLE APP.SHADE TO PUBLIC;
        accepted: there is nothing to be done for it here
          INSERT INTO SHADE VALUES ('GREEN');
        1 row inserted
          INSERT INTO SHADE VALUES ('GREEN');
        SQLCODE -803, SQLSTATE 23505, line 8: duplicate key value violates unique constraint "shade_pkey" (Key (name)=(GREEN) already exists.)
          SELECT NAME FROM APP.SHADE;
        NAME
        -----
        GREEN
        1 row
        STEP1    ended with return code 8
        STEP2    ended with return code 0
    "#]].assert_eq(&(text(&output.stdout) + &text(&output.stderr)));
}

#[test]
fn batch_programs_run_their_statements_in_units_of_work_of_their_own() {
    let Some(folder) = application("") else { return };
    let root = folder.path();
    fs::create_dir(root.join("programs")).expect("made");
    fs::write(root.join("programs/ADDS.cbl"), ADDS).expect("written");
    fs::write(root.join("programs/CALLER.cbl"), CALLER).expect("written");
    fs::write(root.join("add.jcl"), JOB).expect("written");
    assert!(piped(root, &[], DEFINITION).status.success());
    let kinds = |statement: &str| {
        let asked = "SELECT CODE FROM KIND WHERE NAME = 'ADDED' ORDER BY 1";
        text(&piped(root, &[], &format!("{statement}{asked}")).stdout)
    };
    let one = "CODE\n----\nC1\n1 row\n";
    let two = "CODE\n----\nC1\nE1\n2 rows\n";
    let said = "SQLCODE  -803\n DSNT408I SQLCODE = -803, ERROR:  A ROW WITH THE SAME KEY IS\n";
    // An abend backs out what is not committed.
    let ended = format!("{said}ADDS ended with abend S0CB: divide exception at line 29 of ADDS\n");
    assert_eq!(batch(root, &["ADDS", "--parm", "ABEND"]), ended);
    assert_eq!(kinds(""), one);
    kinds("DELETE FROM KIND; COMMIT; ");
    let ended = format!("{said}STEP1    ended with return code 0\n");
    assert_eq!(batch(root, &["--jcl", "add.jcl"]), ended);
    assert_eq!(kinds(""), two);
    // The statements of a program that is CALLed belong to the caller's unit of work.
    kinds("DELETE FROM KIND; COMMIT; ");
    assert_eq!(
        batch(root, &["CALLER"]),
        format!("{said}CODE +000000000, FORMATTED 0\nCALLER ended with return code 0\n")
    );
    assert_eq!(kinds(""), one);
}

/// Fetches by a list of fields; one that leads nowhere, or is wrong, is answered with a code.
const LISTS: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. LISTS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       COPY SQLDA.
       01  WS-QUERY PIC X(60)
           VALUE 'SELECT CODE, NAME FROM KIND WHERE CODE = ?'.
       01  WS-CODE PIC X(2).
       01  WS-NAME.
           49  WS-NAME-LENGTH PIC S9(4) COMP.
           49  WS-NAME-TEXT PIC X(20).
       01  WS-GIVEN PIC X(2) VALUE 'AA'.
       01  WS-SHOWN PIC -(4)9.
       PROCEDURE DIVISION.
           EXEC SQL DECLARE C1 CURSOR FOR S1 END-EXEC
           EXEC SQL INSERT INTO KIND VALUES ('AA', 'FIRST', NULL,
              CURRENT TIMESTAMP) END-EXEC
           MOVE 9 TO SQLN
           EXEC SQL PREPARE S1 INTO :SQLDA FROM :WS-QUERY END-EXEC
           DISPLAY SQLNAMEC(1)(1:SQLNAMEL(1)) ' '
              SQLNAMEC(2)(1:SQLNAMEL(2))
           EXEC SQL OPEN C1 USING :WS-GIVEN END-EXEC
           SET SQLDATA(1) TO ADDRESS OF WS-CODE
           SET SQLDATA(2) TO NULL
           PERFORM FETCH-ONE
           EXEC SQL CLOSE C1 END-EXEC
           EXEC SQL OPEN C1 USING :WS-GIVEN END-EXEC
           SET SQLDATA(2) TO ADDRESS OF WS-NAME
           MOVE -3 TO SQLLEN(1) PERFORM FETCH-ONE
           MOVE 2 TO SQLLEN(1) PERFORM FETCH-ONE
           DISPLAY WS-CODE ' ' WS-NAME-TEXT(1:WS-NAME-LENGTH)
           GOBACK.
       FETCH-ONE.
           EXEC SQL FETCH C1 USING DESCRIPTOR :SQLDA END-EXEC
           MOVE SQLCODE TO WS-SHOWN
           DISPLAY 'SQLCODE ' WS-SHOWN.
";

#[test]
fn batch_programs_fetch_by_a_list_of_fields() {
    let Some(folder) = application("") else { return };
    let root = folder.path();
    fs::create_dir(root.join("programs")).expect("made");
    fs::write(root.join("programs/LISTS.cbl"), LISTS).expect("written");
    assert!(piped(root, &[], DEFINITION).status.success());
    let said =
        "CODE NAME\nSQLCODE  -822\nSQLCODE  -804\nSQLCODE     0\nAA FIRST\nLISTS ended with return code 0\n";
    assert_eq!(batch(root, &["LISTS"]), said);
}

/// Runs a batch program or a job: what it says.
fn batch(root: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    let output = command.arg("batch").args(arguments).current_dir(root).env("NO_COLOR", "1").output();
    let output = output.expect("it runs");
    text(&output.stdout) + &text(&output.stderr)
}

#[test]
fn batch_programs_with_statements_are_compiled_by_our_compiler() {
    let Some(folder) = application("") else { return };
    let root = folder.path();
    fs::create_dir(root.join("programs")).expect("made");
    fs::write(root.join("programs/ADDS.cbl"), ADDS).expect("written");
    fs::write(root.join("programs/CALLER.cbl"), CALLER).expect("written");
    assert!(piped(root, &[], DEFINITION).status.success());
    let said = batch(root, &["CALLER"]);
    assert!(said.starts_with("SQLCODE  -803\n"), "{said}");
    assert!(root.join(".syncpoint/programs/ADDS.native").is_file(), "{said}");
}
