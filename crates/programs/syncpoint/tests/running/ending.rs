//! The end of a region, and the state when it starts again.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};

use tempfile::TempDir;
use tn3270::datastream::Aid;

use crate::house::{AtTerminal, FREE_PORT, Region, application};
use crate::terminal::Terminal;

/// Counts in a recoverable file, and shows what it has counted once the count is committed.
const COUNT: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. COUNTS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                 PIC S9(08) COMP.
       01  COUNTER.
           05  COUNTER-KEY         PIC X(04) VALUE 'ONLY'.
           05  COUNTER-VALUE       PIC 9(06) VALUE ZERO.
       01  ANSWER.
           05  FILLER              PIC X(08) VALUE 'COUNTED '.
           05  ANSWER-VALUE        PIC 9(06).
       PROCEDURE DIVISION.
           EXEC CICS READ FILE('COUNTER') INTO(COUNTER)
                     RIDFLD(COUNTER-KEY) UPDATE RESP(WS-RESP)
           END-EXEC
           ADD 1                   TO COUNTER-VALUE
           IF WS-RESP = DFHRESP(NORMAL)
              EXEC CICS REWRITE FILE('COUNTER') FROM(COUNTER) END-EXEC
           ELSE
              EXEC CICS WRITE FILE('COUNTER') FROM(COUNTER)
                        RIDFLD(COUNTER-KEY)
              END-EXEC
           END-IF
           EXEC CICS SYNCPOINT END-EXEC
           MOVE COUNTER-VALUE      TO ANSWER-VALUE
           EXEC CICS SEND TEXT FROM(ANSWER) LENGTH(LENGTH OF ANSWER)
                     ERASE FREEKB
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

/// Says that it begins, lasts as many seconds as its transaction's name says, and says that it is done.
const WAIT: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WAITS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-SECONDS              PIC S9(08) COMP VALUE 1.
       01  WS-DONE                 PIC X(07) VALUE 'IT ENDS'.
       PROCEDURE DIVISION.
           IF EIBTRNID = 'LONG'
              MOVE 3600            TO WS-SECONDS
           END-IF
           DISPLAY 'IT BEGINS'
           EXEC CICS DELAY FOR SECONDS(WS-SECONDS) END-EXEC
           EXEC CICS SEND TEXT FROM(WS-DONE) LENGTH(7) END-EXEC
           EXEC CICS RETURN END-EXEC.
";

/// Waits for a user to type.
const ASK: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ASKS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-INPUT                PIC X(80).
       01  WS-LENGTH               PIC S9(04) COMP VALUE 80.
       PROCEDURE DIVISION.
           EXEC CICS RECEIVE INTO(WS-INPUT) LENGTH(WS-LENGTH) END-EXEC
           DISPLAY 'IT ASKS'
           EXEC CICS RECEIVE INTO(WS-INPUT) LENGTH(WS-LENGTH) END-EXEC
           EXEC CICS RETURN END-EXEC.
";

/// Says so, then loops without end and without a command.
const SPIN: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SPINS.
       PROCEDURE DIVISION.
           DISPLAY 'IT SPINS'
           EXEC CICS ASKTIME END-EXEC.
       AGAIN.
           GO TO AGAIN.
";

/// Says so, then reads a queue whose file is a pipe without a writer: the operating system holds the thread.
const HOLD: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. HOLDS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RECORD               PIC X(10).
       PROCEDURE DIVISION.
           DISPLAY 'IT HOLDS'
           EXEC CICS READQ TD QUEUE('PIPE') INTO(WS-RECORD) END-EXEC.
";

/// Ends the region at once.
const END: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ENDS.
       PROCEDURE DIVISION.
           EXEC CICS PERFORM SHUTDOWN IMMEDIATE END-EXEC
           EXEC CICS RETURN END-EXEC.
";

const DEFINITIONS: &str = "
DEFINE TRANSACTION(CNT) GROUP(ENDING) PROGRAM(COUNTS)
DEFINE PROGRAM(COUNTS) GROUP(ENDING) CONCURRENCY(THREADSAFE)
DEFINE TRANSACTION(WAIT) GROUP(ENDING) PROGRAM(WAITS)
DEFINE TRANSACTION(LONG) GROUP(ENDING) PROGRAM(WAITS)
DEFINE PROGRAM(WAITS) GROUP(ENDING)
DEFINE TRANSACTION(ASK) GROUP(ENDING) PROGRAM(ASKS)
DEFINE TRANSACTION(SPIN) GROUP(ENDING) PROGRAM(SPINS) RUNAWAY(0)
DEFINE PROGRAM(SPINS) GROUP(ENDING) CONCURRENCY(REQUIRED)
DEFINE TRANSACTION(HOLD) GROUP(ENDING) PROGRAM(HOLDS)
DEFINE PROGRAM(HOLDS) GROUP(ENDING) CONCURRENCY(REQUIRED)
DEFINE TRANSACTION(NOW) GROUP(ENDING) PROGRAM(ENDS)
DEFINE PROGRAM(ENDS) GROUP(ENDING)
DEFINE PROGRAM(ASKS) GROUP(ENDING)
DEFINE FILE(COUNTER) GROUP(ENDING) DSNAME(ENDING.COUNTER)
       READ(YES) ADD(YES) UPDATE(YES) RECOVERY(BACKOUTONLY)
";

const DATA_SETS: &str = " DEFINE CLUSTER (NAME(ENDING.COUNTER) INDEXED KEYS(4 0) RECORDSIZE(10 10))\n";

pub fn counting() -> TempDir {
    application(&[
        ("region.toml", &format!("{FREE_PORT}[queues]\nPIPE = 'pipe'\n")),
        ("counting.csd", DEFINITIONS),
        ("counting.idcams", DATA_SETS),
        ("programs/COUNTS.cbl", COUNT),
        ("programs/WAITS.cbl", WAIT),
        ("programs/ASKS.cbl", ASK),
        ("programs/SPINS.cbl", SPIN),
        ("programs/HOLDS.cbl", HOLD),
        ("programs/ENDS.cbl", END),
    ])
}

/// Counts once; the number on the screen.
pub fn count(terminal: &mut Terminal) -> u32 {
    terminal.start("CNT");
    terminal.sees("COUNTED");
    let shown = terminal.shows();
    shown.split_whitespace().last().and_then(|word| word.parse().ok()).expect("a number is shown")
}

/// Says which program it is, and that it abends if its name says so.
fn says(program: &str) -> String {
    let abend = if program == "BAD" { "EXEC CICS ABEND ABCODE('GONE') END-EXEC" } else { "CONTINUE" };
    format!(
        "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. {program}.
       PROCEDURE DIVISION.
           DISPLAY 'THIS IS {program}'
           {abend}
           EXEC CICS RETURN END-EXEC.
"
    )
}

#[test]
fn program_lists_run_at_the_start_and_at_the_end() {
    let lists = "[plt]\nstartup = [\"BAD\", \"FIRST\", \"MISSING\"]\nshutdown = [\"LAST\"]\n";
    let (bad, first, last) = (says("BAD"), says("FIRST"), says("LAST"));
    let folder = application(&[
        ("region.toml", &format!("{FREE_PORT}{lists}")),
        (
            "lists.csd",
            "DEFINE PROGRAM(BAD) GROUP(A)\nDEFINE PROGRAM(FIRST) GROUP(A)\nDEFINE PROGRAM(LAST) GROUP(A)\n",
        ),
        ("programs/BAD.cbl", &bad),
        ("programs/FIRST.cbl", &first),
        ("programs/LAST.cbl", &last),
    ]);
    let region = Region::start(folder.path());
    // The log is read beside the greeting: it may be a little later.
    region.logs("program MISSING of the program list has ended with abend APCT");
    let started = region.log();
    let place = |log: &str, text: &str| log.find(text).unwrap_or_else(|| panic!("no “{text}”:\n{log}"));
    assert!(
        place(&started, "program BAD of the program list has ended with abend GONE")
            < place(&started, "THIS IS FIRST")
    );
    assert!(!started.contains("THIS IS LAST"));
    let mut terminal = region.terminal();
    terminal.start("CPLT");
    terminal.sees("CPLT");
    region.signal("TERM");
    let (status, log) = region.ended();
    assert!(status.success(), "{log}");
    place(&log, "THIS IS LAST");
}

fn ends_in_order(signal: &str) {
    let folder = counting();
    let region = Region::start(folder.path());
    assert_eq!(count(&mut region.terminal()), 1);
    region.signal(signal);
    let (status, log) = region.ended();
    assert!(status.success() && log.contains("the region has ended"), "{status}\n{log}");
    let region = Region::start(folder.path());
    assert_eq!(count(&mut region.terminal()), 2, "the data is there");
}

#[test]
fn ctrl_c_ends_a_region_in_order() {
    ends_in_order("INT");
}

#[test]
fn so_does_the_signal_of_a_service_manager() {
    ends_in_order("TERM");
}

#[test]
fn so_does_the_end_of_the_session_that_it_was_started_in() {
    let folder = counting();
    let said = AtTerminal::watch(folder.path()).hung_up();
    assert!(said.contains("the region has ended"), "{said}");
}

#[test]
fn a_task_may_end_before_its_region() {
    let folder = counting();
    let region = Region::start(folder.path());
    let mut terminal = region.terminal();
    terminal.start_and_go("WAIT");
    region.logs("IT BEGINS");
    region.signal("TERM");
    terminal.sees("IT ENDS");
    assert!(region.ended().0.success());
}

#[test]
fn the_region_does_not_wait_for_a_person() {
    let folder = counting();
    let region = Region::start(folder.path());
    let mut terminal = region.terminal();
    terminal.start("ASK");
    region.logs("IT ASKS");
    region.signal("TERM");
    let (status, log) = region.ended();
    assert!(status.success() && log.contains("(ASK) is purged: the region ends"), "{log}");
}

#[test]
fn a_second_signal_waits_for_no_task() {
    for (signal, status) in [("INT", 130), ("TERM", 143)] {
        let folder = counting();
        let region = Region::start(folder.path());
        let mut terminal = region.terminal();
        terminal.start_and_go("LONG");
        region.logs("IT BEGINS");
        region.signal(signal);
        region.logs("the region shuts down");
        region.signal(signal);
        let (ended, log) = region.ended();
        assert_eq!(ended.code(), Some(status), "{log}");
        assert!(!log.contains("the region has ended"), "{log}");
    }
}

#[test]
fn an_immediate_shutdown_waits_for_no_task_and_leaves_an_emergency_restart() {
    let folder = counting();
    let region = Region::start(folder.path());
    let (mut long, mut operator) = (region.terminal(), region.terminal());
    assert_eq!(count(&mut operator), 1);
    long.start_and_go("LONG");
    region.logs("IT BEGINS");
    operator.start_and_go("NOW");
    let (status, log) = region.ended();
    assert!(status.success() && log.contains("the region ends at once"), "{status}\n{log}");
    let region = Region::start(folder.path());
    region.logs("the start is emergency");
    assert_eq!(count(&mut region.terminal()), 2, "what was committed is there");
}

/// The same, with a pipe that HOLD reads.
fn with_pipe() -> TempDir {
    let folder = counting();
    let made = Command::new("mkfifo").arg(folder.path().join("pipe")).status().expect("coreutils");
    assert!(made.success());
    folder
}

/// Starts a transaction that keeps its thread, waits until it says so, and shuts down at once: how the region ended.
fn ended_at_once_under(transaction: &str, says: &str) -> (ExitStatus, String) {
    let folder = with_pipe();
    let region = Region::start(folder.path());
    let (mut terminal, mut operator) = (region.terminal(), region.terminal());
    terminal.start_and_go(transaction);
    region.logs(says);
    operator.start_and_go("NOW");
    region.ended()
}

#[test]
fn an_immediate_shutdown_ends_a_task_that_loops() {
    let (status, log) = ended_at_once_under("SPIN", "IT SPINS");
    let told = "program SPINS: it was ended while it ran, in SPINS, programs/SPINS.cbl line";
    assert!(status.success() && log.contains(told) && log.contains("abend AEXY"), "{status}\n{log}");
    assert!(!log.contains("does not give way"), "{log}");
}

#[test]
fn a_task_that_never_gives_way_does_not_keep_the_region() {
    let (status, log) = ended_at_once_under("HOLD", "IT HOLDS");
    let told = "(HOLD) does not give way: the region ends without it, as after a crash";
    assert!(status.success() && log.contains(told), "{status}\n{log}");
}

#[test]
fn a_tcb_that_does_not_come_back_is_reported_and_others_go_on() {
    let folder = with_pipe();
    let region = Region::start(folder.path());
    let mut terminal = region.terminal();
    terminal.start_and_go("HOLD");
    region.logs("has not come back for 1");
    region.logs("(HOLD) runs");
    assert_eq!(count(&mut region.terminal()), 1);
    fs::write(folder.path().join("pipe"), "GO ON\n").expect("it is read");
    region.logs("goes on after 1");
    region.ends_in_order();
}

#[test]
fn what_a_screen_has_shown_survives_a_kill() {
    let folder = counting();
    let mut shown = 0;
    for _ in 0..3 {
        let region = Region::start(folder.path());
        let mut terminal = region.terminal();
        for _ in 0..20 {
            let counted = count(&mut terminal);
            assert!(counted > shown, "{counted} was counted before: {shown}");
            shown = counted;
        }
        // One more is on its way when the region is killed: it may have been committed, or not.
        terminal.start_and_go("CNT");
        region.signal("KILL");
        let (status, _) = region.ended();
        assert_eq!(status.signal(), Some(9));
        let region = Region::start(folder.path());
        let counted = count(&mut region.terminal());
        assert!((shown + 1..=shown + 2).contains(&counted), "{shown} was shown, then came {counted}");
        shown = counted;
    }
}

#[test]
fn terminals_are_let_go_when_the_region_ends() {
    let folder = counting();
    let region = Region::start(folder.path());
    let mut terminal = region.terminal();
    terminal.press(Aid::Clear);
    region.signal("TERM");
    terminal.sees_the_end();
    assert!(region.ended().0.success());
}
