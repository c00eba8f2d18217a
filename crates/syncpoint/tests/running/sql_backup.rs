//! Backups of a region whose tables are in its own PostgreSQL: records and tables of one moment, or plain words about what is
//! missing.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::house::{FREE_PORT, Region, application, product};
use crate::with_database::WithDatabase;

/// Writes a record and a row.
const BOTH: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BOTH.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  WS-ROWS                 PIC S9(09) COMP.
       01  WS-ITEMS                PIC S9(04) COMP.
       01  WS-RESP                 PIC S9(08) COMP.
       01  ANSWER.
           05  FILLER              PIC X(05) VALUE 'ROWS '.
           05  ANSWER-ROWS         PIC 9(03).
           05  FILLER              PIC X(09) VALUE ' RECORDS '.
           05  ANSWER-ITEMS        PIC 9(03).
       PROCEDURE DIVISION.
           EXEC SQL INSERT INTO MARKED VALUES ('A MARK IN A TABLE')
           END-EXEC
           IF SQLCODE NOT = 0
              EXEC CICS ABEND ABCODE('SQL ') END-EXEC
           END-IF
           EXEC CICS WRITEQ TS QUEUE('KEPT') FROM(ANSWER) LENGTH(10)
                     NUMITEMS(WS-ITEMS)
           END-EXEC
           EXEC SQL SELECT COUNT(*) INTO :WS-ROWS FROM MARKED END-EXEC
           MOVE WS-ROWS            TO ANSWER-ROWS
           MOVE WS-ITEMS           TO ANSWER-ITEMS
           EXEC CICS SYNCPOINT END-EXEC
           EXEC CICS SEND TEXT FROM(ANSWER) LENGTH(20) ERASE END-EXEC
           EXEC CICS RETURN END-EXEC.
";

fn house(more: &str) -> WithDatabase {
    let region = format!("{FREE_PORT}[sql]\nscripts = \"tables.sql\"\n{more}");
    let csd = "DEFINE PROGRAM(BOTH) GROUP(T)\nDEFINE TRANSACTION(BOTH) GROUP(T) PROGRAM(BOTH)\n\
               DEFINE TSMODEL(KEPT) GROUP(T) PREFIX(KEPT) RECOVERY(YES)\n";
    WithDatabase::of(application(&[
        ("region.toml", &region),
        ("both.csd", csd),
        ("tables.sql", "CREATE TABLE MARKED (TEXT CHAR(20) NOT NULL);\n"),
        ("programs/BOTH.cbl", BOTH),
    ]))
}

fn run(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let output: Output =
        product().args(arguments).current_dir(folder).env("NO_COLOR", "1").output().expect("it ends");
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}

#[track_caller]
fn done(folder: &Path, arguments: &[&str]) -> String {
    let (is_done, said) = run(folder, arguments);
    assert!(is_done, "{arguments:?}: {said}");
    said
}

/// Runs the transaction so often; both have as many behind it.
#[track_caller]
fn works(folder: &Path, before: u32, times: u32) -> Region {
    let region = Region::start(folder);
    let mut terminal = region.terminal();
    for number in before + 1..=before + times {
        terminal.start("BOTH");
        terminal.sees(&format!("ROWS {number:03} RECORDS {number:03}"));
    }
    region
}

fn ends(region: Region) {
    region.signal("INT");
    let (status, log) = region.ended();
    assert!(status.success(), "{log}");
}

fn away(folder: &Path, to: &str) {
    fs::create_dir(folder.join(to)).expect("a folder");
    for part in ["data", "postgresql"] {
        fs::rename(folder.join(".syncpoint").join(part), folder.join(to).join(part)).expect("moved");
    }
}

#[test]
fn records_and_tables_come_back_together_as_often_as_they_are_restored() {
    let house = house("");
    let folder = house.path();
    let region = works(folder, 0, 2);
    let said = done(folder, &["backup", ".", "running.backup"]);
    assert!(said.contains("committed in the records when it began"), "{said}");
    assert!(
        said.contains("SPCL039") && said.contains("are not in the backup") && said.contains("pg_dump"),
        "{said}"
    );
    ends(region);
    let said = done(folder, &["backup", ".", "saved.backup"]);
    assert!(said.contains("committed in records and tables when it began"), "{said}");
    ends(works(folder, 2, 3));
    for round in 0..2 {
        let (is_done, said) = run(folder, &["restore", "saved.backup", "."]);
        assert!(!is_done && said.contains("move that folder away first"), "{said}");
        away(folder, &format!("away{round}"));
        let said = done(folder, &["restore", "saved.backup", "."]);
        assert!(said.contains("records and tables"), "{said}");
        ends(works(folder, 2, 1));
    }
    // Records of a backup without tables do not come beside tables of another time.
    fs::rename(folder.join(".syncpoint/data"), folder.join("data")).expect("moved");
    let (is_done, said) = run(folder, &["restore", "running.backup", "."]);
    assert!(!is_done && said.contains("--keep-tables"), "{said}");
    done(folder, &["restore", "running.backup", ".", "--keep-tables"]);
    // The pair is none: no statement runs until somebody says that it is one.
    let region = Region::start(folder);
    region.logs("the tables are of another time than the records");
    let mut terminal = region.terminal();
    terminal.start("BOTH");
    terminal.sees("SQL");
    region.end(terminal);
    done(folder, &["sql", ".", "--belongs"]);
    let region = Region::start(folder);
    let mut terminal = region.terminal();
    terminal.until("BOTH", "ROWS 004 RECORDS 003");
    region.end(terminal);
    // Into another folder, where nobody has been.
    fs::create_dir(folder.join("other")).expect("a folder");
    done(folder, &["restore", "saved.backup", ".", "--data", "other/state"]);
    fs::write(folder.join("count.sql"), "SELECT COUNT(*) FROM MARKED;\n").expect("written");
    let said = done(folder, &["sql", ".", "--data", "other/state", "--input", "count.sql"]);
    assert!(said.contains('2'), "{said}");
}

#[test]
fn tables_do_not_lie_in_clear_in_a_backup_of_a_region_with_a_key() {
    let house = house("[data]\nencryption-key-file = \"key\"\n");
    let folder = house.path();
    fs::write(folder.join("key"), "0f".repeat(32)).expect("written");
    fs::set_permissions(folder.join("key"), std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .expect("its owner");
    ends(works(folder, 0, 1));
    let said = done(folder, &["backup", ".", "saved.backup"]);
    assert!(said.contains("SPCL039") && said.contains("not encrypted"), "{said}");
    let backup = fs::read(folder.join("saved.backup")).expect("read");
    let mark = b"A MARK IN A TABLE";
    assert!(!backup.windows(mark.len()).any(|part| part == mark));
}
