//! The operator's means beside a terminal: status, commands and transactions from outside, the log's file, dumps, and
//! notices to a service manager.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::house::{FREE_PORT, PATIENCE, Region, application};

/// Retrieves what it was started with; ends well for GOOD, and calculates with what is no number otherwise.
const STARTED: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. STARTED.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                 PIC S9(08) COMP.
       01  WS-ORDER.
           05  ORDER-WORD          PIC X(04).
           05  ORDER-AMOUNT        PIC S9(05)V99 COMP-3 VALUE 12.34.
           05  ORDER-DAYS          PIC 99 OCCURS 3 VALUE 7.
       01  WS-BAD                  PIC S9(05) COMP-3.
       01  WS-BAD-X REDEFINES WS-BAD PIC X(03).
       LOCAL-STORAGE SECTION.
       01  LS-FIRST                PIC X(03) VALUE 'ONE'.
       01  LS-SECOND               PIC 9(03) VALUE 2.
       LINKAGE SECTION.
       01  LK-NOWHERE              PIC X(10).
       01  LK-GOT                  PIC X(06).
       PROCEDURE DIVISION.
           EXEC CICS RETRIEVE INTO(ORDER-WORD) RESP(WS-RESP) END-EXEC
           EXEC CICS READQ TS QUEUE('NOTHING') INTO(WS-BAD)
                     RESP(WS-RESP)
           END-EXEC
           IF ORDER-WORD = 'GOOD'
              EXEC CICS RETURN END-EXEC
           END-IF
           EXEC CICS GETMAIN SET(ADDRESS OF LK-GOT) FLENGTH(6) END-EXEC
           MOVE 'GOT IT'           TO LK-GOT
           IF LS-SECOND = 1 MOVE LK-NOWHERE TO LS-FIRST END-IF
           EXEC CICS PUT CONTAINER('BOX') CHANNEL('CHAN')
                     FROM(ORDER-WORD)
           END-EXEC
           EXEC CICS ENQ RESOURCE('THE-ENQ') LENGTH(7) END-EXEC
           MOVE 'BAD'              TO WS-BAD-X
           ADD 1 TO WS-BAD
           EXEC CICS RETURN END-EXEC.
";

/// Locks the record that the first letter names, waits until another task has done the same, and wants the other one.
const CROSSES: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CROSSES.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-MARKS                PIC S9(04) COMP VALUE 0.
       01  WS-ORDER                PIC X(02).
       01  WS-MARK                 PIC X(02).
       01  PAIR-RECORD             PIC X(10).
       01  WS-KEY                  PIC X(04).
       PROCEDURE DIVISION.
           EXEC CICS RETRIEVE INTO(WS-ORDER) END-EXEC
           MOVE WS-ORDER(1:1)      TO WS-KEY
           EXEC CICS READ FILE('PAIR') INTO(PAIR-RECORD)
                     RIDFLD(WS-KEY) UPDATE
           END-EXEC
           EXEC CICS WRITEQ TS QUEUE('MARKS') FROM(WS-ORDER) END-EXEC
           PERFORM UNTIL WS-MARKS = 2
              EXEC CICS READQ TS QUEUE('MARKS') INTO(WS-MARK) ITEM(1)
                        NUMITEMS(WS-MARKS)
              END-EXEC
              EXEC CICS SUSPEND END-EXEC
           END-PERFORM
           EXEC CICS REWRITE FILE('PAIR') FROM(PAIR-RECORD) END-EXEC
           MOVE WS-ORDER(2:1)      TO WS-KEY
           EXEC CICS READ FILE('PAIR') INTO(PAIR-RECORD)
                     RIDFLD(WS-KEY) UPDATE
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

const DATA_SETS: &str = " DEFINE CLUSTER (NAME(OPER.PAIR) INDEXED KEYS(4 0) RECORDSIZE(10 10))\n";

const DEFINITIONS: &str = "
DEFINE TRANSACTION(CROS) GROUP(OPER) PROGRAM(CROSSES)
DEFINE PROGRAM(CROSSES) GROUP(OPER)
DEFINE FILE(PAIR) GROUP(OPER) DSNAME(OPER.PAIR)
       READ(YES) ADD(YES) UPDATE(YES) RECOVERY(BACKOUTONLY)
DEFINE TRANSACTION(STRT) GROUP(OPER) PROGRAM(STARTED)
DEFINE PROGRAM(STARTED) GROUP(OPER)
";

/// A file to load.
const LOAD: &str = "[[load]]\ndataset = \"OPER.PAIR\"\nfile = \"pair.txt\"\n";

fn house(more: &str) -> TempDir {
    application(&[
        ("region.toml", &format!("{more}{FREE_PORT}{LOAD}")),
        ("oper.csd", DEFINITIONS),
        ("oper.idcams", DATA_SETS),
        ("pair.txt", "A   FIRST \nB   SECOND\n"),
        ("programs/CROSSES.cbl", CROSSES),
        ("programs/STARTED.cbl", STARTED),
    ])
}

fn syncpoint(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1").output().expect("syncpoint starts")
}

/// Returns the output of a command, and true if it went well.
fn said(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let output = syncpoint(folder, arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn a_region_says_how_it_is_while_it_runs_and_not_before() {
    let folder = house("applid = \"OPERS\"\n");
    let (well, text) = said(folder.path(), &["status"]);
    assert!(!well && text.contains("no region runs on"), "{text}");
    let region = Region::start(folder.path());
    let (well, text) = said(folder.path(), &["status"]);
    assert!(well && text.contains("Region OPERS (SYNC) serves.") && text.contains("MXT"), "{text}");
    let (well, text) = said(folder.path(), &["status", ".", "--json"]);
    let status: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert!(well && status["serves"] == true && status["tasks_max"] == 500, "{text}");
    let (well, text) = said(folder.path(), &["status", ".", "--metrics"]);
    assert!(well && text.contains("syncpoint_serves{applid=\"OPERS\",sysid=\"SYNC\"} 1\n"), "{text}");
    let socket = fs::metadata(folder.path().join(".syncpoint/access")).expect("the socket");
    assert_eq!(socket.permissions().mode() & 0o777, 0o600, "it is the owner's alone");
    region.ends_in_order();
    assert!(!said(folder.path(), &["status"]).0);
}

#[test]
fn an_operator_needs_no_terminal() {
    let folder = house("");
    let region = Region::start(folder.path());
    let (well, text) = said(folder.path(), &["cemt", ".", "INQUIRE TRANSACTION(STRT)"]);
    assert!(well && text.contains("Transaction(STRT)") && text.contains("Status(Enabled)"), "{text}");
    let (well, text) = said(folder.path(), &["cemt", ".", "--json", "INQUIRE TRANSACTION(STRT)"]);
    let answer: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let shown = &answer["resources"][0];
    assert!(well && shown["Transaction"] == "STRT" && shown["Status"] == "Enabled", "{text}");
    let (_, text) = said(folder.path(), &["cemt", ".", "SET", "TRANSACTION(STRT)", "DISABLED"]);
    assert!(text.contains("STRT: NORMAL"), "{text}");
    let (well, text) = said(folder.path(), &["start", ".", "STRT"]);
    assert!(!well && text.contains("transaction STRT is disabled"), "{text}");
    let (well, text) = said(folder.path(), &["cemt", ".", "I TASK(99999)"]);
    assert!(!well && text.contains("NOT FOUND"), "{text}");
    let (well, text) = said(folder.path(), &["cemt", ".", "NONSENSE"]);
    assert!(!well && text.contains("'NONSENSE' is not valid"), "{text}");
    let (well, text) = said(folder.path(), &["cemt", ".", "DISCARD", "TRANSACTION(STRT)"]);
    assert!(well && text.ends_with("STRT: NORMAL\n") && !text.contains("NOT FOUND"), "{text}");
    let (well, text) = said(folder.path(), &["cemt", ".", "DISCARD", "TRANSACTION(STRT)"]);
    assert!(!well && text.contains("NOT FOUND"), "{text}");
    let (_, text) = said(folder.path(), &["cemt", ".", "PERFORM SHUTDOWN"]);
    assert!(text.contains("The region shuts down"), "{text}");
    let (status, log) = region.ended();
    assert!(status.success(), "{log}");
}

#[test]
fn a_transaction_runs_without_a_terminal_and_its_abend_leaves_a_dump() {
    let folder = house("");
    let region = Region::start(folder.path());
    let (well, text) = said(folder.path(), &["start", ".", "STRT", "GOOD"]);
    assert!(well && text.contains("(STRT) has ended normally"), "{text}");
    let (well, text) = said(folder.path(), &["start", ".", "STRT", "BAD!"]);
    assert!(!well && text.contains("has ended with abend ASRA"), "{text}");
    assert!(text.contains("STARTED.cbl line "), "{text}");
    let dump = region.logged("dump 1/0001: ");
    let path = folder.path().join(&dump);
    assert_eq!(fs::metadata(&path).expect("a dump").permissions().mode() & 0o777, 0o600);
    let dump = fs::read_to_string(&path).expect("a dump");
    // Columns are not what is meant.
    let narrow = dump.split_whitespace().collect::<Vec<_>>().join(" ");
    for wanted in [
        "abend ASRA in program STARTED",
        "programs/STARTED.cbl line ",
        "EIBTRNID 'STRT'",
        "QIDERR (44)",
        "READQ TS QUEUE('NOTHING')",
        "ORDER-WORD 'BAD!'",
        "ORDER-AMOUNT 12.34",
        "ORDER-DAYS(1) to (3) 7",
        "WS-BAD X'424144'  not a number",
        "WS-BAD-X redefines another",
        "LS-FIRST 'ONE'",
        "LS-SECOND 2",
        "LK-NOWHERE is not addressed",
        "LK-GOT 'GOT IT'",
        "container BOX, 4 bytes",
        "holds 'ENQ name THE-ENQ'",
    ] {
        let wanted = wanted.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(narrow.contains(&wanted), "no “{wanted}” in the dump:\n{dump}");
    }
}

#[test]
fn a_deadlock_is_called_one_and_says_who_has_the_record() {
    let folder = house("");
    let region = Region::start(folder.path());
    let start = |order: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
        command.args(["start", ".", "CROS", order]).current_dir(folder.path()).env("NO_COLOR", "1");
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("syncpoint starts")
    };
    let outcomes = [start("AB"), start("BA")].map(|child| child.wait_with_output().expect("it ends"));
    let lost: Vec<_> = outcomes.iter().filter(|outcome| !outcome.status.success()).collect();
    let [lost] = lost.as_slice() else { panic!("one of two gives way: {outcomes:?}") };
    let text = String::from_utf8_lossy(&lost.stderr);
    for wanted in ["abend AFCF", "a deadlock, since record '", "of file PAIR is held by task ", "(CROS)"] {
        assert!(text.contains(wanted), "no “{wanted}”: {text}");
    }
    let dump = fs::read_to_string(folder.path().join(region.logged("dump 1/0001: "))).expect("a dump");
    assert!(dump.contains("  was refused: record '"), "{dump}");
    assert!(dump.contains("  holds record '"), "{dump}");
}

#[test]
fn who_may_see_it_reads_the_reason_on_the_screen() {
    let reason = "a calculation with bytes that are not a number";
    for (setting, seen) in [("everybody", true), ("nobody", false), ("inquire", false)] {
        let folder = house(&format!("[diagnostics]\nabend-reasons = \"{setting}\"\ndumps = false\n"));
        let region = Region::start(folder.path());
        let mut terminal = region.terminal();
        terminal.start("STRT");
        terminal.sees("abend ASRA");
        let shown = terminal.shows().replace("\n ", " ").replace('\n', " ");
        assert_eq!(shown.contains("not a number"), seen, "{setting}: {shown}");
        assert_eq!(shown.contains("STARTED.cbl line"), seen, "{setting}: {shown}");
        region.logs(reason);
        assert!(!folder.path().join(".syncpoint/dumps").exists(), "no dump was wanted");
    }
}

#[test]
fn the_log_is_a_private_file_that_can_be_moved_away() {
    let folder = house("[log]\nfile = \"region.log\"\nformat = \"json\"\n");
    let region = Region::start(folder.path());
    let log = folder.path().join("region.log");
    assert_eq!(fs::metadata(&log).expect("a log").permissions().mode() & 0o777, 0o600);
    let old = folder.path().join("region.log.1");
    fs::rename(&log, &old).expect("moved");
    region.signal("USR1");
    let begun = std::time::Instant::now();
    while !log.exists() {
        assert!(begun.elapsed() < PATIENCE, "the log is not opened again");
        std::thread::yield_now();
    }
    region.signal("TERM");
    let (status, _) = region.ended();
    assert!(status.success());
    for path in [&log, &old] {
        let text = fs::read_to_string(path).expect("a log");
        let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
        assert!(lines.count() > 0, "{}", path.display());
    }
}

#[test]
fn a_service_manager_hears_of_the_start_and_the_end() {
    let folder = house("");
    let path = folder.path().join("notify");
    let manager = UnixDatagram::bind(&path).expect("a socket");
    manager.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let hear = || {
        let mut bytes = [0; 200];
        let length = manager.recv(&mut bytes).expect("a word of the region");
        String::from_utf8_lossy(&bytes[..length]).into_owned()
    };
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    command.args(["run", "."]).current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
    command.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", "200000").env_remove("WATCHDOG_PID");
    let mut child = command.spawn().expect("syncpoint starts");
    assert_eq!(hear(), "READY=1");
    assert_eq!((hear(), hear()), ("WATCHDOG=1".into(), "WATCHDOG=1".into()));
    crate::house::signal(&child, "TERM");
    while hear() != "STOPPING=1" {}
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn users_that_are_added_while_the_region_runs_may_sign_on() {
    let folder = house("");
    let region = Region::start(folder.path());
    let mut child = Command::new(env!("CARGO_BIN_EXE_syncpoint"))
        .args(["user", "add", ".", "ANN", "--rights", "run,inquire,operate"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("syncpoint starts");
    Write::write_all(&mut child.stdin.take().expect("its input"), b"harbour9\n").expect("written");
    assert!(child.wait().expect("it ends").success());
    let mut terminal = region.terminal();
    terminal.start("CESN USERID=ANN,PS=harbour9");
    terminal.sees("DFHCE3549");
    terminal.start("CEMT I TASK");
    terminal.sees("Tas(");
}

/// Runs a command whose output is not read to its end: how it ended, and what it said to standard error.
fn cut_off(folder: &Path, command: &str) -> (Option<i32>, String) {
    let shell = format!("({} {command}; echo $? >code) 2>errors | true", env!("CARGO_BIN_EXE_syncpoint"));
    let status = Command::new("bash").args(["-c", &shell]).current_dir(folder).status().expect("a shell");
    assert!(status.success());
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("written");
    (read("code").trim().parse().ok(), read("errors"))
}

#[test]
fn a_reader_who_has_seen_enough_is_no_fault() {
    let folder = house("");
    fs::write(folder.path().join("define.idcams.txt"), " LISTCAT ALL\n").expect("written");
    for command in ["data list", "idcams --input define.idcams.txt", "explain READ", "--help"] {
        // What is written before the reader has gone does not count: often enough some is written behind.
        for _ in 0..5 {
            let (code, errors) = cut_off(folder.path(), command);
            assert!(code == Some(0) && !errors.contains("panicked"), "{command}: {code:?} {errors}");
        }
    }
}

/// Everything below a folder that another user could read or change.
fn open_to_others(folder: &Path) -> Vec<String> {
    let mut open = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let metadata = fs::symlink_metadata(&path).expect("there");
        if !metadata.is_symlink() && metadata.permissions().mode() & 0o077 != 0 {
            open.push(format!("{:o} {}", metadata.permissions().mode() & 0o777, path.display()));
        }
        if metadata.is_dir() {
            open.extend(open_to_others(&path));
        }
    }
    open
}

#[test]
fn whatever_a_region_leaves_behind_is_its_owners_alone() {
    let settings =
        "[sit]\nMN = \"ON\"\nMNPER = \"ON\"\nSTATRCD = \"ON\"\n[log]\nfile = \".syncpoint/region.log\"\n";
    let folder = house(settings);
    fs::create_dir(folder.path().join(".syncpoint")).expect("a folder of the test's own");
    let region = Region::start(folder.path());
    let mut terminal = region.terminal();
    terminal.start("STRT");
    terminal.sees("abend ASRA");
    let state = folder.path().join(".syncpoint");
    assert_eq!(open_to_others(&state), Vec::<String>::new(), "while it runs");
    region.signal("TERM");
    assert!(region.ended().0.success());
    assert_eq!(open_to_others(&state), Vec::<String>::new(), "after its end");
    assert_eq!(fs::metadata(&state).expect("the state").permissions().mode() & 0o777, 0o700);
    for kind in ["dumps", "data", "instruments", "programs"] {
        assert!(state.join(kind).exists(), "{kind}");
    }
}

/// A region in which no user has a right to anything.
const CHECKED: &str = "[sit]\nSEC = \"YES\"\nRESSEC = \"ALWAYS\"\n";

#[test]
fn refusals_are_in_an_audit_that_shows_what_was_done_to_it() {
    let folder = house(CHECKED);
    let region = Region::start(folder.path());
    let mut terminal = region.terminal();
    terminal.start("STRT");
    terminal.sees("DFHAC2033");
    region.signal("TERM");
    let (status, log) = region.ended();
    assert!(status.success(), "{log}");
    let (well, text) = said(folder.path(), &["audit", "export"]);
    assert!(well, "{text}");
    let lines = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let refused: Vec<_> = lines.filter(|record| record["kind"] == "refused").collect();
    assert!(
        refused.iter().any(|record| record["resource"] == "STRT" && record["user"] == "CICSUSER"),
        "{text}"
    );
    let (well, text) = said(folder.path(), &["audit", "verify"]);
    assert!(well && text.contains("records are in order"), "{text}");
    let end = log.split_once("the audit ends with ").expect("the log has its end").1;
    let end = end.split_whitespace().next().expect("an end").trim_matches('"');
    let (well, text) = said(folder.path(), &["audit", "verify", "--noted", end]);
    assert!(well, "{text}");
    let file = folder.path().join(".syncpoint/audit/000001.audit");
    let changed = fs::read_to_string(&file).expect("an audit").replace("CICSUSER", "ANNA");
    fs::write(&file, changed).expect("written");
    let (well, text) = said(folder.path(), &["audit", "verify"]);
    assert!(!well && text.contains("was changed"), "{text}");
}

/// A log in JSON on standard error has nothing else there: no messages before the start and at the end.
#[test]
fn each_line_of_a_json_log_is_json() {
    let folder = house("[log]\nformat = \"json\"\n[terminal]\nsign-off-after = 0\n");
    let is_json = |text: &str| {
        assert!(!text.trim().is_empty());
        for line in text.lines() {
            let line: serde_json::Value =
                serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"));
            assert!(line["level"].is_string() && line["timestamp"].is_string(), "{line}");
        }
    };
    let region = Region::start(folder.path());
    let (well, _) = said(folder.path(), &["start", ".", "STRT", "BAD!"]);
    assert!(!well, "it abends");
    // A library, or a program that the region has started, writes what it likes.
    let mut others = fs::OpenOptions::new().append(true).open(format!("/proc/{}/fd/2", region.process()));
    others.as_mut().expect("its standard error").write_all(b"words of a library\n").expect("written");
    drop(others);
    region.logs("words of a library");
    region.signal("INT");
    let (status, log) = region.ended();
    assert!(status.success(), "{log}");
    assert!(log.contains("the region has ended"), "{log}");
    is_json(&log);
    // What is wrong with the configuration comes before there is a log.
    fs::write(folder.path().join("region.toml"), "mistaken = 1\n[log]\nformat = \"json\"\n")
        .expect("written");
    let refused = Region::refused(folder.path());
    assert!(refused.contains("mistaken"), "{refused}");
    is_json(&refused);
}
