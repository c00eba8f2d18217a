//! The auxiliary trace: chosen tasks, entry by entry and as a tree; and the internal one in a dump.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::house::{FREE_PORT, Region, application};

const CALLER: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CALLER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  CODE-OF-READ            PIC S9(8) COMP.
       01  ITEM                    PIC X(4).
       PROCEDURE DIVISION.
           EXEC CICS READQ TS QUEUE('NOTHING') INTO(ITEM)
                     RESP(CODE-OF-READ) END-EXEC
           EXEC CICS ENTER TRACENUM(7) RESOURCE('LEDGER') FROM('PAID')
                     FROMLENGTH(4) END-EXEC
           EXEC CICS LINK PROGRAM('CALLED') END-EXEC
           EXEC CICS RETURN END-EXEC.
";

const CALLED: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CALLED.
       PROCEDURE DIVISION.
           EXEC CICS ASKTIME END-EXEC
           EXEC CICS RETURN END-EXEC.
";

const FAILS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. FAILS.
       PROCEDURE DIVISION.
           PERFORM 40 TIMES
               EXEC CICS ASKTIME END-EXEC
           END-PERFORM
           EXEC CICS ABEND ABCODE('OUCH') END-EXEC.
";

const DEFINITIONS: &str = "
DEFINE TRANSACTION(CALL) GROUP(T) PROGRAM(CALLER)
DEFINE TRANSACTION(OTHR) GROUP(T) PROGRAM(CALLED)
DEFINE TRANSACTION(FAIL) GROUP(T) PROGRAM(FAILS)
DEFINE PROGRAM(CALLER) GROUP(T)
DEFINE PROGRAM(CALLED) GROUP(T)
DEFINE PROGRAM(FAILS) GROUP(T)
";

pub fn said(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    let output =
        command.args(arguments).current_dir(folder).env("NO_COLOR", "1").output().expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout) + &text(&output.stderr))
}

/// The words of a tree's lines, without times.
pub fn calls(text: &str) -> Vec<String> {
    let is_time = |word: &&str| word.parse::<f64>().is_ok() && word.contains('.') || *word == "-";
    let words = |line: &str| line.split_whitespace().skip_while(is_time).collect::<Vec<_>>().join(" ");
    text.lines().filter(|line| !line.trim().is_empty()).map(words).collect()
}

#[test]
fn chosen_tasks_leave_their_commands_with_times_and_a_dump_has_the_last_entries() {
    let settings = "[sit]\nAUXTR = \"ON\"\n[trace]\ntransactions = [\"CA*\"]\n";
    let folder = application(&[
        ("region.toml", &format!("{FREE_PORT}{settings}")),
        ("t.csd", DEFINITIONS),
        ("programs/CALLER.cbl", CALLER),
        ("programs/CALLED.cbl", CALLED),
        ("programs/FAILS.cbl", FAILS),
    ]);
    let region = Region::start(folder.path());
    for transaction in ["CALL", "OTHR"] {
        let (well, text) = said(folder.path(), &["start", ".", transaction]);
        assert!(well, "{text}");
    }
    assert!(!said(folder.path(), &["start", ".", "FAIL"]).0, "it abends");
    let dump = folder.path().join(region.logged("dump 1/0001: "));
    let dump = fs::read_to_string(dump).expect("a dump");
    let entries = dump.split_once("THE LAST ENTRIES OF THE TRACE").expect("its part").1;
    let entries = entries.split_once("LEVEL 1").expect("the next part").0;
    let own = |line: &&str| line.contains(" *task ");
    let begins = entries.lines().find(own).expect("an entry of its own");
    assert!(begins.ends_with("begins: transaction FAIL"), "{entries}");
    let asked = entries.lines().filter(own).filter(|line| line.contains("ASKTIME NORMAL")).count();
    assert!(asked >= 32, "{entries}");
    assert!(entries.contains(" task "), "other tasks of the TCB: {entries}");
    region.signal("INT");
    let (status, log) = region.ended();
    assert!(status.success(), "{log}");

    let (well, text) = said(folder.path(), &["trace", ".", "--tree"]);
    assert!(well, "{text}");
    let calls = calls(&text);
    assert!(calls[0].starts_with("Task ") && calls[0].contains("(CALL)"), "{text}");
    let expected = [
        "begun us took us",
        "CALLER READQ TS QIDERR",
        "CALLER ENTER TRACENUM",
        "CALLER 7 LEDGER X'50414944'",
        "CALLER LINK",
        "CALLED ASKTIME",
        "CALLED RETURN",
        "CALLER RETURN",
        "ends",
    ];
    assert_eq!(calls[1..], expected, "{text}");
    let (_, text) = said(folder.path(), &["trace", ".", "--component", "TS"]);
    assert!(text.contains("TS ENTRY CALLER   READQ TS") && text.contains("READQ TS QIDERR"), "{text}");
    assert!(!text.contains("LINK"), "{text}");
    let (_, text) = said(folder.path(), &["trace", ".", "--full", "--task", "999999"]);
    assert_eq!(text, "", "no such task");

    let (well, text) = said(folder.path(), &["report", "commands", ".", "--format", "csv"]);
    assert!(well, "{text}");
    let begins = |begin: &str| text.lines().any(|line| line.starts_with(begin));
    for line in
        ["CALL,READQ TS,1,1.0,1,", "CALL,LINK,1,1.0,0,", "CALL,ASKTIME,1,1.0,0,", "CALL,RETURN,2,2.0,0,"]
    {
        assert!(begins(line), "{line}: {text}");
    }
    assert!(!text.contains("OTHR"), "it was not chosen: {text}");
    let (well, text) = said(folder.path(), &["report", "workload", ".", "--format", "csv"]);
    assert!(well, "{text}");
    for work in
        ["TRANSACTION.CALL,1,", "TRANSACTION.OTHR,1,", "TRANSACTION.FAIL,1,", "REGION,,,,,", "MACHINE,,,,,"]
    {
        assert!(text.contains(&format!(",{work}")), "{work}: {text}");
    }
}

const WORKS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WORKS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  ENTRY-RECORD            PIC X(8) VALUE '0001WAGE'.
       01  LENGTH-READ             PIC S9(4) COMP VALUE 8.
       01  AREA-POINTER            POINTER.
       01  KEY-THERE               PIC X(4) VALUE '0001'.
       01  KEY-NOWHERE             PIC X(4) VALUE '0009'.
       PROCEDURE DIVISION.
           EXEC CICS GETMAIN FLENGTH(40) SET(AREA-POINTER) END-EXEC
           EXEC CICS FREEMAIN DATAPOINTER(AREA-POINTER) END-EXEC
           EXEC CICS WRITE FILE('LEDGER') FROM(ENTRY-RECORD) LENGTH(8)
                     RIDFLD(ENTRY-RECORD) END-EXEC
           EXEC CICS READ FILE('LEDGER') INTO(ENTRY-RECORD)
                     LENGTH(LENGTH-READ) RIDFLD(KEY-THERE) END-EXEC
           EXEC CICS READ FILE('LEDGER') INTO(ENTRY-RECORD)
                     LENGTH(LENGTH-READ) RIDFLD(KEY-NOWHERE)
                     NOHANDLE END-EXEC
           EXEC CICS WRITEQ TS QUEUE('NOTES')
                     FROM(ENTRY-RECORD) END-EXEC
           EXEC CICS READQ TS QUEUE('NOTES') INTO(ENTRY-RECORD)
                     LENGTH(LENGTH-READ) END-EXEC
           EXEC CICS DELAY FOR MILLISECS(20) END-EXEC
           EXEC CICS LINK PROGRAM('CALLED') END-EXEC
           EXEC CICS RETURN END-EXEC.
";

const WAITS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WAITS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  AREA-POINTER            POINTER.
       PROCEDURE DIVISION.
           EXEC CICS POST AFTER SECONDS(1) SET(AREA-POINTER) END-EXEC
           EXEC CICS WAIT EVENT ECADDR(AREA-POINTER) NAME('PAYDAY')
                     END-EXEC
           EXEC CICS RETURN END-EXEC.
";

const SETS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SETS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  ITEM                    PIC X(6) VALUE 'SECRET'.
       PROCEDURE DIVISION.
           PERFORM WRITE-ITEM
           EXEC CICS SET TRACETYPE COMPID('TS') STANDARD
                     FLAGSET(X'E0000000') END-EXEC
           PERFORM WRITE-ITEM
           EXEC CICS SET TRACETYPE COMPID('TS') STANDARD
                     FLAGSET(X'80000000') END-EXEC
           PERFORM WRITE-ITEM
           EXEC CICS RETURN END-EXEC.
       WRITE-ITEM.
           EXEC CICS WRITEQ TS QUEUE('NOTES') FROM(ITEM) END-EXEC.
";

const WORK: &str = "
DEFINE TRANSACTION(SETS) GROUP(T) PROGRAM(SETS)
DEFINE PROGRAM(SETS) GROUP(T)
DEFINE TRANSACTION(WORK) GROUP(T) PROGRAM(WORKS)
DEFINE TRANSACTION(WAIT) GROUP(T) PROGRAM(WAITS)
DEFINE TRANSACTION(NONE) GROUP(T) PROGRAM(NOWHERE)
DEFINE PROGRAM(WORKS) GROUP(T)
DEFINE PROGRAM(WAITS) GROUP(T)
DEFINE PROGRAM(NOWHERE) GROUP(T)
DEFINE PROGRAM(CALLED) GROUP(T)
DEFINE FILE(LEDGER) GROUP(T) DSNAME(BANK.LEDGER) ADD(YES) READ(YES)
";

/// The folder of a region with some settings that has ended; WORK, SETS, WAIT and NONE have run in it.
fn has_worked(settings: &str) -> TempDir {
    let idcams = "DEFINE CLUSTER (NAME(BANK.LEDGER) INDEXED KEYS(4 0) RECORDSIZE(8 8))\n";
    let settings = format!("idcams = [\"t.idcams\"]\n{FREE_PORT}[sit]\nAUXTR = \"ON\"\n{settings}");
    let folder = application(&[
        ("region.toml", &settings),
        ("t.csd", WORK),
        ("t.idcams", idcams),
        ("programs/WORKS.cbl", WORKS),
        ("programs/WAITS.cbl", WAITS),
        ("programs/SETS.cbl", SETS),
        ("programs/CALLED.cbl", CALLED),
    ]);
    let key = folder.path().join("key");
    fs::write(&key, "5a".repeat(32)).expect("a key");
    fs::set_permissions(&key, Permissions::from_mode(0o600)).expect("rights");
    let region = Region::start(folder.path());
    for (transaction, ends_well) in [("WORK", true), ("SETS", true), ("WAIT", true), ("NONE", false)] {
        let (well, text) = said(folder.path(), &["start", ".", transaction]);
        assert_eq!(well, ends_well, "{text}");
    }
    region.signal("INT");
    let (status, log) = region.ended();
    assert!(status.success(), "{log}");
    folder
}

/// Output of `syncpoint trace` about a transaction.
pub fn trace_of(folder: &TempDir, transaction: &str, form: &[&str]) -> String {
    let arguments = [&["trace", ".", "--transaction", transaction], form].concat();
    let (well, text) = said(folder.path(), &arguments);
    assert!(well, "{text}");
    text
}

/// The bytes of the files of the trace.
fn written(folder: &TempDir) -> Vec<u8> {
    let files = fs::read_dir(folder.path().join(".syncpoint/instruments")).expect("instruments");
    let paths = files.map(|file| file.expect("a file").path());
    let is_trace =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("trace-"));
    paths.filter(is_trace).flat_map(|path| fs::read(path).expect("a file of the trace")).collect()
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn level_2_shows_what_is_done_for_a_command_and_level_3_the_data() {
    let folder = has_worked("STNTR = \"(1,2)\"\nSTNTRFC = \"ALL\"\nSTNTRTS = \"1\"\n");
    let tree = |transaction: &str| calls(&trace_of(&folder, transaction, &["--tree"]));
    let of_work = tree("WORK");
    let place = |wanted: &str| {
        let found = of_work.iter().position(|line| line.starts_with(wanted));
        found.unwrap_or_else(|| panic!("{wanted}: {of_work:#?}"))
    };
    let mut last = 0;
    for wanted in [
        "WORKS GETMAIN",
        "WORKS GETMAIN TASK 40 at X'",
        "WORKS FREEMAIN TASK 40 at X'",
        "WORKS WRITE LEDGER 8 data set BANK.LEDGER, key of 4 bytes",
        "WORKS KEY LEDGER 4 X'30303031'",
        "WORKS RECORD LEDGER 8 X'3030303157414745'",
        "WORKS READ LEDGER 8 data set BANK.LEDGER, key of 4 bytes",
        "WORKS READ LEDGER data set BANK.LEDGER, key of 4 bytes, not done",
        "WORKS DELAY",
        "WORKS SUSPEND interval",
        "WORKS LINK",
        "LOAD CALLED",
        "ends",
    ] {
        let at = place(wanted);
        assert!(at > last, "{wanted}: {of_work:#?}");
        last = at;
    }
    let of_queue = of_work.iter().filter(|line| line.contains("NOTES")).count();
    assert_eq!(of_queue, 0, "the level of temporary storage is 1: {of_work:#?}");
    let of_wait = tree("WAIT");
    let posted = of_wait.iter().find(|line| line.starts_with("WAITS SUSPEND"));
    assert!(posted.is_some_and(|line| line.contains("PAYDAY")), "{of_wait:#?}");
    let of_none = tree("NONE");
    assert_eq!(of_none.last().map(String::as_str), Some("ends with abend APCT"), "{of_none:#?}");
}

#[test]
fn entries_beyond_level_1_are_lines_have_fields_and_are_no_commands() {
    let folder = has_worked("STNTR = \"1\"\nSTNTRTS = \"1-3\"\n");
    let lines = trace_of(&folder, "WORK", &[]);
    let of_queues: Vec<&str> = lines.lines().filter(|line| line.contains(" WORK TS ")).collect();
    let expected = [
        "WRITEQ TS",
        "WRITEQ NOTES 8 item 1 of 1",
        "ITEM NOTES 8 X'3030303157414745'",
        "WRITEQ TS",
        "READQ TS",
        "READQ NOTES 8 the next item of 1",
        "ITEM NOTES 8 X'3030303157414745'",
        "READQ TS",
    ];
    assert_eq!(of_queues.len(), expected.len(), "{lines}");
    for (line, expected) in of_queues.iter().zip(expected) {
        assert!(line.trim_end().ends_with(expected), "{expected}: {lines}");
    }
    let full = trace_of(&folder, "WORK", &["--full", "--component", "TS"]);
    for field in
        ["POINT        EVENT", "LEVEL        2", "LEVEL        3", "RESOURCE     NOTES", "NUMBER       8"]
    {
        assert!(full.contains(field), "{field}: {full}");
    }
    let (well, commands) = said(folder.path(), &["report", "commands", ".", "--format", "csv"]);
    assert!(well && commands.contains("WORK,READQ TS,1,1.0,0,"), "{commands}");
    assert!(!commands.contains("ITEM") && !commands.contains(",WRITEQ,"), "{commands}");
}

#[test]
fn level_1_alone_has_commands_alone_and_special_levels_are_for_what_is_special() {
    for settings in ["", "SPCTR = \"ALL\"\n"] {
        let folder = has_worked(settings);
        let text = trace_of(&folder, "WORK", &["--full"]);
        assert!(
            !text.contains("EVENT") && !text.contains("SUSPEND") && !text.contains("BANK.LEDGER"),
            "{text}"
        );
    }
}

#[test]
fn levels_change_while_a_task_runs() {
    let folder = has_worked("");
    let of_queue = calls(&trace_of(&folder, "SETS", &["--tree"]));
    let expected = [
        "SETS WRITEQ TS",
        "SETS SET TRACETYPE",
        "SETS WRITEQ TS",
        "SETS WRITEQ NOTES 6 item 3 of 3",
        "SETS ITEM NOTES 6 X'534543524554'",
        "SETS SET TRACETYPE",
        "SETS WRITEQ TS",
        "SETS RETURN",
        "ends",
    ];
    assert_eq!(of_queue[2..], expected, "{of_queue:#?}");
}

#[test]
fn what_is_not_chosen_has_no_entries_of_any_level() {
    let folder = has_worked("STNTR = \"ALL\"\n[trace]\ntransactions = [\"WA*\"]\n");
    assert_eq!(trace_of(&folder, "WORK", &[]), "");
    assert!(trace_of(&folder, "WAIT", &[]).contains("SUSPEND"));
    let folder = has_worked("STNTR = \"ALL\"\nSYSTR = \"OFF\"\n");
    let (_, text) = said(folder.path(), &["trace", "."]);
    assert!(text.contains("has no records"), "standard tracing is off: {text}");
}

#[test]
fn data_in_the_trace_are_encrypted_where_data_are() {
    let levels = "STNTR = \"ALL\"\n";
    let clear = has_worked(levels);
    let encrypted = has_worked(&format!("{levels}[data]\nencryption-key-file = \"key\"\n"));
    for folder in [&clear, &encrypted] {
        let text = trace_of(folder, "WORK", &["--tree"]);
        assert!(text.contains("RECORD LEDGER 8 X'3030303157414745'"), "{text}");
    }
    for shown in ["BANK.LEDGER", "X'3030303157414745'"] {
        assert!(has(&written(&clear), shown) && !has(&written(&encrypted), shown), "{shown}");
    }
}

#[test]
fn a_region_without_an_auxiliary_trace_has_no_file_of_it() {
    let folder = application(&[("region.toml", FREE_PORT), ("programs/CALLED.cbl", CALLED)]);
    let region = Region::start(folder.path());
    region.ends_in_order();
    let (well, text) = said(folder.path(), &["trace", "."]);
    assert!(!well && text.contains("has no records") && text.contains("AUXTR"), "{text}");
}
