//! The recorded behaviour of GnuCOBOL's programs in a test, from the time when GnuCOBOL compiled programs here:
//! `tests/hosted/NAME.gz`.
//!
//! `tests/hosted/pages.tsv` has a digest of the sources of each test's programs at that time: a test whose sources have
//! changed since is not compared.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use debugger::recording::Recording;
use flate2::read::GzDecoder;

use crate::document::Document;

/// Kinds of blocks that say what programs do.
const OF_PROGRAMS: [&str; 10] =
    ["bms", "client", "cobol", "copybook", "csd", "data", "file", "idcams", "keys", "toml"];

/// The frozen recording of a test.
#[derive(Debug)]
pub struct Frozen {
    path: PathBuf,
    /// Its programs are those that were recorded.
    pub is_current: bool,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/hosted")
}

/// The table of digests.
pub fn table() -> PathBuf {
    folder().join("pages.tsv")
}

/// A digest of what a test's programs are made of.
pub fn digest(document: &Document) -> String {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let blocks = document.blocks.iter().filter(|block| OF_PROGRAMS.contains(&block.kind.as_str()));
    let texts = blocks.flat_map(|block| [&block.kind].into_iter().chain(&block.words).chain(&block.text));
    let bytes = texts.flat_map(|text| text.bytes().chain([b'\n']));
    format!("{:016x}", bytes.fold(OFFSET, |digest, byte| (digest ^ u64::from(byte)).wrapping_mul(PRIME)))
}

impl Frozen {
    /// Returns the frozen recording of a test; `None` if there is none.
    pub fn of(name: &str, document: &Document) -> Option<Self> {
        let path = folder().join(name).with_extension("gz");
        let table = fs::read_to_string(table()).unwrap_or_default();
        let known = table.lines().find_map(|line| line.split_once('\t').filter(|(own, _)| *own == name));
        let is_current = known.is_some_and(|(_, own)| own == digest(document));
        path.is_file().then_some(Self { path, is_current })
    }

    /// The recording. `folder`: where it is unpacked.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn recording(&self, folder: &Path) -> Result<Recording, String> {
        let unpacked = folder.join("frozen");
        let read = || {
            fs::create_dir_all(folder)?;
            io::copy(&mut GzDecoder::new(File::open(&self.path)?), &mut File::create(&unpacked)?)
        };
        read().map_err(|error| format!("{}: {error}", self.path.display()))?;
        Recording::read(&unpacked).map_err(|error| error.to_string())
    }
}
