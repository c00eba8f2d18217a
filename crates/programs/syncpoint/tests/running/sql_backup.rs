//! Backups of a region whose tables are in its own PostgreSQL: records and tables of one moment, whether it works meanwhile or not.

use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use crate::house::{FREE_PORT, Region, application, product};
use crate::sql_kills::{Counts, look, work, working_with_two};
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
    for part in ["data", "postgresql", "postgresql-arch"] {
        let part_there = folder.join(".syncpoint").join(part);
        if part_there.exists() {
            fs::rename(part_there, folder.join(to).join(part)).expect("moved");
        }
    }
}

#[test]
fn records_and_tables_come_back_together_as_often_as_they_are_restored() {
    let house = house("");
    let folder = house.path();
    let region = works(folder, 0, 2);
    let said = done(folder, &["backup", ".", "running.backup"]);
    assert!(said.contains("committed in records and tables"), "{said}");
    ends(region);
    let said = done(folder, &["backup", ".", "saved.backup"]);
    assert!(said.contains("committed in records and tables"), "{said}");
    ends(works(folder, 2, 3));
    for (round, saved) in ["saved.backup", "running.backup", "saved.backup"].iter().enumerate() {
        let (is_done, said) = run(folder, &["restore", saved, "."]);
        assert!(!is_done && said.contains("move that folder away first"), "{said}");
        away(folder, &format!("away{round}"));
        let said = done(folder, &["restore", saved, "."]);
        assert!(said.contains("records and tables"), "{said}");
        ends(works(folder, 2, 1));
    }
    // Records do not come beside tables of another time.
    fs::rename(folder.join(".syncpoint/data"), folder.join("data")).expect("moved");
    let (is_done, said) = run(folder, &["restore", "running.backup", "."]);
    assert!(!is_done && said.contains("--keep-tables"), "{said}");
    done(folder, &["restore", "running.backup", ".", "--keep-tables"]);
    // The pair is none: the region does not start before an operator says that it is one.
    let said = Region::refused(folder);
    assert!(said.contains("SPRG030") && said.contains("of another time than the records"), "{said}");
    done(folder, &["sql", ".", "--belongs"]);
    let region = Region::start(folder);
    let mut terminal = region.terminal();
    terminal.until("BOTH", "ROWS 004 RECORDS 003");
    region.end(terminal);
    // Into another folder, which was not used before.
    fs::create_dir(folder.join("other")).expect("a folder");
    done(folder, &["restore", "saved.backup", ".", "--data", "other/state"]);
    fs::write(folder.join("count.sql"), "SELECT COUNT(*) FROM MARKED;\n").expect("written");
    let said = done(folder, &["sql", ".", "--data", "other/state", "--input", "count.sql"]);
    assert!(said.contains('2'), "{said}");
}

/// People who work at the same time.
const TERMINALS: u32 = 3;
/// Units of work between two backups.
const BETWEEN: u32 = 12;

#[test]
fn a_backup_of_a_region_at_work_has_each_unit_of_work_in_records_and_tables_or_in_neither() {
    for key in ["", "[data]\nencryption-key-file = \"key\"\n"] {
        let house = working_with_two(key);
        let folder = house.path();
        if !key.is_empty() {
            make_key(folder);
        }
        let region = Region::start(folder);
        house.shows_units_in_doubt();
        let there: Counts = (0..TERMINALS).map(|number| (format!("T{number}"), 0)).collect();
        let numbers: Vec<AtomicU32> = there.keys().map(|_| AtomicU32::new(0)).collect();
        let counts = || -> Vec<u32> { numbers.iter().map(|number| number.load(Ordering::Relaxed)).collect() };
        let (all, last) = (AtomicU32::new(0), AtomicU32::new(u32::MAX));
        let mut backups = Vec::new();
        thread::scope(|scope| {
            for (prefix, number) in there.keys().zip(&numbers) {
                let (region, all, last) = (&region, &all, &last);
                scope.spawn(move || work(region, prefix, number, all, last));
            }
            for round in 1..=3 {
                while all.load(Ordering::Relaxed) < round * BETWEEN {
                    assert!(region.is_running(), "the region has ended by itself:\n{}", region.log());
                    thread::sleep(Duration::from_micros(100));
                }
                let (name, before) = (format!("{round}.backup"), counts());
                let said = done(folder, &["backup", ".", &name]);
                assert!(said.contains("in records and tables"), "{said}");
                backups.push((name, before, counts()));
            }
            last.store(0, Ordering::Relaxed);
        });
        region.signal("KILL");
        region.ended();
        house.signal("KILL");
        for (round, (name, before, after)) in backups.iter().enumerate() {
            away(folder, &format!("away{round}"));
            done(folder, &["restore", name, "."]);
            let region = Region::start(folder);
            let found = look(&region, &there, 0);
            for (place, (prefix, count)) in found.iter().enumerate() {
                // One more was on its way.
                let possible = before[place]..=after[place] + 1;
                assert!(possible.contains(count), "{name}: {prefix} has {count} of {possible:?}");
            }
            region.ends_in_order();
        }
    }
}

fn make_key(folder: &Path) {
    fs::write(folder.join("key"), "0f".repeat(32)).expect("written");
    fs::set_permissions(folder.join("key"), std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .expect("its owner");
}

#[test]
fn tables_do_not_lie_in_clear_in_a_backup_of_a_region_with_a_key() {
    let house = house("[data]\nencryption-key-file = \"key\"\n");
    let folder = house.path();
    make_key(folder);
    let region = works(folder, 0, 1);
    done(folder, &["backup", ".", "running.backup"]);
    ends(region);
    done(folder, &["backup", ".", "saved.backup"]);
    ends(works(folder, 1, 1));
    for (round, saved) in ["running.backup", "saved.backup"].iter().enumerate() {
        let backup = fs::read(folder.join(saved)).expect("read");
        // A dump is compressed: its beginning tells that it lies in clear.
        for mark in ["A MARK IN A TABLE", "PGDMP"] {
            assert!(!backup.windows(mark.len()).any(|part| part == mark.as_bytes()), "{mark} in {saved}");
        }
        away(folder, &format!("away{round}"));
        done(folder, &["restore", saved, "."]);
        assert!(!folder.join(".syncpoint/tables").exists() && !folder.join(".syncpoint/sealed").exists());
        ends(works(folder, 1, 1));
    }
}
