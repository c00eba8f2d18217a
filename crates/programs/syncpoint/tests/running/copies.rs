//! An operator takes a new version of a program into use, if it can be had.

use std::fs;

use tn3270::datastream::Aid;

use crate::house::{FREE_PORT, Region, application};
use crate::terminal::Terminal;

const RIGHTS: &str = "[security]\ndefault-rights = [\"run\", \"inquire\", \"operate\"]\n";

const DEFINITIONS: &str =
    "DEFINE TRANSACTION(PAY) GROUP(COPIES) PROGRAM(PAY)\nDEFINE PROGRAM(PAY) GROUP(COPIES)\n";

/// A program that shows its version, by this verb.
fn version(verb: &str, version: u32) -> String {
    format!(
        "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. PAY.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-TEXT                 PIC X(09).
       PROCEDURE DIVISION.
           {verb} 'VERSION {version}' TO WS-TEXT
           EXEC CICS SEND TEXT FROM(WS-TEXT) ERASE END-EXEC
           EXEC CICS RETURN END-EXEC.
"
    )
}

/// Asks for a new copy; the response that stands beside the program.
fn new_copy(operator: &mut Terminal) -> String {
    operator.start("CEMT SET PROGRAM(PAY) NEWCOPY");
    let shown = operator.shows();
    let line = shown.lines().find(|line| line.contains("Prog(PAY")).expect("the program's line");
    let response = line.split_whitespace().last().expect("a response").to_owned();
    operator.press(Aid::Pf(3));
    response
}

#[test]
fn a_new_copy_that_cannot_be_had_leaves_the_old_one_in_use() {
    let right = version("MOVE", 1);
    let folder = application(&[
        ("region.toml", &format!("{FREE_PORT}{RIGHTS}")),
        ("copies.csd", DEFINITIONS),
        ("programs/PAY.cbl", &right),
    ]);
    let source = folder.path().join("programs/PAY.cbl");
    let save = |text: &str| fs::write(&source, text).expect("saved");
    let region = Region::start(folder.path());
    let mut terminal = region.terminal();
    let mut uses = |version: &str| {
        terminal.start("PAY");
        terminal.sees(version);
    };
    let mut operator = region.terminal();
    uses("VERSION 1");
    save(&version("MOEV", 2));
    assert_eq!(new_copy(&mut operator), "IOERR");
    region.logs("program PAY cannot be loaded");
    region.logs("programs/PAY.cbl:8");
    uses("VERSION 1");
    save(&version("MOVE", 2));
    uses("VERSION 1");
    assert_eq!(new_copy(&mut operator), "NORMAL");
    uses("VERSION 2");
    fs::remove_file(&source).expect("removed");
    assert_eq!(new_copy(&mut operator), "IOERR");
    region.logs("program PAY: no source or module in the program folders");
    uses("VERSION 2");
}
