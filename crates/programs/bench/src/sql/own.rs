//! The same work over the region's own tables: there is no server, so all of it is this process's. The floors are what is promised, and what
//! another kind of engine takes for the same is in the notes.

use super::units::{CURSORS, READERS, ROUNDS, Side, Stage, WRITERS, Work, with_own_tables};
use super::{CONFIG, beside_axum, sqlite};
use crate::Options;
use crate::clock::in_turns;
use crate::promise::Measured;
use crate::site::Workshop;

/// Microseconds promised for one SELECT by key, and for a cursor of a hundred rows, beyond a task without.
const SELECT_US: f64 = 3.0;
const CURSOR_US: f64 = 40.0;

/// One SELECT by key in a task.
pub(crate) fn select(options: &Options, id: &str) -> Result<Measured, String> {
    beside_sqlite(options, id, (Work::Select, READERS), SELECT_US, sqlite::Database::select)
}

/// A hundred rows by a cursor, each fetched by itself.
pub(crate) fn cursor(options: &Options, id: &str) -> Result<Measured, String> {
    beside_sqlite(options, id, (Work::Cursor, CURSORS), CURSOR_US, sqlite::Database::rows)
}

fn beside_sqlite(
    options: &Options,
    id: &str,
    (work, count): (Work, usize),
    promised: f64,
    other: fn(&sqlite::Database, u32) -> rusqlite::Result<()>,
) -> Result<Measured, String> {
    let count = options.size(count, 10);
    let stage = Stage::with_own_tables(count)?;
    let database = sqlite::Database::new().map_err(|error| format!("SQLite: {error}"))?;
    let mut failed = Ok(());
    let (figure, sqlite) = in_turns(
        id,
        options.size(ROUNDS, 1),
        || stage.more(Side::All, work),
        || {
            let (spent, ran) = database.spent(count, other);
            failed = std::mem::replace(&mut failed, Ok(())).and(ran);
            spent
        },
    );
    stage.end();
    failed.map_err(|error| format!("SQLite: {error}"))?;
    Ok(Measured::new(figure, promised)
        .note(format!("SQLite in this process, in one transaction: {sqlite:.2} us")))
}

/// A record and a row changed in one unit of work, beside a record alone: one log, one force.
pub(crate) fn unit(options: &Options, id: &str) -> Result<Measured, String> {
    let stage = Stage::with_own_tables(options.size(WRITERS, 10))?;
    let more = |work| stage.more(Side::All, work);
    let (figure, floor) = in_turns(id, options.size(ROUNDS, 1), || more(Work::Both), || more(Work::Record));
    let row = more(Work::Update);
    stage.end();
    Ok(Measured::new(figure, floor).note(format!("a row alone: {row:.1} us")))
}

/// A message with one SELECT over the normal path, and over the direct one.
pub(crate) fn web(options: &Options, workshop: &Workshop, id: &str) -> Result<Measured, String> {
    beside_axum(options, workshop, (id, &config()), "web")
}

pub(crate) fn direct(options: &Options, workshop: &Workshop, id: &str) -> Result<Measured, String> {
    beside_axum(options, workshop, (id, &config()), "direct")
}

/// Both paths beside tables of the region's own, in a state of its own.
fn config() -> String {
    with_own_tables(CONFIG).replace("state = \"direct\"", "state = \"direct-own\"")
}
