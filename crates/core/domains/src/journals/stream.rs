//! A log stream: a file to which records are appended.

use std::io::{self, Write};
use std::path::PathBuf;

use parking_lot::Mutex;
use sealed::File;

use kernel::private;

/// A file that several journals may share. It is opened by its first record, and closed by [`Stream::close`].
pub(super) struct Stream {
    /// Its path.
    pub path: PathBuf,
    /// Bytes that it may have.
    bytes_max: u64,
    state: Mutex<State>,
    /// Held by the one who forces: who comes meanwhile is served by the next force.
    forcing: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct State {
    file: Option<File>,
    bytes: u64,
    /// The number of records that were appended, and of those that are on the disk.
    appended: u32,
    forced: u32,
    /// Times that the disk was waited for.
    forces: u64,
}

impl Stream {
    /// The stream of a file that may have so many bytes.
    pub fn new(path: PathBuf, bytes_max: u64) -> Self {
        Self { path, bytes_max, state: Mutex::default(), forcing: tokio::sync::Mutex::default() }
    }

    /// Appends a record: its number among those of this run.
    pub fn append(&self, record: &[u8]) -> io::Result<u32> {
        let mut state = self.state.lock();
        if state.file.is_none() {
            self.open(&mut state)?;
        }
        let State { file: Some(file), bytes, appended, .. } = &mut *state else {
            return Err(io::ErrorKind::NotConnected.into());
        };
        if *bytes + record.len() as u64 > self.bytes_max {
            return Err(io::Error::new(
                io::ErrorKind::QuotaExceeded,
                format!("it has grown to its limit of {} bytes: move the file away", self.bytes_max),
            ));
        }
        if let Err(error) = file.write_all(record) {
            // Half a record is useless; if this fails too, a reader skips it.
            let _ = file.truncate(*bytes);
            return Err(error);
        }
        *bytes += record.len() as u64;
        *appended += 1;
        Ok(*appended)
    }

    fn open(&self, state: &mut State) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            private::folder(folder)?;
        }
        let file = File::append(&self.path)?;
        state.bytes = file.length()?;
        state.file = Some(file);
        Ok(())
    }

    /// Opens the file, unless it is open.
    pub fn connect(&self) -> io::Result<()> {
        let mut state = self.state.lock();
        if state.file.is_some() { Ok(()) } else { self.open(&mut state) }
    }

    /// Returns true if the file is open.
    pub fn is_connected(&self) -> bool {
        self.state.lock().file.is_some()
    }

    /// Returns true if anything was appended in this run.
    pub fn is_written(&self) -> bool {
        self.state.lock().appended > 0
    }

    /// Waits until a record is on the disk, and all before it.
    pub async fn force(&self, number: u32) -> io::Result<()> {
        if self.state.lock().forced >= number {
            return Ok(());
        }
        let _forcing = self.forcing.lock().await;
        let (file, appended) = {
            let state = self.state.lock();
            match &state.file {
                Some(file) if state.forced < number => (file.disk().try_clone()?, state.appended),
                _ => return Ok(()),
            }
        };
        let forced = tokio::task::spawn_blocking(move || file.sync_data()).await;
        forced.map_err(io::Error::other)??;
        let mut state = self.state.lock();
        state.forced = appended;
        state.forces += 1;
        Ok(())
    }

    /// Returns the number of records that were appended.
    pub fn appended(&self) -> u32 {
        self.state.lock().appended
    }

    /// Times that the disk was waited for.
    pub fn forces(&self) -> u64 {
        self.state.lock().forces
    }

    /// Closes the file, forced; the next record opens it again.
    pub fn close(&self) -> io::Result<()> {
        let mut state = self.state.lock();
        state.forced = state.appended;
        state.file.take().map_or(Ok(()), |file| file.sync_data())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_at_its_limit_takes_no_more_until_its_file_is_moved_away() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.journal");
        let stream = Stream::new(path.clone(), 8);
        assert_eq!(stream.append(b"12345").ok(), Some(1));
        assert_eq!(stream.append(b"6789").map_err(|error| error.kind()), Err(io::ErrorKind::QuotaExceeded));
        assert_eq!(stream.append(b"678").ok(), Some(2));
        std::fs::rename(&path, folder.path().join("kept")).expect("moved");
        stream.close().expect("closed");
        assert_eq!(stream.append(b"9").ok(), Some(3));
        assert_eq!(std::fs::read(path).expect("a file"), b"9");
    }
}
