//! A chain of requests over three regions, each a process: the last task knows the hop before it, how many there were, and the first task.

use std::path::Path;

use tempfile::TempDir;

use crate::house::{FREE_PORT, Region, application};
use crate::links::{connection, until};
use crate::traced::said;

/// A program that asks the next region, and one that tells of its task.
const ASKS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ASKS.
       PROCEDURE DIVISION.
           EXEC CICS LINK PROGRAM('NEXT') END-EXEC
           EXEC CICS RETURN END-EXEC.
";

const TELLS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. TELLS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       77  TASK-NUMBER             PIC S9(7) COMP-3.
       77  APPLID-BEFORE           PIC X(8).
       77  TRANSACTION-BEFORE      PIC X(4).
       77  HOPS                    PIC S9(8) COMP.
       77  APPLID-FIRST            PIC X(8).
       77  TRANSACTION-FIRST       PIC X(4).
       77  HOPS-SHOWN              PIC 9.
       PROCEDURE DIVISION.
           MOVE EIBTASKN TO TASK-NUMBER
           EXEC CICS INQUIRE ASSOCIATION(TASK-NUMBER)
                     PHAPPLID(APPLID-BEFORE)
                     PHTRANSID(TRANSACTION-BEFORE) PHCOUNT(HOPS)
                     ODAPPLID(APPLID-FIRST)
                     ODTRANSID(TRANSACTION-FIRST) END-EXEC
           MOVE HOPS TO HOPS-SHOWN
           DISPLAY 'AFTER ' HOPS-SHOWN ' FROM ' APPLID-BEFORE
                   TRANSACTION-BEFORE ' FIRST ' APPLID-FIRST
                   TRANSACTION-FIRST
           EXEC CICS RETURN END-EXEC.
";

/// A region with one partner or two, and where its program NEXT is.
fn region(applid: &str, links: &Path, partners: &[&str], next: &str) -> TempDir {
    let settings = format!(
        "applid = \"{applid}\"\nsysid = \"{applid}\"\n{FREE_PORT}[links]\nfolder = \"{}\"\n\
         [security]\ndefault-rights = [\"run\", \"inquire\"]\n[sit]\nISC = \"YES\"\nIRCSTRT = \"YES\"\n",
        links.display()
    );
    let connections: String = partners.iter().map(|applid| connection(applid, applid)).collect();
    let definitions = format!(
        "{connections}DEFINE TRANSACTION(PAY) GROUP(T) PROGRAM(ASKS)\nDEFINE PROGRAM(ASKS) GROUP(T)\n\
         DEFINE PROGRAM(TELLS) GROUP(T)\nDEFINE PROGRAM(NEXT) GROUP(T) {next}\n"
    );
    application(&[
        ("region.toml", &settings),
        ("links.csd", &definitions),
        ("programs/ASKS.cbl", ASKS),
        ("programs/TELLS.cbl", TELLS),
    ])
}

#[test]
fn a_task_of_the_third_region_is_two_hops_away_from_the_first() {
    let links = tempfile::tempdir().expect("a folder");
    let folders = [
        region("REGA", links.path(), &["REGB"], "REMOTESYSTEM(REGB) REMOTENAME(ASKS)"),
        region("REGB", links.path(), &["REGA", "REGC"], "REMOTESYSTEM(REGC) REMOTENAME(TELLS)"),
        region("REGC", links.path(), &["REGB"], ""),
    ];
    let [first, second, third] = folders.each_ref().map(|folder| Region::start(folder.path()));
    for (folder, partner) in folders.iter().zip(["REGB", "REGC", "REGB"]) {
        until(folder.path(), &format!("INQUIRE CONNECTION({partner})"), "ACQUIRED");
    }
    let (well, text) = said(folders[0].path(), &["start", ".", "PAY"]);
    assert!(well, "{text}");
    third.logs("AFTER 2 FROM REGB    CSMI FIRST REGA    PAY");
    for region in [first, second, third] {
        region.ends_in_order();
    }
}
