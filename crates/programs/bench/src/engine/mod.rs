//! The record engine without a region around it, beside what the same work costs at least: maps, files and bare LMDB.
//!
//! In scope: a data set in an engine of its own. What is done with it stands in a module for each subject, and
//! what it is compared with in `floor`.

pub(crate) mod database;
mod dsw;
mod floor;
mod reading;
mod restart;
mod shared;
mod updates;

use std::path::Path;
use std::sync::Arc;

use records::{EncryptionKey, Engine, Limits, Local, Recovery, UnitOfWork};
use tokio::runtime::Runtime;
use vsam::{Cluster, Dataset, Definition, KeyField, Name, Organization, Replace, Vsam};

pub(crate) use dsw::requests as dsw_requests;
pub(crate) use reading::{browse, load};
pub(crate) use restart::replay;
pub(crate) use shared::unit;
pub(crate) use updates::{encrypted, forced_alone, forced_together, unforced};

use crate::Options;
use crate::site::{RECORD, record};

/// From one key to the next: prime, so that every record has its turn.
const STEP: usize = 7_919;
/// Bytes of a key.
const KEY: usize = 8;
/// Records of the data set, unless the command line says how many.
const RECORDS: usize = 500_000;

/// Returns the number of records.
fn count(options: &Options) -> usize {
    options.records.unwrap_or_else(|| options.size(RECORDS, 10_000))
}

/// A key: the number in 8 digits.
fn key(number: usize) -> [u8; KEY] {
    let mut key = [b'0'; KEY];
    let mut rest = number;
    for digit in key.iter_mut().rev() {
        *digit += (rest % 10) as u8;
        rest /= 10;
    }
    key
}

/// Limits under which the engine does no checkpoint by itself: it is measured apart.
fn without_checkpoints() -> Limits {
    const MUCH: usize = 8 << 30;
    Limits {
        checkpoint_changes: u64::MAX,
        checkpoint_bytes: MUCH,
        overlay_bytes: MUCH,
        log_bytes: 4 * MUCH as u64,
        ..Limits::default()
    }
}

/// A KSDS in an engine.
struct DataSet {
    runtime: Runtime,
    engine: Arc<dyn Engine>,
    vsam: Arc<Vsam>,
    records: usize,
}

impl DataSet {
    /// An engine in a new folder, with an empty data set.
    fn new(folder: &Path, key: Option<EncryptionKey>) -> Result<Self, String> {
        let engine = Local::open_with(folder, without_checkpoints(), key).map_err(|e| e.to_string())?;
        Self::over(|_| Ok(engine))
    }

    /// An empty data set in an engine, which may need an event loop to be opened.
    fn over(engine: impl FnOnce(&Runtime) -> Result<Arc<dyn Engine>, String>) -> Result<Self, String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| format!("no event loop: {error}"))?;
        let engine = engine(&runtime)?;
        let vsam = runtime.block_on(Vsam::open(engine.clone())).map_err(|e| e.to_string())?;
        let cluster = Cluster {
            name: name(),
            organization: Organization::Keyed(KeyField { offset: 0, length: KEY }),
            average: RECORD,
            maximum: RECORD,
            recovery: Recovery::Recoverable,
            reuse: false,
        };
        runtime.block_on(vsam.define(Definition::Cluster(cluster))).map_err(|e| e.to_string())?;
        Ok(Self { runtime, engine, vsam, records: 0 })
    }

    /// The same with so many records in it.
    fn loaded(folder: &Path, key: Option<EncryptionKey>, records: usize) -> Result<Self, String> {
        Self::new(folder, key)?.filled(records)
    }

    fn filled(mut self, records: usize) -> Result<Self, String> {
        self.load(&mut (0..records).map(|number| Ok(record(number).into_bytes())))?;
        self.records = records;
        Ok(self)
    }

    fn load(&self, records: &mut dyn Iterator<Item = vsam::Result<Vec<u8>>>) -> Result<(), String> {
        let (name, mut silent) = (name(), |_| {});
        let loaded = self.vsam.load(&name, records, Replace::No, &mut silent);
        self.runtime.block_on(loaded).map(drop).map_err(|error| error.to_string())
    }

    fn open(&self) -> Arc<Dataset> {
        self.runtime.block_on(self.vsam.dataset(&name())).expect("the data set that was just made")
    }

    fn begin(&self) -> Box<dyn UnitOfWork> {
        self.engine.begin(self.engine.locks().new_owner())
    }
}

fn name() -> Name {
    "BENCH.ENGINE".parse().expect("a name")
}
