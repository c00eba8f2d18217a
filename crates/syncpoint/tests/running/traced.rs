//! The auxiliary trace: chosen tasks, entry by entry and as a tree; and the internal one in a dump.

use std::fs;
use std::path::Path;
use std::process::Command;

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

fn said(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    let output =
        command.args(arguments).current_dir(folder).env("NO_COLOR", "1").output().expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout) + &text(&output.stderr))
}

/// The words of a tree's lines, without times.
fn calls(text: &str) -> Vec<String> {
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

#[test]
fn a_region_without_an_auxiliary_trace_has_no_file_of_it() {
    let folder = application(&[("region.toml", FREE_PORT), ("programs/CALLED.cbl", CALLED)]);
    let region = Region::start(folder.path());
    region.ends_in_order();
    let (well, text) = said(folder.path(), &["trace", "."]);
    assert!(!well && text.contains("has no records") && text.contains("AUXTR"), "{text}");
}
