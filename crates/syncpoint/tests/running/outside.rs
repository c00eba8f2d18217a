//! What comes from outside while a region runs: tools, and a batch program that changes what tasks change too.

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

#[test]
fn a_batch_program_and_tasks_count_together_and_lose_nothing() {
    let folder = application(&[
        ("region.toml", FREE_PORT),
        ("outside.csd", DEFINITIONS),
        ("outside.idcams", DATA_SETS),
        ("fill.txt", " REPRO INFILE(IN) OUTDATASET(OUTSIDE.COUNTER)\n"),
        ("one.txt", "ONLY000000\n"),
        ("programs/ONLINE.cbl", ONLINE),
        ("programs/BATCH.cbl", BATCH),
    ]);
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
