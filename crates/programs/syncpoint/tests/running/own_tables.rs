//! The real process with tables of its own, `engine = "region"`: killed at random moments under load, backed up and restored. Records and
//! rows are of one unit of work and of one moment, and no PostgreSQL is started.

use std::fs;
use std::path::Path;

use crate::house::{FREE_PORT, Region, application, product};
use crate::sql_kills::{self, DATA_SETS, DEFINITIONS, LOOKS, MOVER, TABLES, Victim};
use crate::with_database::WithDatabase;

/// The question of LOOKS that only a server answers, and what stands in its place.
const WAITING: &str = "           EXEC SQL SELECT COUNT(*) INTO :WS-WAITING
                    FROM LOOKS.WAITING
           END-EXEC
";
const NOTHING_WAITS: &str = "           MOVE 0 TO WS-WAITING\n";

fn working() -> WithDatabase {
    let region = format!("{FREE_PORT}[sql]\nengine = \"region\"\nscripts = \"tables.sql\"\n");
    assert!(LOOKS.contains(WAITING));
    WithDatabase::of(application(&[
        ("region.toml", &region),
        ("kills.csd", DEFINITIONS),
        ("kills.idcams", DATA_SETS),
        ("tables.sql", TABLES),
        ("programs/MOVER.cbl", MOVER),
        ("programs/LOOKS.cbl", &LOOKS.replace(WAITING, NOTHING_WAITS)),
    ]))
}

#[test]
fn records_and_rows_of_the_region_agree_after_kills() {
    let folder = working();
    sql_kills::agree_after_kills(&folder, &[Victim::Region]);
    assert!(!folder.path().join(".syncpoint/postgresql").exists(), "a server was made");
}

#[track_caller]
fn done(folder: &Path, arguments: &[&str]) {
    let output =
        product().args(arguments).current_dir(folder).env("NO_COLOR", "1").output().expect("it ends");
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{arguments:?}: {said}");
}

/// Moves as many as are said, behind those that are there; records and rows are as many.
fn moves(region: &Region, before: u32, times: u32) {
    let mut terminal = region.terminal();
    for number in before + 1..=before + times {
        terminal.until(&format!("MOVE T0 {number:06}"), &format!("ED {number:06}"));
    }
    let sums = before + times;
    terminal.until("LOOK T0", &format!("SUMS T0 {sums:06} {sums:06}"));
}

#[test]
fn a_backup_has_rows_and_records_of_one_moment() {
    let house = working();
    let folder = house.path();
    let region = Region::start(folder);
    moves(&region, 0, 2);
    done(folder, &["backup", ".", "running.backup"]);
    moves(&region, 2, 3);
    region.ends_in_order();
    fs::rename(folder.join(".syncpoint/data"), folder.join("away")).expect("moved");
    done(folder, &["restore", "running.backup", "."]);
    let region = Region::start(folder);
    moves(&region, 2, 1);
    region.ends_in_order();
}
