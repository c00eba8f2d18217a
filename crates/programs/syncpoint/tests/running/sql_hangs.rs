//! A database that answers no client: its processes are stopped. Tasks wait for it and can be purged, others run, and all goes on
//! when it does.

use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

use crate::house::{PATIENCE, Region, product};
use crate::with_database::WithDatabase;

/// Counts rows, and says what that came to.
const COUNTS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. COUNTS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  WS-ROWS PIC S9(9) COMP.
       01  WS-CODE PIC -(4)9.
       PROCEDURE DIVISION.
           EXEC SQL SELECT COUNT(*) INTO :WS-ROWS FROM MOVES END-EXEC
           MOVE SQLCODE TO WS-CODE
           DISPLAY 'COUNTED WITH' WS-CODE
           EXEC CICS RETURN END-EXEC.
";

/// Adds an item of a queue and a row.
const ADDS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ADDS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       PROCEDURE DIVISION.
           EXEC CICS WRITEQ TS QUEUE('ADDED') FROM('A') LENGTH(1)
           END-EXEC
           EXEC SQL INSERT INTO MOVES VALUES (1) END-EXEC
           EXEC CICS RETURN END-EXEC.
";

/// Has nothing to do with the database.
const FREE: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. FREE.
       PROCEDURE DIVISION.
           EXEC CICS RETURN END-EXEC.
";

const DEFINITIONS: &str = "
DEFINE TRANSACTION(CNTS) GROUP(HANGS) PROGRAM(COUNTS) SPURGE(YES)
DEFINE PROGRAM(COUNTS) GROUP(HANGS) CONCURRENCY(THREADSAFE)
DEFINE TRANSACTION(ADDS) GROUP(HANGS) PROGRAM(ADDS) SPURGE(YES)
DEFINE PROGRAM(ADDS) GROUP(HANGS) CONCURRENCY(THREADSAFE)
DEFINE TRANSACTION(FREE) GROUP(HANGS) PROGRAM(FREE)
DEFINE PROGRAM(FREE) GROUP(HANGS) CONCURRENCY(THREADSAFE)
";

/// The application.
struct Working(WithDatabase);

impl Working {
    fn new() -> Self {
        Self(WithDatabase::new(&[
            ("hangs.csd", DEFINITIONS),
            ("tables.sql", "CREATE TABLE MOVES (NUMBER INTEGER NOT NULL);\n"),
            ("programs/COUNTS.cbl", COUNTS),
            ("programs/ADDS.cbl", ADDS),
            ("programs/FREE.cbl", FREE),
        ]))
    }

    /// Runs a transaction; it may be waited for.
    fn start(&self, transaction: &str) -> Child {
        let mut command = product();
        command.args(["start", ".", transaction]).current_dir(self.0.path()).env("NO_COLOR", "1");
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs")
    }

    fn cemt(&self, command: &str) -> String {
        let output =
            product().args(["cemt", ".", command]).current_dir(self.0.path()).output().expect("it runs");
        said(&output)
    }

    /// The task of a transaction that waits for the database.
    fn waiting(&self, transaction: &str) -> String {
        let begun = Instant::now();
        loop {
            let tasks = self.cemt("INQUIRE TASK");
            let line = tasks.lines().find(|line| line.contains(&format!("Tra({transaction})")));
            if let Some(line) = line.filter(|line| line.contains("Hty(DB2)")) {
                return line.chars().filter(char::is_ascii_digit).take(5).collect();
            }
            assert!(begun.elapsed() < PATIENCE, "{transaction} does not wait for the database:\n{tasks}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes)).concat()
}

fn ended(child: Child) -> String {
    said(&child.wait_with_output().expect("it ends"))
}

#[test]
fn a_database_that_hangs_holds_up_no_other_task_and_its_tasks_can_be_purged() {
    let folder = Working::new();
    let region = Region::start(folder.0.path());
    for transaction in ["CNTS", "ADDS"] {
        let text = ended(folder.start(transaction));
        assert!(text.contains("has ended normally"), "{text}\n{}", region.log());
    }
    folder.0.signal("STOP");
    let (reads, adds) = (folder.start("CNTS"), folder.start("ADDS"));
    let (first, second) = (folder.waiting("CNTS"), folder.waiting("ADDS"));
    // Others run.
    assert!(ended(folder.start("FREE")).contains("has ended normally"), "{}", region.log());
    // An operator ends those that wait.
    for (number, task) in [(first, reads), (second, adds)] {
        assert!(folder.cemt(&format!("SET TASK({number}) PURGE")).contains("NORMAL"));
        let text = ended(task);
        assert!(text.contains("has ended with abend"), "{text}");
    }
    // One that waits on goes on with it.
    let waits = folder.start("CNTS");
    folder.waiting("CNTS");
    folder.0.signal("CONT");
    assert!(ended(waits).contains("has ended normally"), "{}", region.log());
    assert!(ended(folder.start("CNTS")).contains("has ended normally"), "{}", region.log());
    assert!(ended(folder.start("ADDS")).contains("has ended normally"), "{}", region.log());
    region.signal("INT");
    let (status, log) = region.ended();
    assert!(status.success() && !log.contains("COUNTED WITH   -"), "{log}");
}

#[test]
fn a_database_that_hangs_does_not_keep_a_region_that_ends() {
    let folder = Working::new();
    let region = Region::start(folder.0.path());
    let text = ended(folder.start("ADDS"));
    assert!(text.contains("has ended normally"), "{text}\n{}", region.log());
    folder.0.signal("STOP");
    region.signal("INT");
    let (status, log) = region.ended();
    assert!(status.success() && !log.contains("does not stop"), "{log}");
    // What was committed is there.
    let region = Region::start(folder.0.path());
    assert!(ended(folder.start("CNTS")).contains("has ended normally"), "{}", region.log());
    region.signal("INT");
    let (status, log) = region.ended();
    assert!(status.success() && log.contains("COUNTED WITH    0"), "{log}");
}
