//! The base in an LMDB file.
//!
//! All spaces share one tree: a key is the space's number, big-endian, and the record's key. Each thread keeps a read
//! transaction open, which makes a read a plain walk down the tree; a checkpoint ends them all, so that no thread can
//! pin old pages or miss what was moved from the overlay into the base.

use std::cell::RefCell;
use std::io::ErrorKind;
use std::ops::Bound::{Excluded, Included, Unbounded};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use heed::types::Bytes;
use heed::{Database, Env, EnvOpenOptions, MdbError, PutFlags, RoTxn, RwTxn, WithoutTls};
use parking_lot::Mutex;
use smallvec::SmallVec;

use super::{Base, Batch, Space};
use crate::change::Map;
use crate::log::Position;
use crate::{Direction, Error, Origin, Result};

/// Threads that can read at the same time.
const READERS: u32 = 1022;
/// Keys up to this length are built on the stack.
const INLINE_KEY: usize = 64;
/// Records that [`Base::fill`] writes in one transaction.
const FILL_RECORDS: usize = 50_000;
/// The space of the base's own notes.
const NOTES: Space = Space(0);
const POSITION: &[u8] = b"position";
/// Before the number of a start of the engine.
const RUN: &[u8] = b"run ";

/// The disk has no room for the base.
const NO_ROOM: Error = Error::NoSpace("the base");
/// A file that is written to learn whether the disk is full: more than what LMDB writes in one call.
const PROBE: &str = "probe";
const PROBE_BYTES: usize = 1 << 20;

type Tree = Database<Bytes, Bytes>;
type FullKey = SmallVec<[u8; INLINE_KEY]>;
/// The open read transaction of one thread.
type Reader = Mutex<Option<RoTxn<'static, WithoutTls>>>;

thread_local! {
    /// This thread's readers, by the base that they belong to.
    static READER: RefCell<Vec<(u64, Arc<Reader>)>> = const { RefCell::new(Vec::new()) };
}

/// An LMDB file.
pub(crate) struct Lmdb {
    env: Env<WithoutTls>,
    tree: Tree,
    folder: PathBuf,
    /// Tells bases of one process apart.
    id: u64,
    readers: Mutex<Vec<Arc<Reader>>>,
}

impl Lmdb {
    /// Opens the file in `folder`, which can grow to `bytes`.
    pub(crate) fn open(folder: &Path, bytes: usize) -> Result<Self> {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        std::fs::create_dir_all(folder).map_err(|e| Error::io("the base", &e))?;
        let mut options = EnvOpenOptions::new().read_txn_without_tls();
        options.map_size(bytes).max_readers(READERS);
        // SAFETY: LMDB maps the file; changing it from outside would change memory under our feet. The folder belongs
        // to one region, which holds its lock, and nothing else in this process opens it (heed refuses that).
        #[allow(unsafe_code)]
        let env = unsafe { options.open(folder) }.map_err(|e| lmdb_error(&e))?;
        let mut txn = env.write_txn().map_err(|e| lmdb_error(&e))?;
        let tree = env.create_database(&mut txn, None).map_err(|e| lmdb_error(&e))?;
        txn.commit().map_err(|e| lmdb_error(&e))?;
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        Ok(Self { env, tree, folder: folder.to_owned(), id, readers: Mutex::default() })
    }

    /// This thread's reader.
    fn reader(&self) -> Arc<Reader> {
        READER.with_borrow_mut(|readers| {
            if let Some((_, reader)) = readers.iter().find(|(id, _)| *id == self.id) {
                return reader.clone();
            }
            // Readers of bases that are gone are referred to by nobody else.
            readers.retain(|(_, reader)| Arc::strong_count(reader) > 1);
            let reader = Arc::new(Reader::default());
            self.readers.lock().push(reader.clone());
            readers.push((self.id, reader.clone()));
            reader
        })
    }

    /// Does something with this thread's read transaction.
    fn read<T>(&self, work: impl FnOnce(&RoTxn<'static, WithoutTls>) -> heed::Result<T>) -> Result<T> {
        let reader = self.reader();
        let mut slot = reader.lock();
        let txn = match &mut *slot {
            Some(txn) => txn,
            empty => empty.insert(self.env.clone().static_read_txn().map_err(|e| lmdb_error(&e))?),
        };
        work(txn).map_err(|e| lmdb_error(&e))
    }

    /// Ends the read transactions of all threads.
    fn end_readers(&self) {
        let mut readers = self.readers.lock();
        readers.retain(|reader| {
            *reader.lock() = None;
            // A thread that has ended keeps no reader.
            Arc::strong_count(reader) > 1
        });
    }

    /// What a failed write means. LMDB calls it a fault of the disk (EIO) when there is room for a part of what it
    /// writes only: whoever tries again learns why.
    fn write_error(&self, error: &heed::Error) -> Error {
        match lmdb_error(error) {
            Error::Io(_) if is_full(&self.folder) => NO_ROOM,
            error => error,
        }
    }

    fn write_batch(&self, batch: &Batch) -> heed::Result<()> {
        let mut txn = self.env.write_txn()?;
        for space in &batch.cleared {
            let (from, to) = (full_key(*space, &[]), full_key(Space(space.0 + 1), &[]));
            self.tree.delete_range(&mut txn, &(Included(from.as_slice()), Excluded(to.as_slice())))?;
        }
        for (space, map) in &batch.changes {
            self.write_map(&mut txn, *space, map)?;
        }
        self.tree.put(&mut txn, &full_key(NOTES, POSITION), &batch.position.to_bytes())?;
        txn.commit()
    }

    fn write_map(&self, txn: &mut RwTxn<'_>, space: Space, map: &Map) -> heed::Result<()> {
        for (key, record) in map {
            let key = full_key(space, key);
            match record {
                Some(record) => self.tree.put(txn, &key, record)?,
                None => self.tree.delete(txn, &key).map(drop)?,
            }
        }
        Ok(())
    }

    /// Adds up to [`FILL_RECORDS`] records in one transaction.
    fn fill_some(
        &self,
        space: Space,
        records: &mut dyn Iterator<Item = (Vec<u8>, Vec<u8>)>,
    ) -> heed::Result<usize> {
        let mut txn = self.env.write_txn()?;
        let mut count = 0;
        let last = self.tree.last(&txn)?.map(|(key, _)| key.to_vec()).unwrap_or_default();
        // A new space is the last of the tree, unless another load has begun a later one.
        let flags =
            if *last < *full_key(Space(space.0 + 1), &[]) { PutFlags::APPEND } else { PutFlags::empty() };
        for (key, record) in records.take(FILL_RECORDS) {
            self.tree.put_with_flags(&mut txn, flags, &full_key(space, &key), &record)?;
            count += 1;
        }
        txn.commit()?;
        Ok(count)
    }
}

impl Base for Lmdb {
    fn get(&self, space: Space, key: &[u8], record: &mut Vec<u8>) -> Result<bool> {
        record.clear();
        self.read(|txn| {
            let found = self.tree.get(txn, &full_key(space, key))?;
            record.extend_from_slice(found.unwrap_or_default());
            Ok(found.is_some())
        })
    }

    fn scan(
        &self,
        space: Space,
        origin: Origin<'_>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<()> {
        let first = full_key(space, &[]);
        let key = match origin {
            Origin::Start => FullKey::new(),
            Origin::At(key) | Origin::Beyond(key) => full_key(space, key),
        };
        self.read(|txn| {
            // The end of the space is looked for in the key that is there anyway: cheaper than a bound.
            let mut show = |entry: heed::Result<(&[u8], &[u8])>| {
                entry.map(|(key, record)| key.strip_prefix(&*first).is_some_and(|key| visit(key, record)))
            };
            match direction {
                Direction::Forward => {
                    let from = match origin {
                        Origin::Start => Included(first.as_slice()),
                        Origin::At(_) => Included(key.as_slice()),
                        Origin::Beyond(_) => Excluded(key.as_slice()),
                    };
                    for entry in self.tree.range(txn, &(from, Unbounded))? {
                        if !show(entry)? {
                            break;
                        }
                    }
                }
                Direction::Backward => {
                    let end = full_key(Space(space.0 + 1), &[]);
                    let to = match origin {
                        Origin::Start => Excluded(end.as_slice()),
                        Origin::At(_) => Included(key.as_slice()),
                        Origin::Beyond(_) => Excluded(key.as_slice()),
                    };
                    for entry in self.tree.rev_range(txn, &(Unbounded, to))? {
                        if !show(entry)? {
                            break;
                        }
                    }
                }
            }
            Ok(())
        })
    }

    fn write(&self, batch: &Batch) -> Result<()> {
        let written = self.write_batch(batch).map_err(|e| self.write_error(&e));
        self.end_readers();
        written
    }

    fn fill(&self, space: Space, records: &mut dyn Iterator<Item = (Vec<u8>, Vec<u8>)>) -> Result<u64> {
        let mut total = 0;
        loop {
            let count = self.fill_some(space, records).map_err(|e| self.write_error(&e))?;
            total += count as u64;
            if count < FILL_RECORDS {
                // Later reads must see it all.
                self.end_readers();
                return Ok(total);
            }
        }
    }

    fn position(&self) -> Result<Position> {
        let mut bytes = Vec::new();
        match self.get(NOTES, POSITION, &mut bytes)? {
            false => Ok(Position::default()),
            true => {
                Position::from_bytes(&bytes).ok_or_else(|| Error::Corrupt("the base's log position".into()))
            }
        }
    }

    fn spaces(&self) -> Result<Vec<Space>> {
        let mut spaces = Vec::new();
        let mut from = Space(NOTES.0 + 1);
        self.read(|txn| {
            while let Some((key, _)) = self.tree.get_greater_than_or_equal_to(txn, &full_key(from, &[]))? {
                let space = Space(key.iter().take(4).fold(0, |number, byte| number << 8 | u32::from(*byte)));
                spaces.push(space);
                from = Space(space.0 + 1);
            }
            Ok(())
        })?;
        Ok(spaces)
    }

    fn runs(&self) -> Result<Vec<Vec<u8>>> {
        let prefix = full_key(NOTES, RUN);
        self.read(|txn| {
            let notes = self.tree.prefix_iter(txn, &prefix)?;
            notes.map(|note| note.map(|(_, note)| note.to_vec())).collect()
        })
    }

    fn add_run(&self, number: u32, note: &[u8]) -> Result<()> {
        let add = || {
            let mut txn = self.env.write_txn()?;
            self.tree.put(&mut txn, &run_key(number), note)?;
            txn.commit()
        };
        let added = add().map_err(|e| self.write_error(&e));
        self.end_readers();
        added
    }
}

/// The key of the note of a start.
fn run_key(number: u32) -> FullKey {
    let mut key = full_key(NOTES, RUN);
    key.extend_from_slice(&number.to_be_bytes());
    key
}

impl Drop for Lmdb {
    fn drop(&mut self) {
        // The transactions hold the file open; threads that outlive this base must not.
        self.end_readers();
    }
}

fn full_key(space: Space, key: &[u8]) -> FullKey {
    let mut full = FullKey::from_slice(&space.0.to_be_bytes());
    full.extend_from_slice(key);
    full
}

/// Whether the disk has no room for a small file.
fn is_full(folder: &Path) -> bool {
    let probe = folder.join(PROBE);
    let written = std::fs::write(&probe, vec![0; PROBE_BYTES]);
    let _ = std::fs::remove_file(&probe);
    written.is_err_and(|error| matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded))
}

fn lmdb_error(error: &heed::Error) -> Error {
    match error {
        heed::Error::Mdb(MdbError::MapFull) => {
            Error::NoSpace("the base, which is as large as base_bytes allows")
        }
        heed::Error::Io(error) => Error::io("the base", error),
        other => Error::Io(format!("the base: {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LMDB says EIO where the disk took a part of a write, and also where the disk is broken.
    #[test]
    fn a_disk_that_is_full_is_told_from_one_that_fails() {
        const EIO: i32 = 5;
        let error = || heed::Error::Io(std::io::Error::from_raw_os_error(EIO));
        let folder = tempfile::tempdir().expect("a folder");
        let base = Lmdb::open(folder.path(), PROBE_BYTES).expect("it opens");
        assert!(matches!(base.write_error(&error()), Error::Io(_)));
        // Whoever writes there finds no room.
        std::os::unix::fs::symlink("/dev/full", folder.path().join(PROBE)).expect("a link");
        assert_eq!(base.write_error(&error()), NO_ROOM);
    }
}
