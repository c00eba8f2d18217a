//! Records that are written behind the tasks' backs: of monitoring and of statistics.
//!
//! A task appends its record to a block in memory; a thread of its own writes full blocks, and after a while also those
//! that are not. Blocks that cannot wait any longer are given up and their records counted: no task ever waits here.
//!
//! ```text
//! lane 0 ──┐
//! lane 1 ──┼──► blocks (at most BLOCKS_MAX) ──► thread ──► STEM-000001.rec, STEM-000002.rec, …
//! lane 2 ──┘
//! ```
//!
//! A lane belongs to one TCB, so that tasks do not meet at its lock. A file that is full is followed by the next; the
//! oldest are removed. There is no file before there is a record.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use instruments::format::{Layout, lost};
use parking_lot::Mutex;
use sealed::File;
use tokio::sync::oneshot;

use crate::limits::{
    RECORD_FILE_BYTES_MAX, RECORD_FILES_MAX, RECORDER_BLOCK_BYTES, RECORDER_BLOCKS_MAX, RECORDER_FLUSH_EVERY,
};
use crate::private;

/// Records in memory, on their way to a file.
#[derive(Default)]
struct Block {
    bytes: Vec<u8>,
    records: u64,
}

/// Work of its thread.
enum Work {
    /// Write a block.
    Block(Block),
    /// Write all that was taken, and say so.
    Flush(SyncSender<()>),
    /// Write all that was taken, for tasks that wait for it.
    Look,
}

/// Counts of a recorder since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Records that were taken.
    pub records: u64,
    /// Blocks that were written.
    pub blocks: u64,
    /// Bytes that were written.
    pub bytes: u64,
    /// Records that were given up: they came faster than they could be written, or the disk refused them.
    pub lost: u64,
}

#[derive(Default)]
struct Counts {
    records: AtomicU64,
    blocks: AtomicU64,
    bytes: AtomicU64,
    lost: AtomicU64,
}

/// Takes records and has them written.
pub struct Recorder {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct Shared {
    lanes: Vec<Mutex<Block>>,
    work: Mutex<Option<SyncSender<Work>>>,
    /// Tasks that wait until all is written that was taken before.
    waiting: Mutex<Vec<oneshot::Sender<()>>>,
    counts: Counts,
}

impl Recorder {
    /// A recorder of so many lanes, whose files are `folder/stem-NNNNNN.rec`.
    ///
    /// # Errors
    /// The operating system's, if there can be no thread.
    pub fn start(folder: PathBuf, stem: &'static str, layout: &Layout, lanes: usize) -> io::Result<Self> {
        let (sender, receiver) = sync_channel(RECORDER_BLOCKS_MAX);
        let shared = Arc::new(Shared {
            lanes: (0..lanes.max(1)).map(|_| Mutex::default()).collect(),
            work: Mutex::new(Some(sender)),
            waiting: Mutex::default(),
            counts: Counts::default(),
        });
        let files = Files { folder, stem, header: layout.header(), current: None };
        let writing = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name(format!("{stem}-rec"))
            .spawn(move || writing.write(&receiver, files))?;
        Ok(Self { shared, thread: Mutex::new(Some(thread)) })
    }

    /// Appends a record: `encode` adds its bytes, and says whether it did.
    pub fn append(&self, lane: usize, encode: impl FnOnce(&mut Vec<u8>) -> bool) {
        let full = {
            let mut block = self.shared.lanes[lane % self.shared.lanes.len()].lock();
            if block.bytes.capacity() == 0 {
                block.bytes.reserve(RECORDER_BLOCK_BYTES);
            }
            if !encode(&mut block.bytes) {
                self.shared.counts.lost.fetch_add(1, Ordering::Relaxed);
                return;
            }
            block.records += 1;
            // Records are short beside a block: the last one may stand over.
            (block.bytes.len() >= RECORDER_BLOCK_BYTES).then(|| std::mem::take(&mut *block))
        };
        self.shared.counts.records.fetch_add(1, Ordering::Relaxed);
        if let Some(block) = full {
            self.shared.hand_over(block);
        }
    }

    /// Writes all that was taken, and waits for it.
    pub fn flush(&self) {
        let (done, written) = sync_channel(1);
        let asked = self.shared.work.lock().as_ref().is_some_and(|work| work.send(Work::Flush(done)).is_ok());
        if asked {
            // A thread that has ended has written everything.
            let _ = written.recv();
        }
    }

    /// Waits until all is written that was taken; true if none of it was given up meanwhile. A task may be purged here: what is not
    /// waited for any more is written all the same.
    pub async fn written(&self) -> bool {
        let lost = self.shared.counts.lost.load(Ordering::Relaxed);
        let (done, written) = oneshot::channel();
        self.shared.waiting.lock().push(done);
        // A thread that is behind looks by itself when it is not; one that has ended has written everything.
        match self.shared.work.lock().as_ref() {
            Some(work) => drop(work.try_send(Work::Look)),
            None => self.shared.waiting.lock().clear(),
        }
        // No thread is left to say it if this one ends now.
        let _ = written.await;
        self.shared.counts.lost.load(Ordering::Relaxed) == lost
    }

    /// Counts so far.
    pub fn recorded(&self) -> Recorded {
        let counts = &self.shared.counts;
        Recorded {
            records: counts.records.load(Ordering::Relaxed),
            blocks: counts.blocks.load(Ordering::Relaxed),
            bytes: counts.bytes.load(Ordering::Relaxed),
            lost: counts.lost.load(Ordering::Relaxed),
        }
    }

    /// Writes all that was taken, and ends the thread. Nothing is taken afterwards.
    pub fn stop(&self) {
        drop(self.shared.work.lock().take());
        if let Some(thread) = self.thread.lock().take()
            && thread.join().is_err()
        {
            tracing::error!(target: "MN", "the thread that writes records ended with a panic");
        }
    }
}

impl Shared {
    fn hand_over(&self, block: Block) {
        let work = self.work.lock();
        let records = block.records;
        if work.as_ref().is_none_or(|work| work.try_send(Work::Block(block)).is_err()) {
            self.counts.lost.fetch_add(records, Ordering::Relaxed);
        }
    }

    /// The thread: until no sender of blocks is left.
    fn write(&self, work: &Receiver<Work>, mut files: Files) {
        let mut told = 0;
        loop {
            let asked = match work.recv_timeout(RECORDER_FLUSH_EVERY) {
                Ok(Work::Block(block)) => {
                    self.write_block(&block, &mut files, &mut told);
                    continue;
                }
                Ok(Work::Flush(done)) => Some(done),
                Ok(Work::Look) | Err(_) => None,
            };
            let waiting = std::mem::take(&mut *self.waiting.lock());
            for lane in &self.lanes {
                let block = std::mem::take(&mut *lane.lock());
                self.write_block(&block, &mut files, &mut told);
            }
            // Those who asked may have gone away.
            for done in waiting {
                let _ = done.send(());
            }
            if let Some(done) = asked {
                let _ = done.send(());
            } else if self.work.lock().is_none() {
                self.waiting.lock().clear();
                return;
            }
        }
    }

    /// Writes a block, after how many records are missing before it.
    fn write_block(&self, block: &Block, files: &mut Files, told: &mut u64) {
        if block.records == 0 {
            return;
        }
        let missing = self.counts.lost.load(Ordering::Relaxed);
        let mut before = Vec::new();
        if missing > *told {
            lost(&mut before, missing - *told);
        }
        match files.write(&before).and_then(|()| files.write(&block.bytes)) {
            Ok(()) => {
                *told = missing;
                self.counts.blocks.fetch_add(1, Ordering::Relaxed);
                self.counts.bytes.fetch_add(block.bytes.len() as u64, Ordering::Relaxed);
            }
            Err(error) => {
                tracing::error!(target: "MN", "{} records in {}: {error}", block.records, files.folder.display());
                self.counts.lost.fetch_add(block.records, Ordering::Relaxed);
                files.current = None;
            }
        }
    }
}

/// The files of a recorder.
struct Files {
    folder: PathBuf,
    stem: &'static str,
    header: Vec<u8>,
    current: Option<(File, u64)>,
}

impl Files {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        if self.current.as_ref().is_none_or(|(_, length)| *length >= RECORD_FILE_BYTES_MAX) {
            self.current = Some(self.next()?);
        }
        if let Some((file, length)) = &mut self.current {
            file.write_all(bytes)?;
            *length += bytes.len() as u64;
        }
        Ok(())
    }

    /// Begins the next file, and removes those that are too many.
    fn next(&self) -> io::Result<(File, u64)> {
        private::folder(&self.folder)?;
        let mut numbers = self.numbers()?;
        let number = numbers.last().map_or(1, |last| last + 1);
        numbers.push(number);
        for old in &numbers[..numbers.len().saturating_sub(RECORD_FILES_MAX)] {
            fs::remove_file(self.path(*old))?;
        }
        let mut file = File::create(&self.path(number))?;
        file.write_all(&self.header)?;
        Ok((file, self.header.len() as u64))
    }

    fn path(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{}-{number:06}.rec", self.stem))
    }

    /// The numbers of the files that are there, in order.
    fn numbers(&self) -> io::Result<Vec<u64>> {
        let mut numbers = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name();
            let number: Option<u64> = name.to_str().and_then(|name| {
                name.strip_prefix(self.stem)?.strip_prefix('-')?.strip_suffix(".rec")?.parse().ok()
            });
            numbers.extend(number);
        }
        numbers.sort_unstable();
        Ok(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorder(folder: &std::path::Path) -> Recorder {
        Recorder::start(folder.to_owned(), "test", &Layout::default(), 1).expect("a thread")
    }

    fn take(recorder: &Recorder) {
        recorder.append(0, |bytes| {
            bytes.extend_from_slice(b"a record");
            true
        });
    }

    fn has_record(folder: &std::path::Path) -> bool {
        let file = fs::read(folder.join("test-000001.rec")).unwrap_or_default();
        file.ends_with(b"a record")
    }

    #[tokio::test]
    async fn who_waits_for_records_finds_them_in_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let recorder = recorder(folder.path());
        take(&recorder);
        assert!(recorder.written().await);
        assert!(has_record(folder.path()));
        recorder.stop();
        assert!(recorder.written().await, "nothing is under way any more");
    }

    #[tokio::test]
    async fn records_that_the_disk_refuses_are_not_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("is a file");
        fs::write(&file, "").expect("written");
        let recorder = recorder(&file);
        take(&recorder);
        assert!(!recorder.written().await);
    }
}
