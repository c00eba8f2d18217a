//! A kill in the middle of work, and what the next start makes of it: each unit of work is there in all its resources or
//! in none, and what it started is done exactly once.

use std::os::unix::process::ExitStatusExt;

use tempfile::TempDir;

use crate::house::{FREE_PORT, Region, application};
use crate::terminal::Terminal;

/// Counts in a file, and in the same unit of work writes to queues of both kinds and starts a task.
const WORK: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WORKS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                 PIC S9(08) COMP.
       01  WORK.
           05  WORK-KEY            PIC X(04) VALUE 'ONLY'.
           05  WORK-VALUE          PIC 9(06) VALUE ZERO.
       01  ANSWER.
           05  FILLER              PIC X(08) VALUE 'WORKED '.
           05  ANSWER-VALUE        PIC 9(06).
       PROCEDURE DIVISION.
           EXEC CICS READ FILE('WORK') INTO(WORK)
                     RIDFLD(WORK-KEY) UPDATE RESP(WS-RESP)
           END-EXEC
           ADD 1                   TO WORK-VALUE
           IF WS-RESP = DFHRESP(NORMAL)
              EXEC CICS REWRITE FILE('WORK') FROM(WORK) END-EXEC
           ELSE
              EXEC CICS WRITE FILE('WORK') FROM(WORK)
                        RIDFLD(WORK-KEY)
              END-EXEC
           END-IF
           EXEC CICS WRITEQ TS QUEUE('RECWORK') FROM(WORK-VALUE)
           END-EXEC
           EXEC CICS WRITEQ TD QUEUE('WORK') FROM(WORK-VALUE) END-EXEC
           EXEC CICS START TRANSID('NOTE') FROM(WORK-VALUE) PROTECT
           END-EXEC
           EXEC CICS SYNCPOINT END-EXEC
           MOVE WORK-VALUE         TO ANSWER-VALUE
           EXEC CICS SEND TEXT FROM(ANSWER) LENGTH(LENGTH OF ANSWER)
                     ERASE FREEKB
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

/// Notes in a recoverable queue that it was started.
const NOTE: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. NOTES.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-VALUE                PIC 9(06).
       PROCEDURE DIVISION.
           EXEC CICS RETRIEVE INTO(WS-VALUE) END-EXEC
           EXEC CICS WRITEQ TS QUEUE('RECNOTES') FROM(WS-VALUE)
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

/// Shows what the file, the queues and the notes have counted.
const LOOK: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. LOOKS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                 PIC S9(08) COMP.
       01  WS-ITEMS                PIC S9(04) COMP.
       01  WS-WAITING              PIC S9(08) COMP.
       01  WS-ITEM                 PIC X(06).
       01  WORK.
           05  WORK-KEY            PIC X(04) VALUE 'ONLY'.
           05  WORK-VALUE          PIC 9(06) VALUE ZERO.
       01  ANSWER.
           05  FILLER              PIC X(05) VALUE 'FILE '.
           05  IN-FILE             PIC 9(06).
           05  FILLER              PIC X(04) VALUE ' TS '.
           05  IN-TS               PIC 9(06).
           05  FILLER              PIC X(04) VALUE ' TD '.
           05  IN-TD               PIC 9(06).
           05  FILLER              PIC X(07) VALUE ' NOTES '.
           05  IN-NOTES            PIC 9(06).
       PROCEDURE DIVISION.
           EXEC CICS READ FILE('WORK') INTO(WORK)
                     RIDFLD(WORK-KEY) RESP(WS-RESP)
           END-EXEC
           MOVE WORK-VALUE         TO IN-FILE
           MOVE ZERO               TO WS-ITEMS
           EXEC CICS READQ TS QUEUE('RECWORK') INTO(WS-ITEM)
                     ITEM(1) NUMITEMS(WS-ITEMS) RESP(WS-RESP)
           END-EXEC
           MOVE WS-ITEMS           TO IN-TS
           EXEC CICS INQUIRE TDQUEUE('WORK') NUMITEMS(WS-WAITING)
           END-EXEC
           MOVE WS-WAITING         TO IN-TD
           MOVE ZERO               TO WS-ITEMS
           EXEC CICS READQ TS QUEUE('RECNOTES') INTO(WS-ITEM)
                     ITEM(1) NUMITEMS(WS-ITEMS) RESP(WS-RESP)
           END-EXEC
           MOVE WS-ITEMS           TO IN-NOTES
           EXEC CICS SEND TEXT FROM(ANSWER) LENGTH(LENGTH OF ANSWER)
                     ERASE FREEKB
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

/// Starts a task with a channel.
const SENDS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SENDS.
       PROCEDURE DIVISION.
           EXEC CICS PUT CONTAINER('WORD') CHANNEL('LETTERS')
                     FROM('HELLO')
           END-EXEC
           EXEC CICS START TRANSID('TAKE') CHANNEL('LETTERS') PROTECT
           END-EXEC
           EXEC CICS SEND TEXT FROM('SENT') LENGTH(4) ERASE FREEKB
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

/// Says what the channel has, and is not done with it for an hour.
const TAKES: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. TAKES.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-WORD                 PIC X(05).
       PROCEDURE DIVISION.
           EXEC CICS GET CONTAINER('WORD') INTO(WS-WORD) END-EXEC
           DISPLAY 'TAKES ' WS-WORD
           EXEC CICS DELAY FOR HOURS(1) END-EXEC
           EXEC CICS RETURN END-EXEC.
";

const DEFINITIONS: &str = "
DEFINE TRANSACTION(SEND) GROUP(KILLED) PROGRAM(SENDS)
DEFINE PROGRAM(SENDS) GROUP(KILLED)
DEFINE TRANSACTION(TAKE) GROUP(KILLED) PROGRAM(TAKES)
DEFINE PROGRAM(TAKES) GROUP(KILLED)
DEFINE TRANSACTION(WORK) GROUP(KILLED) PROGRAM(WORKS)
DEFINE PROGRAM(WORKS) GROUP(KILLED) CONCURRENCY(THREADSAFE)
DEFINE TRANSACTION(NOTE) GROUP(KILLED) PROGRAM(NOTES)
DEFINE PROGRAM(NOTES) GROUP(KILLED) CONCURRENCY(THREADSAFE)
DEFINE TRANSACTION(LOOK) GROUP(KILLED) PROGRAM(LOOKS)
DEFINE PROGRAM(LOOKS) GROUP(KILLED)
DEFINE TDQUEUE(WORK) GROUP(KILLED) TYPE(INTRA) RECOVSTATUS(LOGICAL)
DEFINE TSMODEL(RECOV) GROUP(KILLED) PREFIX(REC) RECOVERY(YES)
DEFINE FILE(WORK) GROUP(KILLED) DSNAME(KILLED.WORK)
       READ(YES) ADD(YES) UPDATE(YES) RECOVERY(BACKOUTONLY)
";

const DATA_SETS: &str = " DEFINE CLUSTER (NAME(KILLED.WORK) INDEXED KEYS(4 0) RECORDSIZE(10 10))\n";

fn working() -> TempDir {
    application(&[
        ("region.toml", FREE_PORT),
        ("working.csd", DEFINITIONS),
        ("working.idcams", DATA_SETS),
        ("programs/WORKS.cbl", WORK),
        ("programs/NOTES.cbl", NOTE),
        ("programs/LOOKS.cbl", LOOK),
        ("programs/SENDS.cbl", SENDS),
        ("programs/TAKES.cbl", TAKES),
    ])
}

/// Works once; the number on the screen.
fn work(terminal: &mut Terminal) -> u32 {
    terminal.start("WORK");
    terminal.sees("WORKED");
    terminal.shows().split_whitespace().last().and_then(|word| word.parse().ok()).expect("a number is shown")
}

/// Returns the count of the file, once the queues and the notes have it, too.
fn agreed(terminal: &mut Terminal) -> u32 {
    terminal.start("LOOK");
    terminal.sees("FILE");
    let shown = terminal.shows();
    let counted: u32 =
        shown.split_whitespace().nth(1).and_then(|word| word.parse().ok()).expect("a number is shown");
    terminal.until("LOOK", &format!("FILE {counted:06} TS {counted:06} TD {counted:06} NOTES {counted:06}"));
    counted
}

#[test]
fn a_kill_takes_all_of_a_unit_of_work_or_nothing() {
    let folder = working();
    let mut shown = 0;
    for _ in 0..3 {
        let region = Region::start(folder.path());
        let mut terminal = region.terminal();
        for _ in 0..10 {
            shown = work(&mut terminal);
        }
        // One more is on its way when the region is killed, and tasks that were started may be, too.
        terminal.start_and_go("WORK");
        region.signal("KILL");
        assert_eq!(region.ended().0.signal(), Some(9));
        let region = Region::start(folder.path());
        region.logs("the start is emergency");
        let counted = agreed(&mut region.terminal());
        assert!((shown..=shown + 1).contains(&counted), "{shown} was shown, then came {counted}");
    }
}

#[test]
fn a_task_that_was_started_with_a_channel_is_started_with_it_again() {
    let folder = working();
    let region = Region::start(folder.path());
    let mut terminal = region.terminal();
    terminal.start("SEND");
    terminal.sees("SENT");
    region.logs("TAKES HELLO");
    region.signal("KILL");
    assert_eq!(region.ended().0.signal(), Some(9));
    Region::start(folder.path()).logs("TAKES HELLO");
}

#[test]
fn a_file_that_has_become_recoverable_makes_its_data_set_so() {
    let folder = working();
    let csd = folder.path().join("working.csd");
    std::fs::write(&csd, DEFINITIONS.replace("BACKOUTONLY", "NONE")).expect("written");
    let told = "changes of KILLED.WORK are backed out from now on";
    let log = Region::start(folder.path()).ends_in_order();
    assert!(!log.contains(told), "{log}");
    std::fs::write(&csd, DEFINITIONS).expect("written");
    let log = Region::start(folder.path()).ends_in_order();
    assert!(log.contains(told), "{log}");
    let log = Region::start(folder.path()).ends_in_order();
    assert!(!log.contains(told), "it is so already: {log}");
}

#[test]
fn an_orderly_end_makes_the_next_start_warm() {
    let folder = working();
    let region = Region::start(folder.path());
    region.logs("the start is initial");
    let mut terminal = region.terminal();
    assert_eq!(work(&mut terminal), 1);
    assert_eq!(agreed(&mut terminal), 1);
    region.end(terminal);
    let region = Region::start(folder.path());
    region.logs("the start is warm; recovered: 2 TS queues, 1 TD queues, 0 STARTs, 0 statuses, 0 units of work in doubt");
    assert_eq!(agreed(&mut region.terminal()), 1);
}

#[test]
fn a_start_that_fails_leaves_a_warm_start_to_the_next() {
    let folder = working();
    let region = Region::start(folder.path());
    let terminal = region.terminal();
    region.end(terminal);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("its address");
    let region_file = folder.path().join("region.toml");
    std::fs::write(&region_file, format!("[listen]\ntn3270 = \"{address}\"\n")).expect("written");
    Region::refused(folder.path());
    std::fs::write(&region_file, FREE_PORT).expect("written");
    Region::start(folder.path()).logs("the start is warm");
}

/// Writes two records to a journal: one that the disk has, and one that it may have.
const TELL: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. TELLS.
       PROCEDURE DIVISION.
           EXEC CICS WRITE JOURNALNAME('AUDIT') JTYPEID('A1')
                     FROM('FIRST') FLENGTH(5) WAIT
           END-EXEC
           EXEC CICS WRITE JOURNALNAME('AUDIT') JTYPEID('A1')
                     FROM('SECOND') FLENGTH(6) PREFIX('P') PFXLENG(1)
           END-EXEC
           EXEC CICS SEND TEXT FROM('TOLD') LENGTH(4) ERASE FREEKB
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

#[test]
fn a_journal_outlives_a_kill_and_is_printed() {
    let definitions =
        "DEFINE TRANSACTION(TELL) GROUP(TOLD) PROGRAM(TELLS)\nDEFINE PROGRAM(TELLS) GROUP(TOLD)\n";
    let folder = application(&[
        ("region.toml", FREE_PORT),
        ("telling.csd", definitions),
        ("programs/TELLS.cbl", TELL),
    ]);
    for _ in 0..2 {
        let region = Region::start(folder.path());
        let mut terminal = region.terminal();
        terminal.start("TELL");
        terminal.sees("TOLD");
        region.signal("KILL");
        region.ended();
    }
    let journal = folder.path().join(".syncpoint/journals/SYNCPNT.SYNCPNT.AUDIT.journal");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    let printed = command.arg("journal").arg(journal).output().expect("syncpoint starts");
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    let told: Vec<&str> =
        printed.lines().filter_map(|line| line.split_once(" A1 ")).map(|(_, data)| data).collect();
    assert_eq!(told, ["FIRST", "[P] SECOND", "FIRST", "[P] SECOND"], "{printed}");
}
