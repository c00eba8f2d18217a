//! Work from outside while a region runs: tools, and a batch program that changes what tasks change too.

use std::path::Path;
use std::process::{Command, Stdio};

use tn3270::datastream::Aid;

use crate::house::{FREE_PORT, Region, application};
use crate::terminal::Terminal;

/// Adds one to the counter, in a task, and shows it.
const ONLINE: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ONLINE.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  COUNTER.
           05  COUNTER-KEY         PIC X(04) VALUE 'ONLY'.
           05  COUNTER-VALUE       PIC 9(06).
       01  ANSWER.
           05  FILLER              PIC X(08) VALUE 'COUNTED '.
           05  ANSWER-VALUE        PIC 9(06).
       PROCEDURE DIVISION.
           EXEC CICS READ FILE('COUNTER') INTO(COUNTER)
                     RIDFLD(COUNTER-KEY) UPDATE
           END-EXEC
           ADD 1                   TO COUNTER-VALUE
           EXEC CICS REWRITE FILE('COUNTER') FROM(COUNTER) END-EXEC
           EXEC CICS SYNCPOINT END-EXEC
           MOVE COUNTER-VALUE      TO ANSWER-VALUE
           EXEC CICS SEND TEXT FROM(ANSWER) LENGTH(LENGTH OF ANSWER)
                     ERASE FREEKB
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

/// Adds one to the same counter, 500 times, in a batch program.
const BATCH: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BATCH.
       ENVIRONMENT DIVISION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT COUNTER-FILE ASSIGN TO COUNTERS ORGANIZATION INDEXED
               ACCESS RANDOM RECORD KEY COUNTER-KEY FILE STATUS FS.
       DATA DIVISION.
       FILE SECTION.
       FD  COUNTER-FILE.
       01  COUNTER.
           05  COUNTER-KEY         PIC X(04).
           05  COUNTER-VALUE       PIC 9(06).
       WORKING-STORAGE SECTION.
       01  FS                      PIC XX.
       PROCEDURE DIVISION.
           OPEN I-O COUNTER-FILE
           MOVE 'ONLY' TO COUNTER-KEY
           PERFORM 500 TIMES
               READ COUNTER-FILE
               ADD 1 TO COUNTER-VALUE
               REWRITE COUNTER
               IF FS NOT = '00' DISPLAY 'STATUS ' FS END-IF
           END-PERFORM
           CLOSE COUNTER-FILE
           GOBACK.
";

const DEFINITIONS: &str = "
DEFINE TRANSACTION(CNT) GROUP(OUTSIDE) PROGRAM(ONLINE)
DEFINE PROGRAM(ONLINE) GROUP(OUTSIDE) CONCURRENCY(THREADSAFE)
DEFINE FILE(COUNTER) GROUP(OUTSIDE) DSNAME(OUTSIDE.COUNTER)
       READ(YES) UPDATE(YES) RECOVERY(BACKOUTONLY)
";

const DATA_SETS: &str = " DEFINE CLUSTER (NAME(OUTSIDE.COUNTER) INDEXED KEYS(4 0) RECORDSIZE(10 10))\n";

/// Runs `syncpoint` in a folder: what it prints.
fn syncpoint(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    let output = command.args(arguments).current_dir(folder).output().expect("it ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Counts once; the number on the screen.
fn count(terminal: &mut Terminal) -> u32 {
    terminal.start("CNT");
    terminal.sees("COUNTED");
    let shown = terminal.shows();
    terminal.press(Aid::Clear);
    shown.split_whitespace().last().and_then(|word| word.parse().ok()).expect("a number is shown")
}

/// Returns the message with which `syncpoint` refuses.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    let output = command.args(arguments).current_dir(folder).output().expect("it ends");
    assert!(!output.status.success(), "{arguments:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The application with the counter.
fn counting() -> tempfile::TempDir {
    application(&[
        ("region.toml", FREE_PORT),
        ("outside.csd", DEFINITIONS),
        ("outside.idcams", DATA_SETS),
        ("fill.txt", " REPRO INFILE(IN) OUTDATASET(OUTSIDE.COUNTER)\n"),
        ("one.txt", "ONLY000000\n"),
        ("programs/ONLINE.cbl", ONLINE),
        ("programs/BATCH.cbl", BATCH),
    ])
}

#[test]
fn a_backup_of_a_running_region_is_its_state_of_that_moment() {
    let folder = counting();
    let region = Region::start(folder.path());
    syncpoint(folder.path(), &["idcams", "--input", "fill.txt", "--dd", "IN=one.txt"]);
    let mut terminal = region.terminal();
    assert_eq!((count(&mut terminal), count(&mut terminal)), (1, 2));
    let said = syncpoint(folder.path(), &["backup", ".", "saved.backup"]);
    assert!(said.contains("saved.backup holds everything"), "{said}");
    assert_eq!(count(&mut terminal), 3);
    region.end(terminal);
    let over = refused(folder.path(), &["restore", "saved.backup", "."]);
    assert!(over.contains("move that folder away first"), "{over}");
    std::fs::rename(folder.path().join(".syncpoint/data"), folder.path().join("lost")).expect("moved");
    syncpoint(folder.path(), &["restore", "saved.backup", "."]);
    let region = Region::start(folder.path());
    let mut terminal = region.terminal();
    assert_eq!(count(&mut terminal), 3);
    region.end(terminal);
    // Also where no region runs; and a backup that is no longer what was written is refused.
    syncpoint(folder.path(), &["backup", ".", "later.backup"]);
    syncpoint(folder.path(), &["restore", "later.backup", "--check"]);
    let path = folder.path().join("later.backup");
    let mut bytes = std::fs::read(&path).expect("the backup");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).expect("written");
    let damaged = refused(folder.path(), &["restore", "later.backup", "--check"]);
    assert!(damaged.contains("of the backup is not what was written"), "{damaged}");
}

#[test]
fn a_region_whose_log_cannot_be_written_ends_and_says_so_once() {
    let folder = counting();
    std::fs::write(folder.path().join("region.toml"), format!("{FREE_PORT}[data]\nunit-limit-mb = 1\n"))
        .expect("written");
    let records: String = (0..10_000).map(|number| format!("{number:04}000000\n")).collect();
    std::fs::write(folder.path().join("many.txt"), records).expect("written");
    let replace = " REPRO INFILE(IN) OUTDATASET(OUTSIDE.COUNTER) REPLACE\n";
    std::fs::write(folder.path().join("replace.txt"), replace.repeat(10)).expect("written");
    let region = Region::start(folder.path());
    syncpoint(folder.path(), &["idcams", "--input", "fill.txt", "--dd", "IN=one.txt"]);
    let mut terminal = region.terminal();
    assert_eq!(count(&mut terminal), 1);
    // The next segment of the log cannot be begun.
    let log = folder.path().join(".syncpoint/data/log");
    std::fs::rename(&log, folder.path().join("log")).expect("moved");
    refused(folder.path(), &["idcams", "--input", "replace.txt", "--dd", "IN=many.txt"]);
    let (status, said) = region.ended();
    assert_eq!(status.code(), Some(74), "{said}");
    assert!(said.contains("the region ends at once, with exit status 74"), "{said}");
    assert_eq!(said.matches("no work is done any more").count(), 1, "{said}");
    std::fs::rename(folder.path().join("log"), &log).expect("moved");
    let region = Region::start(folder.path());
    let mut terminal = region.terminal();
    assert_eq!(count(&mut terminal), 2);
    region.end(terminal);
}

#[test]
fn a_batch_program_and_tasks_count_together_and_lose_nothing() {
    let folder = counting();
    let region = Region::start(folder.path());
    let filled = syncpoint(folder.path(), &["idcams", "--input", "fill.txt", "--dd", "IN=one.txt"]);
    assert!(filled.contains("records processed: 1"), "{filled}");
    let mut terminal = region.terminal();
    assert_eq!(count(&mut terminal), 1);
    let mut batch = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    batch.args(["batch", "BATCH", "--dd", "COUNTERS=OUTSIDE.COUNTER"]).current_dir(folder.path());
    let mut batch = batch.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let mut times = 1;
    while batch.try_wait().expect("a child").is_none() {
        count(&mut terminal);
        times += 1;
    }
    assert_eq!(count(&mut terminal), 500 + times + 1);
    region.end(terminal);
    let shown = syncpoint(folder.path(), &["data", "show", "OUTSIDE.COUNTER"]);
    assert!(shown.contains(&format!("ONLY{:06}", 500 + times + 1)), "{shown}");
}
