//! `syncpoint records FOLDER --status`, `--drop-table`: what a record server does for its regions, and its tables.

use std::fmt::Write as _;
use std::path::Path;

use command_line::event_loop;
use diagnostics::Diagnostic;
use serde_json::{Value, json};
use share::{RegionStatus, Status, Tally};

use crate::application::Messages;
use crate::codes;

/// The server of a folder does not answer.
pub(crate) fn silent(folder: &Path, why: &dyn std::fmt::Display) -> Messages {
    let message = format!("the record server of {} does not answer: {why}", folder.display());
    let help = "`syncpoint records FOLDER` starts it; its own user alone may ask it";
    vec![Diagnostic::error(codes::NOT_SERVED, message).help(help)]
}

/// Deletes a table that regions share.
pub(crate) fn drop_table(folder: &Path, name: &str) -> Result<(), Messages> {
    let refused = |why: &dyn std::fmt::Display, help: &str| {
        let message = format!("table {name} is not deleted: {why}");
        Err(vec![Diagnostic::error(codes::NOT_SERVED, message).help(help)])
    };
    event_loop::run(async {
        match share::drop_table(folder, name).await.map_err(|why| silent(folder, &why))? {
            Ok(true) => {
                println!("Table {name} is deleted.");
                Ok(())
            }
            Ok(false) => refused(
                &"the record server has no such table",
                "a table is named POOL.TABLE, as `--status` shows it behind the word table",
            ),
            Err(records::Error::Locked) => {
                refused(&"a region has it open", "close the files that name it: CEMT SET FILE(…) CLOSED")
            }
            Err(records::Error::Retained) => {
                refused(&"a unit of work in doubt has changed it", "end that first: CEMT INQUIRE UOW")
            }
            Err(why) => refused(&why, "docs/record-server.md"),
        }
    })
}

/// Shows the state of the server of a folder, once.
pub(crate) fn show(folder: &Path, as_json: bool) -> Result<(), Messages> {
    event_loop::run(async {
        let status = share::status(folder).await.map_err(|why| silent(folder, &why))?;
        let text = if as_json { format!("{:#}\n", of(&status)) } else { lines(&status) };
        print!("{text}");
        Ok(())
    })
}

/// The names of the counts, for JSON and as headings.
const COUNTS: [(&str, &str); 9] = [
    ("exchanges", "EXCHANGES"),
    ("lock_waits", "WAITS"),
    ("deadlocks", "DEADLOCKS"),
    ("timeouts", "TIMEOUTS"),
    ("changes", "CHANGES"),
    ("units", "UNITS"),
    ("forced", "FORCED"),
    ("copies_used", "COPIES"),
    ("copies_refused", "REFUSED"),
];

fn numbers(tally: &Tally) -> [u64; COUNTS.len()] {
    [
        tally.exchanges,
        tally.lock_waits,
        tally.deadlocks,
        tally.timeouts,
        tally.changes,
        tally.units,
        tally.forced,
        tally.copies_used,
        tally.copies_refused,
    ]
}

fn counts(tally: &Tally) -> Value {
    COUNTS
        .iter()
        .zip(numbers(tally))
        .map(|((name, _), number)| ((*name).to_owned(), Value::from(number)))
        .collect()
}

fn of(status: &Status) -> Value {
    let region = |region: &RegionStatus| {
        let stores: Vec<Value> = region
            .stores
            .iter()
            .map(|(name, tally)| json!({ "store": name, "counts": counts(tally) }))
            .collect();
        json!({
            "applid": region.applid,
            "here": region.is_here,
            "holding": region.holding,
            "waiting": region.waiting,
            "counts": counts(&region.total),
            "stores": stores,
        })
    };
    json!({
        "forces": status.forces,
        "forced_units": status.forced_units,
        "log_bytes": status.log_bytes,
        "regions": status.regions.iter().map(region).collect::<Vec<_>>(),
    })
}

/// Characters of a column of numbers.
const COLUMN: usize = 11;
/// Characters of names.
const NAMES: usize = 46;

fn lines(status: &Status) -> String {
    let Status { forces, forced_units, log_bytes, regions } = status;
    let mut text = format!("Log: {forces} forces for {forced_units} units of work, {log_bytes} bytes.\n\n");
    line(&mut text, "REGION, STORE", &COUNTS.map(|(_, heading)| heading));
    for region in regions {
        let RegionStatus { applid, is_here, holding, waiting, total, stores } = region;
        let standing = match is_here {
            true => format!("{applid} ({holding} hold locks, {waiting} wait)"),
            false => format!("{applid} (gone)"),
        };
        line(&mut text, &standing, &numbers(total));
        for (store, tally) in stores {
            line(&mut text, &format!("  {store}"), &numbers(tally));
        }
    }
    text
}

fn line(text: &mut String, name: &str, columns: &[impl std::fmt::Display]) {
    let _ = write!(text, "{name:NAMES$}");
    for column in columns {
        let _ = write!(text, "{column:>COLUMN$}");
    }
    text.push('\n');
}
