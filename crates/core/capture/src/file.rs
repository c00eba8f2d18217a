//! A file of events: a line for each, appended.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kernel::private;
use parking_lot::Mutex;
use sealed::File;

use crate::{FILE_BYTES_MAX, WAITING_BYTES_MAX};

/// A file of events. It is there from its first event on.
pub(crate) struct EventFile {
    path: PathBuf,
    bytes_max: u64,
    /// Bytes of events whose units of work have not ended.
    waiting: AtomicUsize,
    state: Mutex<State>,
}

/// An event whose unit of work has not ended. Dropping it discards the event.
pub(crate) struct Waiting {
    file: Arc<EventFile>,
    event: String,
}

impl Waiting {
    /// Its unit of work has committed.
    pub(crate) fn emit(self) {
        self.file.emit(&self.event);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.file.waiting.fetch_sub(self.event.len(), Ordering::Relaxed);
    }
}

#[derive(Default)]
struct State {
    open: Option<(File, u64)>,
    /// Events that could not be written since one could.
    lost: u64,
}

impl EventFile {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, bytes_max: FILE_BYTES_MAX, waiting: AtomicUsize::new(0), state: Mutex::default() }
    }

    /// Keeps an event for the end of its unit of work; `None` if too many wait: the event is lost, like one that cannot
    /// be written.
    pub(crate) fn keep(this: &Arc<Self>, event: String) -> Option<Waiting> {
        let after = this.waiting.fetch_add(event.len(), Ordering::Relaxed) + event.len();
        let waiting = Waiting { file: Arc::clone(this), event };
        if after <= WAITING_BYTES_MAX {
            return Some(waiting);
        }
        let why = io::Error::other(format!(
            "events of units of work that have not ended take more than {WAITING_BYTES_MAX} bytes; SYNCPOINT writes them"
        ));
        this.loses(&mut this.state.lock(), &why);
        None
    }

    /// Writes an event. Events that cannot be written are counted, and reported once until one can be written.
    pub(crate) fn emit(&self, event: &str) {
        let mut state = self.state.lock();
        match self.append(&mut state.open, event) {
            Ok(()) if state.lost > 0 => {
                let lost = std::mem::take(&mut state.lost);
                tracing::warn!(target: "EC", "events go to {} again; {lost} are lost", self.path.display());
            }
            Ok(()) => {}
            Err(error) => {
                state.open = None;
                self.loses(&mut state, &error);
            }
        }
    }

    fn loses(&self, state: &mut State, why: &io::Error) {
        state.lost += 1;
        if state.lost == 1 {
            tracing::error!(target: "EC", "an event is lost: {}: {why}", self.path.display());
        }
    }

    fn append(&self, open: &mut Option<(File, u64)>, event: &str) -> io::Result<()> {
        if open.as_ref().is_some_and(|(_, length)| *length >= self.bytes_max) {
            *open = None;
            fs::rename(&self.path, former(&self.path))?;
        }
        if open.is_none() {
            if let Some(folder) = self.path.parent() {
                private::folder(folder)?;
            }
            let file = File::append(&self.path)?;
            let length = file.length()?;
            *open = Some((file, length));
        }
        if let Some((file, length)) = open {
            // One write for a line: a kill leaves whole lines.
            let line = format!("{event}\n");
            file.write_all(line.as_bytes())?;
            *length += line.len() as u64;
        }
        Ok(())
    }
}

/// The path that a full file moves to; it replaces the former file there.
fn former(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".1");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &Path) -> String {
        fs::read_to_string(path).unwrap_or_default()
    }

    #[test]
    fn a_full_file_is_followed_by_the_next() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("events/orders.jsonl");
        let file = EventFile { bytes_max: 4, ..EventFile::new(path.clone()) };
        for event in ["1", "2", "3"] {
            file.emit(event);
        }
        assert_eq!((read(&former(&path)).as_str(), read(&path).as_str()), ("1\n2\n", "3\n"));
        let again = EventFile { bytes_max: 4, ..EventFile::new(path.clone()) };
        again.emit("4");
        assert_eq!(read(&path), "3\n4\n", "another run goes on");
    }

    #[test]
    fn events_that_wait_for_their_units_of_work_have_a_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("orders.jsonl");
        let file = Arc::new(EventFile::new(path.clone()));
        let keep = |length| EventFile::keep(&file, "x".repeat(length));
        let (first, second) = (keep(WAITING_BYTES_MAX - 1), keep(1));
        assert!(first.is_some() && second.is_some() && keep(1).is_none());
        assert_eq!(file.state.lock().lost, 1);
        drop(first);
        second.into_iter().for_each(Waiting::emit);
        assert_eq!((file.waiting.load(Ordering::Relaxed), read(&path).as_str()), (0, "x\n"));
    }

    #[test]
    fn an_event_that_cannot_be_written_is_lost_and_others_go_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("orders.jsonl");
        fs::create_dir(&path).expect("an obstacle");
        let file = EventFile::new(path.clone());
        file.emit("1");
        assert_eq!(file.state.lock().lost, 1);
        fs::remove_dir(&path).expect("removed");
        file.emit("2");
        assert_eq!((file.state.lock().lost, read(&path).as_str()), (0, "2\n"));
    }
}
