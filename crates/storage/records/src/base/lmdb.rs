//! The base in an LMDB file.
//!
//! All spaces share one tree: a key is the space's number, big-endian, and the record's key; behind a record stands its
//! checksum. LMDB writes the tree, a batch to a transaction; it is read as a [`Snapshot`], page by page with checksums.
//! A transaction of LMDB counts when the checks of its pages are written: until then the snapshot before it is read, and
//! a start after a crash opens that one again (the log has what followed).
//!
//! LMDB uses the pages of a snapshot again in the third transaction after it at the earliest. The next snapshot takes the
//! place of the former one before another transaction begins, and reads hold the lock under which that is done; so no page
//! changes while it is read. A reader that reads longer than that ([`Lmdb::each`]) keeps a transaction of LMDB open.

use std::io::ErrorKind;
use std::ops::Bound::{Excluded, Included};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use heed::types::Bytes;
use heed::{Database, Env, EnvFlags, EnvOpenOptions, MdbError, PutFlags, RwTxn, WithoutTls};
use parking_lot::Mutex;

use super::checks::{Checks, Counts};
use super::pages::BaseState;
use super::snapshot::{Mapped, NO_ADDRESSES, Snapshot, refuses_addresses};
use super::succession::Succession;
use super::{Base, Batch, Patience, Raw, Space, Verified, full_key, raw};
use crate::change::Map;
use crate::key::Key;
use crate::position::Position;
use crate::record::Record;
use crate::shared::Shared;
use crate::{Direction, Error, Origin, Result};

/// The file of LMDB.
const DATA: &str = "data.mdb";
/// Size with which a page is read before its size is known.
const SMALLEST_PAGE: usize = 4096;
/// Records that [`Base::fill`] writes in one transaction.
const FILL_RECORDS: usize = 50_000;
/// The space of the base's own notes.
const NOTES: Space = Space(0);
const POSITION: &[u8] = b"position";
/// Before the number of a start of the engine.
const RUN: &[u8] = b"run ";

/// The disk has no room for the base.
const NO_ROOM: Error = Error::NoSpace("the base");
/// A base that cannot grow to that is of no use.
const FEWEST_ADDRESSES: usize = 1 << 30;
/// A file that is written to learn whether the disk is full: more than what LMDB writes in one call.
const PROBE: &str = "probe";
const PROBE_BYTES: usize = 1 << 20;

type Tree = Database<Bytes, Bytes>;

/// An LMDB file.
pub(crate) struct Lmdb {
    env: Env<WithoutTls>,
    tree: Tree,
    folder: PathBuf,
    snapshot: Shared<Arc<Snapshot>>,
    /// Held by the one who writes. A transaction that a crash has left without checks: it does not count.
    writing: Mutex<Option<BaseState>>,
}

/// Content of a base's folder.
enum Found {
    Nothing,
    /// The last transaction counts, or the one before it; then this is the last one.
    Base {
        checks: Box<Checks>,
        uncounted: Option<BaseState>,
    },
}

impl Lmdb {
    /// Opens the file in `folder`, which can grow to `bytes`, or to less where the system does not grant as many addresses
    /// (a limit of the process, or an instrument that it runs under).
    pub(crate) fn open(folder: &Path, bytes: usize) -> Result<Self> {
        let mut granted = bytes;
        loop {
            match Self::open_at(folder, granted) {
                Err(NO_ADDRESSES) if granted / 2 >= FEWEST_ADDRESSES => granted /= 2,
                opened => {
                    if opened.is_ok() && granted < bytes {
                        tracing::warn!(
                            target: "RM",
                            "the base can grow to {} MiB only: the system grants no more addresses (ulimit -v)",
                            granted >> 20
                        );
                    }
                    return opened;
                }
            }
        }
    }

    /// Opens the file for exactly so many bytes.
    fn open_at(folder: &Path, bytes: usize) -> Result<Self> {
        crate::disk::make_folder(folder).map_err(|e| Error::io("the base", &e))?;
        let found = look(folder)?;
        let mut options = EnvOpenOptions::new().read_txn_without_tls();
        options.map_size(bytes);
        let flags = match found {
            // LMDB goes on from the transaction before the last.
            Found::Base { uncounted: Some(_), .. } => EnvFlags::PREV_SNAPSHOT,
            _ => EnvFlags::empty(),
        };
        let env = raw::open(options, flags, folder).map_err(|error| match error {
            heed::Error::Io(error) if refuses_addresses(&error) => NO_ADDRESSES,
            error => lmdb_error(&error),
        })?;
        for name in [DATA, "lock.mdb"] {
            crate::disk::make_private(&folder.join(name)).map_err(|e| Error::io("the base", &e))?;
        }
        let mut txn = env.write_txn().map_err(|e| lmdb_error(&e))?;
        let tree = env.create_database(&mut txn, None).map_err(|e| lmdb_error(&e))?;
        drop(txn);
        let (checks, uncounted) = match found {
            Found::Base { checks, uncounted } => (*checks, uncounted),
            Found::Nothing => {
                let (state, _) = states(folder)?.ok_or_else(unreadable)?;
                Checks::write(folder, &state, &Counts::new(), &[0, 0])?;
                (Checks::open(folder)?.ok_or_else(unreadable)?, None)
            }
        };
        let mapped = Mapped::open(&folder.join(DATA), bytes, checks.state.page_bytes());
        if mapped.as_ref().is_err_and(|error| *error == NO_ADDRESSES) {
            env.prepare_for_closing().wait();
            return Err(NO_ADDRESSES);
        }
        let mapped = mapped?;
        let snapshot = Snapshot::new(Arc::new(mapped), checks, |_| 0);
        let starts_before = uncounted.is_some();
        let this = Self {
            env,
            tree,
            folder: folder.to_owned(),
            snapshot: Shared::new(Arc::new(snapshot)),
            writing: Mutex::new(uncounted),
        };
        if !starts_before {
            return Ok(this);
        }
        // LMDB begins its second transaction, too, where such a start began, and the first one would be lost. So this makes
        // the first one, which changes nothing, and starts again behind it.
        let position = this.position()?.to_bytes();
        this.change(prepare_note, |txn| this.note(txn, POSITION, &position))?;
        this.env.prepare_for_closing().wait();
        Self::open_at(folder, bytes)
    }

    /// Does something in a transaction of LMDB and lets it count. `prepare` looks at what LMDB will look at.
    fn change<T>(
        &self,
        prepare: impl FnOnce(&Snapshot) -> Result<()>,
        work: impl FnOnce(&mut RwTxn<'_>) -> heed::Result<T>,
    ) -> Result<T> {
        let mut uncounted = self.writing.lock();
        self.catch_up(&uncounted)?;
        prepare(&self.snapshot.read())?;
        let commit = || {
            let mut txn = self.env.write_txn()?;
            let done = work(&mut txn)?;
            txn.commit().map(|()| done)
        };
        let done = commit().map_err(|e| self.write_error(&e))?;
        // It has taken the place of that one, whose state may even be equal.
        *uncounted = None;
        self.catch_up(&uncounted)?;
        Ok(done)
    }

    /// Lets the last transaction of LMDB count, if it does not yet.
    fn catch_up(&self, uncounted: &Option<BaseState>) -> Result<()> {
        let before = Arc::clone(&self.snapshot.read());
        let (last, _) = states(&self.folder)?.ok_or_else(unreadable)?;
        if last == *before.state() || Some(last) == *uncounted {
            return Ok(());
        }
        let next = Succession::find(&before, &last)?;
        Checks::write(&self.folder, &last, &next.counts, &next.table)?;
        let checks = Checks::open(&self.folder)?.ok_or_else(unreadable)?;
        let mut fresh = vec![0_u64; next.table.len().div_ceil(64)];
        for page in &next.written {
            fresh[(page / 64) as usize] |= 1 << (page % 64);
        }
        // What was written was read again just now.
        let known = |word: usize| before.known(word) | fresh[word];
        let snapshot = Snapshot::new(before.file.clone(), checks, known);
        *self.snapshot.write() = Arc::new(snapshot);
        Ok(())
    }

    /// Meaning of a failed write. LMDB calls it a fault of the disk (EIO) when there is room for a part of the data
    /// only: the next attempt gives the true reason.
    fn write_error(&self, error: &heed::Error) -> Error {
        match lmdb_error(error) {
            Error::Io(_) if is_full(&self.folder) => NO_ROOM,
            error => error,
        }
    }

    fn write_batch(&self, txn: &mut RwTxn<'_>, batch: &Batch) -> heed::Result<()> {
        for space in &batch.cleared {
            let (from, to) = (full_key(*space, &[]), full_key(Space(space.0 + 1), &[]));
            self.tree.delete_range(txn, &(Included(from.as_slice()), Excluded(to.as_slice())))?;
        }
        for (space, map) in &batch.changes {
            self.write_map(txn, *space, map)?;
        }
        self.note(txn, POSITION, &batch.position.to_bytes())
    }

    /// Writes a note of the base's own.
    fn note(&self, txn: &mut RwTxn<'_>, key: &[u8], note: &[u8]) -> heed::Result<()> {
        self.tree.put(txn, &full_key(NOTES, key), Record::new(key, note).with_its_sum())
    }

    fn write_map(&self, txn: &mut RwTxn<'_>, space: Space, map: &Map) -> heed::Result<()> {
        for (key, record) in map {
            let key = full_key(space, key);
            match record {
                Some(record) => self.tree.put(txn, &key, record.with_its_sum())?,
                None => self.tree.delete(txn, &key).map(drop)?,
            }
        }
        Ok(())
    }

    /// Adds up to [`FILL_RECORDS`] records in one transaction.
    fn fill_some(
        &self,
        txn: &mut RwTxn<'_>,
        space: Space,
        records: &mut dyn Iterator<Item = (Vec<u8>, Vec<u8>)>,
    ) -> heed::Result<usize> {
        let mut count = 0;
        let last = self.tree.last(txn)?.map(|(key, _)| key.to_vec()).unwrap_or_default();
        // A new space is the last of the tree, unless another load has begun a later one.
        let flags =
            if *last < *full_key(Space(space.0 + 1), &[]) { PutFlags::APPEND } else { PutFlags::empty() };
        for (key, record) in records.take(FILL_RECORDS) {
            let record = Record::new(&key, &record);
            self.tree.put_with_flags(txn, flags, &full_key(space, &key), record.with_its_sum())?;
            count += 1;
        }
        Ok(count)
    }
}

impl Base for Lmdb {
    fn get(&self, space: Space, key: &[u8], record: &mut Vec<u8>, patience: Patience) -> Result<bool> {
        record.clear();
        self.snapshot.read().reader(patience).get(space, key, record)
    }

    fn scan(
        &self,
        space: Space,
        origin: Origin<'_>,
        direction: Direction,
        patience: Patience,
        visit: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Result<()> {
        self.snapshot.read().reader(patience).scan(space, origin, direction, visit)
    }

    fn write(&self, batch: &Batch) -> Result<()> {
        self.change(|snapshot| snapshot.prepare(batch), |txn| self.write_batch(txn, batch))
    }

    fn fill(&self, space: Space, records: &mut dyn Iterator<Item = (Vec<u8>, Vec<u8>)>) -> Result<u64> {
        let mut total = 0;
        loop {
            let count = self
                .change(|snapshot| snapshot.prepare_fill(space), |txn| self.fill_some(txn, space, records))?;
            total += count as u64;
            if count < FILL_RECORDS {
                return Ok(total);
            }
        }
    }

    fn position(&self) -> Result<Position> {
        let mut bytes = Vec::new();
        match self.get(NOTES, POSITION, &mut bytes, Patience::Waits)? {
            false => Ok(Position::default()),
            true => Position::from_bytes(&bytes).ok_or_else(|| Error::damaged("the base's log position")),
        }
    }

    fn spaces(&self) -> Result<Vec<Space>> {
        Ok(self.snapshot.read().checks.counts.keys().copied().filter(|space| *space != NOTES).collect())
    }

    fn runs(&self) -> Result<Vec<Vec<u8>>> {
        let mut runs = Vec::new();
        self.scan(NOTES, Origin::At(RUN), Direction::Forward, Patience::Waits, &mut |key, note| {
            let is_run = key.starts_with(RUN);
            if is_run {
                runs.push(note.to_vec());
            }
            is_run
        })?;
        Ok(runs)
    }

    fn note_runs(&self, notes: &[(u32, Vec<u8>)]) -> Result<()> {
        let noted = |(number, note): &(u32, Vec<u8>)| {
            let key = Key::from_slice(&[RUN, &number.to_be_bytes()].concat());
            let note = Record::new(&key, note);
            (key, Some(note))
        };
        let map: Map = notes.iter().map(noted).collect();
        let changes = vec![(NOTES, Arc::new(map))];
        self.write(&Batch { cleared: Vec::new(), changes, position: self.position()? })
    }

    fn verify(&self, space: Space) -> Result<Verified> {
        self.pinned(|snapshot| Ok(snapshot.verify(space)))
    }

    fn each(&self, begun: &mut dyn FnMut(), visit: Raw<'_>) -> Result<()> {
        self.pinned(|snapshot| {
            begun();
            snapshot.each(visit)
        })
    }

    fn put_raw(&self, entries: &[(&[u8], &[u8])]) -> Result<()> {
        let put =
            |txn: &mut RwTxn<'_>| entries.iter().try_for_each(|(key, bytes)| self.tree.put(txn, key, bytes));
        self.change(|snapshot| snapshot.prepare_fill(Space(u32::MAX - 1)), put)
    }
}

impl Lmdb {
    /// Reads the present snapshot for as long as it takes, while others write.
    fn pinned<T>(&self, read: impl FnOnce(&Snapshot) -> Result<T>) -> Result<T> {
        let (_kept, snapshot) = {
            let _no_change = self.writing.lock();
            let kept = self.env.read_txn().map_err(|e| lmdb_error(&e))?;
            (kept, Arc::clone(&self.snapshot.read()))
        };
        read(&snapshot)
    }
}

/// Compares all pages that a note of the base's own can touch.
fn prepare_note(snapshot: &Snapshot) -> Result<()> {
    snapshot.prepare_free()?;
    snapshot.state().main().map_or(Ok(()), |root| snapshot.prepare_notes(root))
}

/// Looks at what is in the folder of a base before anything maps it.
fn look(folder: &Path) -> Result<Found> {
    let checks = Checks::open(folder)?;
    let (Some(checks), states) = (checks, states(folder)?) else {
        // What a crash in its very beginning has left has no pages but the first two.
        let length = std::fs::metadata(folder.join(DATA)).map_or(0, |file| file.len());
        if length > 2 * (1 << 16) {
            return Err(Error::damaged("base/checks is missing"));
        }
        let _ = std::fs::remove_file(folder.join(DATA));
        return Ok(Found::Nothing);
    };
    let (last, former) = states.ok_or_else(unreadable)?;
    let uncounted = if checks.state == last {
        None
    } else if checks.state == former && last.transaction() == former.transaction() + 1 {
        Some(last)
    } else {
        return Err(Error::damaged("base/data.mdb and base/checks do not belong together"));
    };
    let used = (0..checks.pages() as u64).rev().find(|page| checks.of(*page) != 0).map_or(2, |page| page + 1);
    let length = std::fs::metadata(folder.join(DATA)).map_err(|e| Error::io("the base", &e))?.len();
    let needed = used * checks.state.page_bytes() as u64;
    if length < needed {
        return Err(Error::damaged(&format!("base/data.mdb has {length} of {needed} bytes")));
    }
    Ok(Found::Base { checks: Box::new(checks), uncounted })
}

/// The states that the last two transactions have left, the last one first; nothing if there is no file, or no such state
/// in it.
fn states(folder: &Path) -> Result<Option<(BaseState, BaseState)>> {
    use std::os::unix::fs::FileExt;
    let file = match std::fs::File::open(folder.join(DATA)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file.map_err(|e| Error::io("the base", &e))?,
    };
    let state = |offset: usize| {
        let mut page = [0; SMALLEST_PAGE];
        file.read_exact_at(&mut page, offset as u64).ok()?;
        BaseState::read(&page)
    };
    let both = || {
        let first = state(0)?;
        let second = state(first.page_bytes())?;
        let in_order = first.transaction() > second.transaction();
        Some(if in_order { (first, second) } else { (second, first) })
    };
    Ok(both())
}

fn unreadable() -> Error {
    Error::damaged("the beginning of base/data.mdb is not what was written")
}

/// Returns true if the disk has no room for a small file.
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

    /// A crash leaves a transaction that does not count; the next start goes on from the one before it.
    #[test]
    fn what_is_written_after_a_start_that_follows_a_crash_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = || Lmdb::open(folder.path(), PROBE_BYTES).expect("it opens");
        let write = |base: &Lmdb, key: &[u8]| {
            let map = Map::from([(Key::from_slice(key), Some(Record::new(key, b"a record")))]);
            let changes = vec![(Space(1), Arc::new(map))];
            base.write(&Batch { cleared: vec![], changes, position: Position::default() }).expect("written");
        };
        let checks = folder.path().join("checks");
        let base = open();
        write(&base, b"1");
        let before = std::fs::read(&checks).expect("the checks");
        write(&base, b"lost in the crash");
        drop(base);
        std::fs::write(&checks, before).expect("the checks of the transaction before");
        let base = open();
        write(&base, b"2");
        write(&base, b"3");
        drop(base);
        let (base, mut keys) = (open(), Vec::new());
        let mut show = |key: &[u8], _: &[u8]| {
            keys.push(key.to_vec());
            true
        };
        base.scan(Space(1), Origin::Start, Direction::Forward, Patience::Waits, &mut show).expect("read");
        assert_eq!(keys, [b"1", b"2", b"3"]);
    }

    /// LMDB says EIO where the disk took a part of a write, and also where the disk is broken.
    #[test]
    fn a_disk_that_is_full_is_told_from_one_that_fails() {
        const EIO: i32 = 5;
        let error = || heed::Error::Io(std::io::Error::from_raw_os_error(EIO));
        let folder = tempfile::tempdir().expect("a folder");
        let base = Lmdb::open(folder.path(), PROBE_BYTES).expect("it opens");
        assert!(matches!(base.write_error(&error()), Error::Io(_)));
        // A write there finds no room.
        std::os::unix::fs::symlink("/dev/full", folder.path().join(PROBE)).expect("a link");
        assert_eq!(base.write_error(&error()), NO_ROOM);
    }
}
