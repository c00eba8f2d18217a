//! Items of queues that programs by GnuCOBOL have written become those of programs of today while no region runs.

use std::path::Path;

use crate::house::{FREE_PORT, Region, application, product};
use crate::terminal::Terminal;

const DEFINITIONS: &str = "DEFINE TRANSACTION(PUTQ) GROUP(Q) PROGRAM(PUTQ)\nDEFINE PROGRAM(PUTQ) GROUP(Q)\n\
    DEFINE TRANSACTION(GETQ) GROUP(Q) PROGRAM(GETQ)\nDEFINE PROGRAM(GETQ) GROUP(Q)\n\
    DEFINE TSMODEL(KEPT) GROUP(Q) PREFIX(REC) LOCATION(AUXILIARY) RECOVERY(YES)\n\
    DEFINE TDQUEUE(KEPT) GROUP(Q) TYPE(INTRA) RECOVSTATUS(LOGICAL)\n\
    DEFINE TDQUEUE(LOST) GROUP(Q) TYPE(INTRA) RECOVSTATUS(NO)\n";

/// X'01000000' is 1 to a program by GnuCOBOL, on a processor that has the lowest byte first.
const PUTS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. PUTQ.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  ITEM-1                  PIC X(5) VALUE X'0100000041'.
       01  ITEM-2                  PIC X(5) VALUE X'0200000042'.
       01  SHORT-ONE               PIC X(3) VALUE X'010000'.
       01  DONE-1                  PIC X(7) VALUE 'WRITTEN'.
       PROCEDURE DIVISION.
           EXEC CICS WRITEQ TS QUEUE('RECQ') FROM(ITEM-1) END-EXEC
           EXEC CICS WRITEQ TS QUEUE('RECQ') FROM(ITEM-2) END-EXEC
           EXEC CICS WRITEQ TS QUEUE('AUXQ') FROM(ITEM-2) END-EXEC
           EXEC CICS WRITEQ TS QUEUE('RECS') FROM(ITEM-1) END-EXEC
           EXEC CICS WRITEQ TS QUEUE('RECS') FROM(SHORT-ONE) END-EXEC
           EXEC CICS WRITEQ TD QUEUE('KEPT') FROM(ITEM-1) END-EXEC
           EXEC CICS WRITEQ TD QUEUE('LOST') FROM(ITEM-2) END-EXEC
           EXEC CICS SEND TEXT FROM(DONE-1) ERASE END-EXEC
           EXEC CICS RETURN END-EXEC.
";

const GETS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. GETQ.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  REC.
           05  N                   PIC S9(9) COMP-5.
           05  T                   PIC X.
       01  SHOWN-LINE.
           05  FILLER              PIC X(6) VALUE 'FOUND '.
           05  ONE                 OCCURS 6.
               10  N1              PIC 9(9).
               10  T1              PIC X.
               10  FILLER          PIC X VALUE ' '.
       01  I                       PIC S9(4) COMP VALUE 0.
       PROCEDURE DIVISION.
           EXEC CICS READQ TS QUEUE('RECQ') INTO(REC) ITEM(1) END-EXEC
           PERFORM SHOW-IT
           EXEC CICS READQ TS QUEUE('RECQ') INTO(REC) ITEM(2) END-EXEC
           PERFORM SHOW-IT
           EXEC CICS READQ TS QUEUE('AUXQ') INTO(REC) ITEM(1) END-EXEC
           PERFORM SHOW-IT
           EXEC CICS READQ TS QUEUE('RECS') INTO(REC) ITEM(1)
               END-EXEC
           PERFORM SHOW-IT
           EXEC CICS READQ TD QUEUE('KEPT') INTO(REC) END-EXEC
           PERFORM SHOW-IT
           EXEC CICS READQ TD QUEUE('LOST') INTO(REC) END-EXEC
           PERFORM SHOW-IT
           EXEC CICS SEND TEXT FROM(SHOWN-LINE) ERASE END-EXEC
           EXEC CICS RETURN END-EXEC.
       SHOW-IT.
           ADD 1 TO I
           MOVE N TO N1 (I)
           MOVE T TO T1 (I).
";

/// The output of a command, whatever comes of it.
fn said(folder: &Path, arguments: &[&str]) -> String {
    let output = product().args(arguments).current_dir(folder).output().expect("syncpoint starts");
    [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat()
}

#[test]
fn queues_are_converted_while_no_region_runs() {
    let folder = application(&[
        ("region.toml", FREE_PORT),
        ("queues.csd", DEFINITIONS),
        ("programs/PUTQ.cbl", PUTS),
        ("programs/GETQ.cbl", GETS),
        ("R.cpy", "       01  R.\n           05  N PIC S9(9) COMP-5.\n           05  T PIC X.\n"),
    ]);
    let path = folder.path();
    let convert = |kind: &str, name: &str, more: &[&str]| {
        let start = ["data", "convert", name, "--queue", kind, "--to", "native", "--copybook", "R.cpy"];
        said(path, &[&start, more].concat())
    };
    let region = Region::start(path);
    let mut terminal: Terminal = region.terminal();
    terminal.start("PUTQ");
    terminal.sees("WRITTEN");
    let told = convert("ts", "RECQ", &[]);
    assert!(told.contains("error") && !told.contains("have become"), "a region runs: {told}");
    region.end(terminal);

    said(path, &["backup", ".", "before.backup"]);
    let would = "2 of 2 records of RECQ would become those of programs\n";
    assert_eq!(convert("ts", "RECQ", &["--dry-run"]), would);
    assert_eq!(convert("ts", "RECQ", &[]), "2 of 2 records of RECQ have become those of programs\n");
    assert_eq!(convert("ts", "AUXQ", &[]), "1 of 1 records of AUXQ have become those of programs\n");
    assert_eq!(convert("td", "KEPT", &[]), "1 of 1 records of KEPT have become those of programs\n");
    assert_eq!(convert("td", "LOST", &[]), "1 of 1 records of LOST have become those of programs\n");
    let told = convert("ts", "RECS", &[]);
    assert!(told.contains("RECS: item 2: "), "an item is shorter than the copybook: {told}");
    let told = convert("ts", "NONE", &[]);
    assert!(told.contains("NONE: the queue has no items that were kept"), "{told}");
    let told = convert("td", "TOOLONG", &[]);
    assert!(told.contains("a name of 1 to 4 characters"), "{told}");

    said(path, &["backup", ".", "after.backup"]);

    // The first item of RECS is as it was: all of a queue, or none.
    let converted = "FOUND 000000001A 000000002B 000000002B 016777216A 000000001A 000000002B";
    let before = "FOUND 016777216A 033554432B 033554432B 016777216A 016777216A 033554432B";
    for (backup, expected) in [(None, converted), (Some("after"), converted), (Some("before"), before)] {
        let region = match backup {
            None => Region::start(path),
            Some(name) => {
                said(path, &["restore", &format!("{name}.backup"), ".", "--data", name]);
                Region::alone(path, &["--data", name]).expect("it starts")
            }
        };
        let mut terminal = region.terminal();
        terminal.start("GETQ");
        terminal.sees(expected);
        region.end(terminal);
    }
}
