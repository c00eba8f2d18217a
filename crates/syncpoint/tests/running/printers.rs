//! Real clients of the x3270 family: pr3287 as printers of a region, s3270 with SYSREQ and with larger screens. Their script is
//! `tests/clients/printer_check.py`.

use std::path::Path;
use std::process::Command;

use crate::house::{Region, application};

const REGION: &str = "applid = \"PRINTS\"\nprograms = [\"cobol\"]\nmaps = [\"maps\"]\ncsd = [\"app.csd\"]\n\
    grplist = \"LIST\"\n[listen]\ntn3270 = \"127.0.0.1:0\"\n[security]\n\
    default-rights = [\"run\", \"inquire\", \"operate\"]\n";

const CSD: &str = "\
DEFINE TYPETERM(PAGES) GROUP(G) DEVICE(LUTYPE3) PAGESIZE(6,80)
DEFINE TYPETERM(LINES) GROUP(G) DEVICE(SCSPRINT) PAGESIZE(6,60) FORMFEED(YES)
DEFINE TERMINAL(PRT1) GROUP(G) TYPETERM(PAGES) NETNAME(LUPRT1)
DEFINE TERMINAL(PRT2) GROUP(G) TYPETERM(LINES) NETNAME(LUPRT2)
DEFINE TERMINAL(TRM1) GROUP(G) TYPETERM(DFHLU2) NETNAME(LUTRM1) PRINTER(PRT2)
DEFINE PROGRAM(PRINT) GROUP(G)
DEFINE PROGRAM(SENDER) GROUP(G)
DEFINE TRANSACTION(PRNT) GROUP(G) PROGRAM(PRINT)
DEFINE TRANSACTION(SEND) GROUP(G) PROGRAM(SENDER)
ADD GROUP(G) LIST(LIST)
";

const MAP: &str = "\
MPRT     DFHMSD TYPE=MAP,MODE=OUT,LANG=COBOL,TIOAPFX=YES
MPRTM    DFHMDI SIZE=(4,60)
         DFHMDF POS=(1,1),LENGTH=5,INITIAL='TITLE',ATTRB=PROT
         DFHMSD TYPE=FINAL
";

/// Prints what it was started with, and a map.
const PRINT: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. PRINT.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 TXT PIC X(40).
       PROCEDURE DIVISION.
           EXEC CICS RETRIEVE INTO(TXT) END-EXEC.
           EXEC CICS SEND TEXT FROM(TXT) LENGTH(40) ERASE PRINT L80
               END-EXEC.
           EXEC CICS SEND MAP('MPRTM') MAPSET('MPRT') MAPONLY ERASE
               PRINT NLEOM FORMFEED END-EXEC.
           EXEC CICS RETURN END-EXEC.
";

/// `SEND name text` starts it at the printer of that name.
const SENDER: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. SENDER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 INP PIC X(40).
       01 L PIC S9(4) COMP VALUE 40.
       PROCEDURE DIVISION.
           EXEC CICS RECEIVE INTO(INP) LENGTH(L) NOHANDLE END-EXEC.
           EXEC CICS START TRANSID('PRNT') TERMID(INP(6:4))
               FROM(INP) LENGTH(40) END-EXEC.
           EXEC CICS SEND TEXT FROM('STARTED') LENGTH(7) ERASE
               FREEKB END-EXEC.
           EXEC CICS RETURN END-EXEC.
";

/// Runs a part of the script against a region of its own.
#[track_caller]
fn check(what: &str) {
    for client in ["s3270", "pr3287"] {
        let there = Command::new(client).arg("-v").output().is_ok();
        assert!(there, "{client} is not installed: `scripts/install test` installs it");
    }
    let folder = application(&[
        ("region.toml", REGION),
        ("app.csd", CSD),
        ("maps/MPRT.bms", MAP),
        ("cobol/PRINT.cbl", PRINT),
        ("cobol/SENDER.cbl", SENDER),
    ]);
    let region = Region::start(folder.path());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/clients/printer_check.py");
    let address = region.address;
    let output = Command::new("python3")
        .arg("-B")
        .arg(script)
        .args([&address.ip().to_string(), &address.port().to_string()])
        .arg(folder.path())
        .arg(what)
        .output()
        .expect("python3 runs");
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{}", said.concat());
}

#[test]
fn pr3287_prints_by_its_name_and_as_the_printer_of_a_display() {
    check("printers");
}

#[test]
fn s3270_logs_off_behind_its_sysreq_key_and_comes_back() {
    check("sysreq");
}

#[test]
fn supplied_screens_use_the_whole_terminal() {
    check("screens");
}
