//! A backup of all records, and another key for them, while regions work: asked for by one who looks.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use link::Asked;
use records::{Archive, EncryptionKey, Engine, Error, Result};

use super::session::{Session, done, failed};
use super::utility::blocking;
use crate::limits::KEY_FILE_MAX;
use crate::protocol::{Reply, to_bytes};

/// A backup holds what the records hold: it is its owner's alone.
const PRIVATE: u32 = 0o600;

impl Session {
    /// Copies all that was committed before into a file, which is there when it is whole. The reply is the number of records.
    pub(super) fn backup(&self, asked: Asked, file: &str) {
        let (engine, file) = (self.inner.engine.clone(), file.to_owned());
        blocking(asked, move || match backup(&*engine, Path::new(&file)) {
            Ok(count) => {
                tracing::info!(target: "RS", "a backup was made: {file}");
                to_bytes(&Reply::Number(count))
            }
            Err(error) => failed(&error),
        });
    }

    /// The records are encrypted with the key in a file from now on.
    pub(super) fn rotate(&self, asked: Asked, file: &str) {
        let (engine, file) = (self.inner.engine.clone(), file.to_owned());
        blocking(asked, move || {
            let rotated = key(Path::new(&file)).and_then(|key| engine.rotate(&key));
            if rotated.is_ok() {
                tracing::info!(target: "RS", "the records have the key of {file} from now on");
            }
            done(rotated)
        });
    }
}

fn unusable(path: &Path) -> impl Fn(io::Error) -> Error {
    let path = path.display().to_string();
    move |error| Error::Io(format!("{path}: {error}"))
}

fn backup(engine: &dyn Engine, path: &Path) -> Result<u64> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".part");
    let unfinished = Path::new(&unfinished);
    let written = write(engine, unfinished)
        .and_then(|count| fs::rename(unfinished, path).map(|()| count).map_err(unusable(path)));
    if written.is_err() {
        let _ = fs::remove_file(unfinished);
    }
    written
}

fn write(engine: &dyn Engine, path: &Path) -> Result<u64> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(PRIVATE).open(path);
    let file = file.map_err(unusable(path))?;
    let mut out = BufWriter::new(&file);
    let mut archive = Archive::begin(&mut out)?;
    archive.add_server_mark()?;
    // Then there is less of the log to copy.
    engine.checkpoint()?;
    let mut records = 0;
    engine.backup(&mut archive, &mut || (), &mut |count| records = count)?;
    archive.end()?;
    drop(out);
    file.sync_all().map_err(unusable(path))?;
    Ok(records)
}

fn key(path: &Path) -> Result<EncryptionKey> {
    let mut text = String::new();
    let file = File::open(path).map_err(unusable(path))?;
    let is_plain = file.metadata().map_err(unusable(path))?.is_file();
    if is_plain {
        file.take(KEY_FILE_MAX).read_to_string(&mut text).map_err(unusable(path))?;
    }
    let none = || Error::Io(format!("{} holds no key: 64 hexadecimal digits", path.display()));
    EncryptionKey::from_hex(text.trim_end()).ok_or_else(none)
}
