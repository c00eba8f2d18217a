//! Data tables: the transaction that the published system was measured with, beside an ordered map and a log.
//!
//! Of ten transactions seven read 50 records of 64 bytes and three update as many: 65 file requests on average. Keys
//! rise within a transaction, so that no two of them wait for each other in a circle.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::hint::black_box;
use std::io::Write;

use parking_lot::{Mutex, RwLock};

use crate::Options;
use crate::clock::{in_turns, spent};
use crate::inputs::{TABLE_KEY, TABLE_RECORD};
use crate::log;
use crate::promise::Measured;
use crate::site::{Site, Workshop};

/// Rounds of which the median is taken.
const ROUNDS: usize = 9;
/// Records of a table.
const RECORDS: usize = 50_000;
/// Records of one transaction.
const TOUCHED: usize = 50;
/// From one key of a transaction to the next.
const STEP: usize = 977;
/// From the first key of one transaction to that of the next.
const STRIDE: usize = 7_919;
/// The tables.
const TABLES: [&str; 2] = ["TABLE1", "TABLE2"];
/// Tasks that are attached in one go.
const BURST: usize = 100;

/// Returns the number of records of a table.
pub(crate) fn count(options: &Options) -> usize {
    options.size(RECORDS, TOUCHED * STEP + 1)
}

/// One transaction: what it does to which table, and where it begins.
#[derive(Clone, Copy)]
struct Transaction {
    updates: bool,
    table: usize,
    first: usize,
}

impl Transaction {
    /// The transaction of a number. Two that follow each other are of the same kind, so that two TCBs that take them in
    /// turn have the same work.
    fn new(number: usize, records: usize) -> Self {
        let room = records - TOUCHED * STEP;
        Self { updates: number / 2 % 10 < 3, table: number / 20 % 2, first: number * STRIDE % room }
    }

    fn commarea(self) -> Vec<u8> {
        let kind = if self.updates { 'U' } else { 'R' };
        format!("{kind}{:<8}{:08}{STEP:08}", TABLES[self.table], self.first).into_bytes()
    }
}

/// The transaction through EXEC CICS, on one TCB.
pub(crate) fn transaction(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let (records, bursts) = (count(options), options.size(50, 1));
    let floor = Floor::filled(workshop, records).map_err(|error| format!("the floor's log: {error}"))?;
    let site = loaded(workshop, 1, records)?;
    let transactions = bursts * BURST;
    let per_transaction = 1e6 / transactions as f64;
    let (figure, floor) = in_turns(
        "data-table",
        options.size(ROUNDS, 1),
        || spent(|| run(&site, transactions, records)) * per_transaction,
        || spent(|| floor.run(transactions, records)) * per_transaction,
    );
    site.end();
    Ok(Measured::new(figure, floor).note(format!("{records} records in each of two tables")))
}

/// A region whose tables are loaded.
pub(crate) fn loaded(workshop: &Workshop, tcbs: u32, records: usize) -> Result<Site, String> {
    let site = workshop.region(tcbs)?;
    // The first use of a table has it loaded, and fails with LOADING.
    log::quietly(|| {
        [0, 20].into_iter().for_each(|number| attach(&site, number, records));
        site.idle();
    });
    Ok(site)
}

/// Attaches the transaction of a number.
pub(crate) fn attach(site: &Site, number: usize, records: usize) {
    site.attach("DTBL", Some(&Transaction::new(number, records).commarea()));
}

/// Runs so many transactions.
fn run(site: &Site, transactions: usize, records: usize) {
    for burst in 0..transactions / BURST {
        let numbers = burst * BURST..(burst + 1) * BURST;
        numbers.for_each(|number| attach(site, number, records));
        site.idle();
    }
}

type Key = [u8; TABLE_KEY];
type Record = [u8; TABLE_RECORD];

/// The floor: ordered maps, locks on keys, a log without forces.
struct Floor {
    tables: [RwLock<BTreeMap<Key, Record>>; 2],
    locks: Mutex<HashSet<(usize, Key)>>,
    log: Mutex<File>,
}

impl Floor {
    fn filled(workshop: &Workshop, records: usize) -> std::io::Result<Self> {
        let folder = workshop.scratch("table-log").map_err(std::io::Error::other)?;
        let log = Mutex::new(File::create(folder.join("log"))?);
        let filled = || RwLock::new((0..records).map(|number| (key(number), [b' '; TABLE_RECORD])).collect());
        Ok(Self { tables: [filled(), filled()], locks: Mutex::default(), log })
    }

    fn run(&self, transactions: usize, records: usize) {
        (0..transactions).for_each(|number| self.transaction(Transaction::new(number, records)));
    }

    fn transaction(&self, Transaction { updates, table, first }: Transaction) {
        let keys = (0..TOUCHED).map(|n| key(first + n * STEP));
        if !updates {
            for key in keys {
                black_box(self.tables[table].read().get(&key).copied());
            }
            return;
        }
        let mut changes = Vec::new();
        for key in keys {
            self.locks.lock().insert((table, key));
            let mut record = self.tables[table].read().get(&key).copied().expect("a record of every number");
            record[TABLE_KEY] = record[TABLE_KEY].wrapping_add(1);
            changes.push((key, record));
        }
        let logged: Vec<u8> =
            changes.iter().flat_map(|(key, record)| key.iter().chain(record)).copied().collect();
        self.log.lock().write_all(&logged).expect("room on the disk");
        self.tables[table].write().extend(changes.iter().copied());
        let mut locks = self.locks.lock();
        for (key, _) in changes {
            locks.remove(&(table, key));
        }
    }
}

/// The key of a number, in digits.
fn key(number: usize) -> Key {
    let mut key = [b'0'; TABLE_KEY];
    let mut rest = number;
    for digit in key.iter_mut().rev() {
        *digit += (rest % 10) as u8;
        rest /= 10;
    }
    key
}
