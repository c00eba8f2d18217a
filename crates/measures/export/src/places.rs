//! The files of records: where they are, and the key of those that are encrypted.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use config::{REGION_FILE, RegionConfig, Setting};
use diagnostics::{Diagnostic, Source, any_error};

use crate::{Arguments, Messages};

/// The folder of the state with files of records.
const RECORD_FOLDER: &str = "instruments";
/// The beginnings of the names of files that are exported.
const STEMS: [&str; 2] = ["performance-", "statistics-"];
/// The end of their names.
const EXTENSION: &str = "rec";

/// An error that has no code of its own: its text says all.
pub(crate) fn error(text: String) -> Diagnostic {
    Diagnostic::error(UNREADABLE, text)
}

/// The code of a message about a file that cannot be read or written: the same as `syncpoint report` gives it.
pub(crate) const UNREADABLE: &str = "SPCL003";
/// The code of the message that there are no records.
const NO_RECORDS: &str = "SPCL023";

/// Returns the files of records in the order in which they were written: statistics after monitoring.
pub(crate) fn files(arguments: &Arguments) -> Result<Vec<PathBuf>, Messages> {
    if !arguments.files.is_empty() {
        return Ok(arguments.files.clone());
    }
    let config = read_region(&arguments.folder)?;
    let state = arguments.data.clone().unwrap_or_else(|| arguments.folder.join(&config.state));
    let folder = state.join(RECORD_FOLDER);
    let mut files = Vec::new();
    for stem in STEMS {
        let mut of_stem = named(&folder, stem);
        of_stem.sort();
        files.extend(of_stem);
    }
    if files.is_empty() {
        let message = Diagnostic::error(NO_RECORDS, format!("{} has no records", folder.display()));
        return Err(vec![
            message.help("MN = \"ON\" and MNPER = \"ON\" under [sit] record tasks; docs/monitoring.md"),
        ]);
    }
    Ok(files)
}

fn named(folder: &Path, stem: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_one = |path: &PathBuf| {
        path.extension().and_then(OsStr::to_str) == Some(EXTENSION)
            && path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.starts_with(stem))
    };
    entries.map(|entry| entry.path()).filter(is_one).collect()
}

/// The plain bytes of a file of records.
pub(crate) fn read(file: &Path) -> std::io::Result<Vec<u8>> {
    unseal::read(file, read_region)
}

/// Reads the region.toml of a folder.
fn read_region(folder: &Path) -> Result<RegionConfig, Messages> {
    let path = folder.join(REGION_FILE);
    let text = fs::read_to_string(&path)
        .map_err(|why| vec![error(format!("{} cannot be read: {why}", path.display()))])?;
    let variables = std::env::vars_os()
        .filter_map(|(name, value)| Setting::variable(&name.into_string().ok()?, &value.to_string_lossy()));
    let settings: Vec<_> = variables.collect();
    let (config, messages) = config::region_with(&Source::new(REGION_FILE, text), &settings);
    if any_error(&messages) { Err(messages) } else { Ok(config) }
}
