//! Units of work of tasks over a table, a data set and both, each less a task that does nothing, beside a bare client.
//! Processor time of the region's process and of PostgreSQL's; one task or statement after the other.

use std::path::PathBuf;

use super::bare::Bare;
use super::table::{ACCOUNTS, ROWS_OF_CURSOR, script};
use crate::Options;
use crate::clock::{in_turns, processor_time};
use crate::processes;
use crate::promise::Measured;
use crate::site::{Site, Workshop, record};

/// Rounds of which the median is taken.
pub(super) const ROUNDS: usize = 5;
/// Tasks of one round: that read, that change something, that read a hundred rows.
pub(super) const READERS: usize = 10_000;
pub(super) const WRITERS: usize = 2_000;
pub(super) const CURSORS: usize = 1_000;
/// From one key to the next: prime, so that every row has its turn.
const STEP: u32 = 7_919;
/// The application, but for what [`Stage::new`] fills it with.
const FILES: [(&str, &str); 3] = [
    ("SQLWORK.cbl", include_str!("../../programs/sqlwork.cbl")),
    ("sqlwork.csd", include_str!("../../programs/sqlwork.csd")),
    ("sqlwork.idcams", include_str!("../../programs/sqlwork.idcams")),
];
const CONFIG: &str = include_str!("../../programs/sqlwork.toml");

/// The work of a task, by the letter that `sqlwork.cbl` knows.
#[derive(Clone, Copy)]
pub(super) enum Work {
    Nothing,
    Select,
    Update,
    Record,
    Both,
    Cursor,
}

impl Work {
    fn letter(self) -> char {
        match self {
            Self::Nothing => 'N',
            Self::Select => 'S',
            Self::Update => 'U',
            Self::Record => 'R',
            Self::Both => 'B',
            Self::Cursor => 'C',
        }
    }
}

/// Whose processor time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// That of this process: the region, or the bare client.
    Client,
    /// That of PostgreSQL's processes.
    Server,
    /// All of it.
    All,
}

impl Side {
    /// Microseconds of it that each of so many pieces of work takes.
    fn spent(self, servers: &[u32], count: usize, work: impl FnOnce()) -> f64 {
        let now = || {
            let client = if self == Self::Server { 0.0 } else { processor_time() };
            client + if self == Self::Client { 0.0 } else { processes::time_of(servers) }
        };
        let before = now();
        work();
        (now() - before) * 1e6 / count as f64
    }
}

/// A region with PostgreSQL or with tables of its own, which are filled.
pub(super) struct Stage {
    workshop: Workshop,
    site: Site,
    servers: Vec<u32>,
    count: usize,
}

impl Stage {
    /// With PostgreSQL, for rounds of so many tasks.
    fn new(count: usize) -> Result<Self, String> {
        let stage = Self::of(CONFIG, count)?;
        if stage.servers.is_empty() { Err(String::from("no PostgreSQL runs")) } else { Ok(stage) }
    }

    /// With tables of the region's own.
    pub fn with_own_tables(count: usize) -> Result<Self, String> {
        Self::of(&with_own_tables(CONFIG), count)
    }

    fn of(config: &str, count: usize) -> Result<Self, String> {
        let workshop = Workshop::empty()?;
        for (name, text) in FILES {
            workshop.write(name, text)?;
        }
        workshop.write("accounts.sql", &script())?;
        let records: String = (0..ACCOUNTS).map(|number| format!("{}\n", record(number as usize))).collect();
        workshop.write("records.txt", &records)?;
        let site = workshop.region_of(config, 1)?;
        // PostgreSQL starts with the first statement, which waits for it.
        site.run("SQLW", Some(b"S00000000"));
        let servers = processes::descendants(std::process::id());
        Ok(Self { workshop, site, servers, count })
    }

    /// Ends the region.
    pub fn end(self) {
        self.site.end();
    }

    fn folder(&self) -> Result<PathBuf, String> {
        self.workshop.scratch("bare")
    }

    /// Measures the cost of a task.
    fn whole(&self, side: Side, work: Work) -> f64 {
        side.spent(&self.servers, self.count, || {
            for id in keys(self.count) {
                self.site.run("SQLW", Some(format!("{}{id:08}", work.letter()).as_bytes()));
            }
        })
    }

    /// Measures the cost beyond that of a task that does nothing.
    pub fn more(&self, side: Side, work: Work) -> f64 {
        self.whole(side, work) - self.whole(side, Work::Nothing)
    }
}

/// A configuration whose tables are the region's own.
pub(super) fn with_own_tables(config: &str) -> String {
    config.replace("[sql]\n", "[sql]\nengine = \"region\"\n")
}

/// Keys of accounts that have so many more behind them as a cursor reads.
pub(super) fn keys(count: usize) -> impl Iterator<Item = u32> {
    (0..count as u32).map(|number| number.wrapping_mul(STEP) % (ACCOUNTS - ROWS_OF_CURSOR))
}

/// A kind of work beside what the bare client does for the same.
fn beside_bare(
    options: &Options,
    id: &str,
    (side, work, count): (Side, Work, usize),
    bare_work: fn(&mut Bare, u32) -> std::io::Result<()>,
) -> Result<Measured, String> {
    let stage = Stage::new(options.size(count, 10))?;
    let mut bare = Bare::start(&stage.folder()?)?;
    let of_bare = bare.servers();
    let mut failed = Ok(());
    let (figure, floor) = in_turns(
        id,
        options.size(ROUNDS, 1),
        || stage.more(side, work),
        || {
            side.spent(&of_bare, stage.count, || {
                if failed.is_ok() {
                    failed = keys(stage.count).try_for_each(|id| bare_work(&mut bare, id));
                }
            })
        },
    );
    drop(bare);
    stage.site.end();
    failed.map_err(|error| format!("the bare client: {error}"))?;
    Ok(Measured::new(figure, floor))
}

/// One SELECT by key: what the region has of it, or PostgreSQL.
pub(crate) fn select(options: &Options, id: &str, side: Side) -> Result<Measured, String> {
    beside_bare(options, id, (side, Work::Select, READERS), Bare::select)
}

/// One row changed and committed.
pub(crate) fn update(options: &Options, id: &str) -> Result<Measured, String> {
    beside_bare(options, id, (Side::All, Work::Update, WRITERS), Bare::update)
}

/// A hundred rows by a cursor, each fetched by itself.
pub(crate) fn cursor(options: &Options, id: &str) -> Result<Measured, String> {
    beside_bare(options, id, (Side::All, Work::Cursor, CURSORS), Bare::rows)
}

/// A record and a row changed in one unit of work, beside one of each alone.
pub(crate) fn both(options: &Options, id: &str) -> Result<Measured, String> {
    let stage = Stage::new(options.size(WRITERS, 10))?;
    let more = |work| stage.more(Side::All, work);
    let alone = || more(Work::Record) + more(Work::Update);
    let (figure, floor) = in_turns(id, options.size(ROUNDS, 1), || more(Work::Both), alone);
    stage.site.end();
    Ok(Measured::new(figure, floor))
}
