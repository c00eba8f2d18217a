//! The floors of the engine: an ordered map and a log file, and bare LMDB.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Mutex, RwLock};

use heed::types::Bytes;
use heed::{Database, Env, PutFlags};
use records::disk::{BLOCK, Disk, DiskFile, RealDisk};

use super::{KEY, key};
use crate::site::{RECORD, record};
use crate::tree;

/// Bytes of the log; it starts again at its end.
const LOG_BYTES: u64 = 64 << 20;
/// The bytes of a unit of work in the engine's log besides the key and the record.
const UNIT_OVERHEAD: usize = 18;

/// An ordered map under a lock, a table of record locks, and a log: what a unit of work needs at least.
pub(super) struct MapAndLog {
    records: RwLock<BTreeMap<[u8; KEY], Box<[u8]>>>,
    locks: Mutex<HashMap<[u8; KEY], u64>>,
    log: Box<dyn DiskFile>,
    memory: Vec<u8>,
    filled: usize,
    offset: u64,
}

impl MapAndLog {
    pub(super) fn filled(folder: &Path, count: usize) -> Result<Self, String> {
        let failed = |error: std::io::Error| error.to_string();
        let disk = RealDisk::new(folder).map_err(failed)?;
        let log = disk.create("log", LOG_BYTES).map_err(failed)?;
        let records = (0..count).map(|number| (key(number), record(number).into_bytes().into()));
        Ok(Self {
            records: RwLock::new(records.collect()),
            locks: Mutex::default(),
            log,
            memory: vec![0; (1 << 20) + BLOCK],
            filled: 0,
            offset: 0,
        })
    }

    /// Reads a record, changes it, writes it and what the log needs of it.
    pub(super) fn update(&mut self, number: usize) {
        let key = key(number);
        self.locks.lock().expect("no thread fails").insert(key, 1);
        let mut image = [0; RECORD];
        {
            let records = self.records.read().expect("no thread fails");
            image.copy_from_slice(&records[&key]);
        }
        image[RECORD - 1] = image[RECORD - 1].wrapping_add(1);
        self.append(&key, &image);
        self.records.write().expect("no thread fails").insert(key, image.as_slice().into());
        self.locks.lock().expect("no thread fails").remove(&key);
    }

    fn append(&mut self, key: &[u8], image: &[u8]) {
        if self.filled + UNIT_OVERHEAD + KEY + RECORD > self.memory.len() - BLOCK {
            self.filled = 0;
        }
        let start = self.memory.as_ptr().align_offset(BLOCK) + self.filled;
        let place = &mut self.memory[start..start + UNIT_OVERHEAD + KEY + RECORD];
        place[UNIT_OVERHEAD..UNIT_OVERHEAD + KEY].copy_from_slice(key);
        place[UNIT_OVERHEAD + KEY..].copy_from_slice(image);
        self.filled += place.len();
    }

    /// Forces what was appended.
    pub(super) fn force(&mut self) {
        let start = self.memory.as_ptr().align_offset(BLOCK);
        let length = self.filled.next_multiple_of(BLOCK);
        if self.offset + length as u64 > LOG_BYTES {
            self.offset = 0;
        }
        let written = self.log.write_at(self.offset, &self.memory[start..start + length]);
        written.expect("the log can be written");
        self.offset += length as u64;
        self.filled = 0;
    }
}

/// LMDB and nothing else.
pub(super) struct Tree {
    env: Env,
    records: Database<Bytes, Bytes>,
}

impl Tree {
    pub(super) fn new(folder: &Path) -> Result<Self, String> {
        let (env, records) = tree::open(folder).map_err(|error| error.to_string())?;
        Ok(Self { env, records })
    }

    /// Fills the empty tree with sorted records, in one transaction.
    pub(super) fn load(&self, count: usize) {
        let load = || {
            let mut txn = self.env.write_txn()?;
            for number in 0..count {
                let record = record(number);
                self.records.put_with_flags(
                    &mut txn,
                    PutFlags::APPEND,
                    &record.as_bytes()[..KEY],
                    record.as_bytes(),
                )?;
            }
            txn.commit()
        };
        load().unwrap_or_else(|error: heed::Error| panic!("the tree cannot be loaded: {error}"));
    }

    /// Reads records from a key on, each into its own place.
    pub(super) fn browse(&self, from: usize, into: &mut [[u8; RECORD]]) {
        let txn = self.env.read_txn().expect("a reader");
        let from = key(from);
        let range = (std::ops::Bound::Included(from.as_slice()), std::ops::Bound::Unbounded);
        let entries = self.records.range(&txn, &range).expect("a tree that was just filled");
        for (place, entry) in into.iter_mut().zip(entries) {
            place.copy_from_slice(entry.expect("a record").1);
        }
        std::hint::black_box(into);
    }
}
