//! Records: READ through EXEC CICS beside the bare tree.

use std::path::Path;

use heed::types::Bytes;
use heed::{Database, Env};

use crate::Options;
use crate::clock::{in_turns, spent};
use crate::promise::Measured;
use crate::site::{Workshop, record};
use crate::tree;

/// Rounds of which the median is taken.
const ROUNDS: usize = 9;
/// Records of the data set: all in memory, and too many for the processor's caches.
const RECORDS: usize = 500_000;
/// From one key to the next: prime, so that every record has its turn.
const STEP: usize = 7_919;

/// Returns the number of records of the application's data set.
pub(crate) fn count(options: &Options) -> usize {
    options.size(RECORDS, 10_000)
}

/// READ of a record that is in memory, beside a read of the same in LMDB, with a transaction for each read.
pub(crate) fn read(options: &Options, workshop: &Workshop) -> Result<Measured, String> {
    let records = count(options);
    let reads = options.size(200_000, 100);
    let tree = Tree::filled(&workshop.scratch("tree")?, records).map_err(|error| error.to_string())?;
    let site = workshop.region(1)?;
    let commarea = format!("{reads:08}{records:08}{STEP:08}");
    let per_read = 1e9 / reads as f64;
    let (figure, floor) = in_turns(
        "record-read",
        options.size(ROUNDS, 1),
        || spent(|| site.run("READ", Some(commarea.as_bytes()))) * per_read,
        || spent(|| tree.read(reads, records)) * per_read,
    );
    site.end();
    Ok(Measured::new(figure, floor).note(format!("{records} records of 200 bytes")))
}

/// The floor: LMDB and nothing else.
struct Tree {
    env: Env,
    records: Database<Bytes, Bytes>,
}

impl Tree {
    fn filled(folder: &Path, count: usize) -> heed::Result<Self> {
        let (env, records) = tree::open(folder)?;
        let mut txn = env.write_txn()?;
        for number in 0..count {
            let record = record(number);
            records.put(&mut txn, &record.as_bytes()[..8], record.as_bytes())?;
        }
        txn.commit()?;
        Ok(Self { env, records })
    }

    fn read(&self, reads: usize, count: usize) {
        let mut at = 0;
        let mut record = [0; 200];
        for _ in 0..reads {
            at = (at + STEP) % count;
            let key = digits(at);
            let txn = self.env.read_txn().expect("a reader");
            let found = self.records.get(&txn, &key).expect("a tree that was just filled");
            record.copy_from_slice(found.expect("every number has its record"));
            std::hint::black_box(&mut record);
        }
    }
}

/// A key: the number in 8 digits, as a program counts.
fn digits(number: usize) -> [u8; 8] {
    let mut key = [b'0'; 8];
    let mut rest = number;
    for digit in key.iter_mut().rev() {
        *digit += (rest % 10) as u8;
        rest /= 10;
    }
    key
}
