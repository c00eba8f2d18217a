//! Files that come while a region runs: their data sets are recoverable from their first open on, and a kill leaves nothing of a unit of work
//! that was not committed.

use std::path::Path;

use tempfile::TempDir;
use tn3270::datastream::Aid;

use crate::deploying::zips::zip;
use crate::deploying::{ANNA, DEFINITIONS, FIELDS, Managed, SECRET, USERS, form};
use crate::house::{FREE_PORT, application, product};

/// Writes two records, of which the first is committed, and waits.
const WRITES: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WRITES.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  STOCK.
           05  STOCK-KEY           PIC X(04) VALUE '0001'.
           05  FILLER              PIC X(16) VALUE 'APPLES'.
       PROCEDURE DIVISION.
           EXEC CICS WRITE FILE('STOCK') FROM(STOCK) RIDFLD(STOCK-KEY)
           END-EXEC
           EXEC CICS SYNCPOINT END-EXEC
           MOVE '0002'             TO STOCK-KEY
           EXEC CICS WRITE FILE('STOCK') FROM(STOCK) RIDFLD(STOCK-KEY)
           END-EXEC
           DISPLAY 'BOTH ARE WRITTEN'
           EXEC CICS DELAY FOR SECONDS(600) END-EXEC
           EXEC CICS RETURN END-EXEC.
";
/// Counts the records.
const COUNTS: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. COUNTS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  STOCK                   PIC X(20).
       01  STOCK-KEY               PIC X(04) VALUE LOW-VALUES.
       01  WS-RESP                 PIC S9(08) COMP VALUE 0.
       01  WS-COUNT                PIC 9(04) VALUE 0.
       PROCEDURE DIVISION.
           EXEC CICS STARTBR FILE('STOCK') RIDFLD(STOCK-KEY) GTEQ
                     RESP(WS-RESP)
           END-EXEC
           PERFORM UNTIL WS-RESP NOT = DFHRESP(NORMAL)
              EXEC CICS READNEXT FILE('STOCK') INTO(STOCK)
                        RIDFLD(STOCK-KEY) RESP(WS-RESP)
              END-EXEC
              IF WS-RESP = DFHRESP(NORMAL)
                 ADD 1 TO WS-COUNT
              END-IF
           END-PERFORM
           DISPLAY 'RECORDS: ' WS-COUNT
           EXEC CICS RETURN END-EXEC.
";
const WORK: &str = "
DEFINE TRANSACTION(WRIT) GROUP(OPS) PROGRAM(WRITES)
DEFINE PROGRAM(WRITES) GROUP(OPS)
DEFINE TRANSACTION(CNTS) GROUP(OPS) PROGRAM(COUNTS)
DEFINE PROGRAM(COUNTS) GROUP(OPS)
";
const FILE: &str = "
DEFINE FILE(STOCK) GROUP(DEV) DSNAME(SHOP.STOCK) READ(YES) BROWSE(YES) ADD(YES) RECOVERY(BACKOUTONLY)
";
const CLUSTER: &str = "DEFINE CLUSTER(NAME(SHOP.STOCK) INDEXED KEYS(4 0) RECORDSIZE(20 20))\n";

fn house() -> TempDir {
    let configuration = format!(
        "applid = \"BANK\"\ngrplist = \"APP\"\ndeploy = \"bundles\"\n{FREE_PORT}[web.services]\nCMCI = \"127.0.0.1:0\"\n"
    );
    application(&[
        ("region.toml", configuration.as_str()),
        ("bank.csd", &format!("{DEFINITIONS}{WORK}{FILE}")),
        ("shop.idcams", CLUSTER),
        ("programs/WRITES.cbl", WRITES),
        ("programs/COUNTS.cbl", COUNTS),
        ("users.toml", &USERS.replace('@', SECRET)),
    ])
}

/// A bundle with the file.
fn bundle() -> Vec<(&'static str, String)> {
    let namespace = "http://www.ibm.com/xmlns/prod/cics/bundle";
    let manifest = format!(
        "<manifest xmlns=\"{namespace}\" id=\"shop\" bundleMajorVer=\"1\" bundleMinorVer=\"0\" bundleMicroVer=\"0\">\
         <define name=\"STOCK\" type=\"{namespace}/FILE\" path=\"STOCK.file\"/></manifest>"
    );
    let file = "<cicsdefinitionfile xmlns=\"http://www.ibm.com/xmlns/prod/CICS/smw2int\" name=\"STOCK\" dsname=\"SHOP.STOCK\" \
                read=\"YES\" browse=\"YES\" add=\"YES\" recovery=\"BACKOUTONLY\"/>";
    vec![("META-INF/cics.xml", manifest), ("STOCK.file", file.to_owned())]
}

/// Has a file come by `comes`, and the region killed within a unit of work on it: only what was committed is there.
fn is_backed_out_after_a_kill(comes: impl Fn(&Managed, &Path)) {
    let folder = house();
    let managed = Managed::start(folder.path());
    comes(&managed, folder.path());
    let mut terminal = managed.region.terminal();
    terminal.type_text("WRIT");
    terminal.press_and_go(Aid::Enter);
    managed.region.logs("changes of SHOP.STOCK are backed out from now on");
    managed.region.logs("BOTH ARE WRITTEN");
    managed.region.signal("KILL");
    drop(managed.region);
    // It outlives the region.
    let managed = Managed::start(folder.path());
    managed.region.terminal().start("CNTS");
    managed.region.logs("RECORDS: 0001");
    managed.region.ends_in_order();
}

#[test]
fn a_file_of_a_bundle_that_is_deployed() {
    is_backed_out_after_a_kill(|managed, _| {
        let (status, body) = managed.ask(ANNA, &form(&zip(&bundle()), &FIELDS));
        assert_eq!(status, 200, "{body}");
    });
}

#[test]
fn a_file_that_is_installed_from_the_texts() {
    is_backed_out_after_a_kill(|_, folder| {
        let installs =
            product().args(["csd", ".", "INSTALL FILE(STOCK) GROUP(DEV)"]).current_dir(folder).output();
        let installs = installs.expect("it ends");
        assert!(installs.status.success(), "{}", String::from_utf8_lossy(&installs.stderr));
    });
}
