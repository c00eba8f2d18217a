//! Tables of a region's own, reached by programs outside of it: `syncpoint sql` and batch, beside the region that runs and without one.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::house::{FREE_PORT, Region, application, product, signal};

const TABLES: &str =
    "CREATE TABLE PART (ID INTEGER NOT NULL PRIMARY KEY, NAME CHAR(8) NOT NULL, PRICE DECIMAL(7,2));\n";

const COUNTS: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. COUNTS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  WS-ID                   PIC S9(09) COMP.
       01  WS-NAME                 PIC X(08).
       01  WS-NUMBER               PIC 9(04).
       01  WS-CODE                 PIC -999.
           EXEC SQL
              DECLARE ALL-OF CURSOR FOR
              SELECT ID, NAME FROM PART WHERE ID > 10 ORDER BY ID
           END-EXEC.
       PROCEDURE DIVISION.
           MOVE 11 TO WS-ID
           EXEC SQL INSERT INTO PART VALUES (:WS-ID, 'KEPT', 1.5) END-EXEC
           EXEC SQL COMMIT END-EXEC
           EXEC SQL INSERT INTO PART VALUES (12, 'GONE', NULL) END-EXEC
           EXEC SQL ROLLBACK END-EXEC
           EXEC SQL INSERT INTO PART VALUES (13, 'LAST', NULL) END-EXEC
           EXEC SQL INSERT INTO PART VALUES (13, 'AGAIN', NULL) END-EXEC
           MOVE SQLCODE TO WS-CODE
           DISPLAY 'CODE ' WS-CODE
           EXEC SQL OPEN ALL-OF END-EXEC
           PERFORM UNTIL SQLCODE NOT = 0
              EXEC SQL FETCH ALL-OF INTO :WS-ID, :WS-NAME END-EXEC
              IF SQLCODE = 0
                 MOVE WS-ID TO WS-NUMBER
                 DISPLAY 'PART ' WS-NUMBER ' ' WS-NAME
              END-IF
           END-PERFORM
           GOBACK.
";

/// Takes a row, and keeps it for a while.
const HOLDS: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. HOLDS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       PROCEDURE DIVISION.
           EXEC SQL UPDATE PART SET PRICE = 3 WHERE ID = 1 END-EXEC
           EXEC CICS DELAY FOR SECONDS(30) END-EXEC
           EXEC CICS RETURN END-EXEC.
";

const DEFINITIONS: &str = "
DEFINE TRANSACTION(HOLD) GROUP(OWN) PROGRAM(HOLDS)
DEFINE PROGRAM(HOLDS) GROUP(OWN) CONCURRENCY(THREADSAFE)
";

/// DSNTEP2 under DSN, which runs statements of a job.
const JOB: &str = "\
//LIST     JOB
//STEP1    EXEC PGM=IKJEFT01
//SYSTSIN  DD *
 DSN SYSTEM(DSN1)
 RUN PROGRAM(DSNTEP2)
 END
/*
//SYSIN    DD *
 UPDATE PART SET PRICE = 2 WHERE ID = 1;
 SELECT ID, PRICE FROM PART WHERE ID < 2;
 SELECT 1 / (PRICE - PRICE) FROM PART;
 DELETE FROM NOWHERE;
/*
//
";

fn house() -> TempDir {
    let region = format!("{FREE_PORT}[sql]\nengine = \"region\"\nscripts = \"tables.sql\"\n");
    application(&[
        ("region.toml", &region),
        ("tables.sql", TABLES),
        ("own.csd", DEFINITIONS),
        ("programs/COUNTS.cbl", COUNTS),
        ("programs/HOLDS.cbl", HOLDS),
        ("list.jcl", JOB),
    ])
}

/// The output of a command, and true if it ends well.
fn says(folder: &Path, arguments: &[&str]) -> (String, bool) {
    let output =
        product().args(arguments).current_dir(folder).env("NO_COLOR", "1").output().expect("it ends");
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    (said.lines().map(str::trim_end).collect::<Vec<_>>().join("\n"), output.status.success())
}

/// The output of `syncpoint sql` for a file with these statements.
fn sql(folder: &Path, text: &str, options: &[&str]) -> (String, bool) {
    fs::write(folder.join("a.sql"), text).expect("written");
    says(folder, &[&["sql", ".", "--input", "a.sql"], options].concat())
}

/// Checks of all that holds with a region and without one.
fn statements_hold(folder: &Path, first: u32) {
    let text = format!(
        "INSERT INTO PART VALUES ({first}, 'BOLT', 12.5);\nINSERT INTO PART VALUES ({first}, 'NUT', 1);\nSELECT * FROM PART WHERE ID = {first};\n"
    );
    let (said, is_well) = sql(folder, &text, &[]);
    assert!(!is_well && said.contains("1 row inserted") && said.contains("SQLCODE -803"), "{said}");
    assert!(said.contains("NAME") && said.contains("BOLT") && said.contains("12.50"), "{said}");
    let text = format!("DELETE FROM PART WHERE ID = {first};\nSELEC 1;\n");
    let (said, is_well) = sql(folder, &text, &["--stop"]);
    assert!(!is_well && said.contains("1 row deleted"), "{said}");
    let (said, is_well) = sql(folder, "SELECT COUNT(*) FROM PART;\nROLLBACK;\nCOMMIT;\n", &[]);
    assert!(is_well && said.contains("backed out") && said.contains("committed"), "{said}");
    let (said, _) = sql(folder, &format!("SELECT ID FROM PART WHERE ID = {first};"), &[]);
    assert!(said.contains("1 row"), "the deletion before a refused statement is backed out: {said}");
    let (said, is_well) =
        sql(folder, "DELETE FROM PART WHERE NAME = 'X';\nSELECT 1 FROM PART WHERE ID = 7", &["--explain"]);
    assert!(
        is_well && said == "delete: scan of SYNCPT.PART\none row of SYNCPT.PART by primary key on ID =",
        "{said}"
    );
}

#[test]
fn statements_reach_the_tables_beside_the_region_and_without_it() {
    let house = house();
    let folder = house.path();
    statements_hold(folder, 1);
    let region = Region::start(folder);
    statements_hold(folder, 2);
    region.ends_in_order();
    let (said, _) = sql(folder, "SELECT ID FROM PART ORDER BY ID;", &[]);
    assert!(said.ends_with("1\n           2\n2 rows") || said.contains("2 rows"), "{said}");
}

#[test]
fn a_killed_client_leaves_no_lock() {
    let house = house();
    let folder = house.path();
    let region = Region::start(folder);
    let pipes = || Stdio::piped();
    let mut first = product();
    first.args(["sql", "."]).current_dir(folder).stdin(pipes()).stdout(pipes());
    let mut first = first.spawn().expect("it runs");
    // A pipe is read to its end before its first statement runs: a file that does not end keeps it there.
    drop(first.stdin.take().map(|mut stdin| stdin.write_all(b"INSERT INTO PART VALUES (1, 'BOLT', 1);\n")));
    let mut said = String::new();
    BufReader::new(first.stdout.take().expect("a pipe")).read_line(&mut said).expect("read");
    signal(&first, "KILL");
    first.wait().expect("ended");
    let (said, is_well) =
        sql(folder, "SELECT COUNT(*) FROM PART WITH UR;\nLOCK TABLE PART IN EXCLUSIVE MODE;", &[]);
    assert!(is_well, "{said}");
    region.ends_in_order();
}

#[test]
fn batch_programs_and_jobs_use_the_tables() {
    let house = house();
    let folder = house.path();
    let (said, is_well) = sql(folder, "INSERT INTO PART VALUES (1, 'BOLT', 1);", &[]);
    assert!(is_well, "{said}");
    for runs in [false, true] {
        let region = runs.then(|| Region::start(folder));
        let (said, is_well) = says(folder, &["batch", "COUNTS"]);
        let expected = "CODE -803\nPART 0011 KEPT\nPART 0013 LAST\n";
        assert!(is_well && said.starts_with(expected), "{said}");
        let (said, _) = says(folder, &["batch", "--jcl", "list.jcl"]);
        assert!(
            said.contains("1 row updated") && said.contains("2.00") && said.contains("SQLCODE -204"),
            "{said}"
        );
        // A query that is refused while its rows are fetched is no query that has ended.
        assert!(said.contains("SQLCODE -80"), "{said}");
        let (said, is_well) = sql(folder, "DELETE FROM PART WHERE ID > 10;", &[]);
        assert!(is_well && said == "2 rows deleted", "{said}");
        region.map(Region::ends_in_order);
    }
}

#[test]
fn operators_see_who_has_which_row_and_who_waits_for_it() {
    let house = house();
    let folder = house.path();
    let (said, is_well) = sql(folder, "INSERT INTO PART VALUES (1, 'BOLT', 1);", &[]);
    assert!(is_well, "{said}");
    let region = Region::start(folder);
    let mut terminals = [region.terminal(), region.terminal()];
    terminals.iter_mut().for_each(|terminal| terminal.start_and_go("HOLD"));
    let begun = Instant::now();
    loop {
        let (said, _) = says(folder, &["cemt", ".", "INQUIRE UOWENQ"]);
        let shows = |word: &str| said.contains(word);
        if shows("SYNCPT.PART") && shows("ID 1") && shows("Own") && shows("Wai") {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{said}");
    }
    drop(region);
}
