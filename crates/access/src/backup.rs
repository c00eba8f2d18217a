//! A backup of a region's state: its data sets with their log, its sequential data sets and its journals.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use datasets::DataSets;
use records::Archive;
use sealed::{KEYRING, KEYRING_TWIN};

use crate::data_set::Answered;
use crate::protocol::Failure;
use crate::session::Progress;

/// Folders of the state that a backup holds besides the data sets.
const FOLDERS: [&str; 2] = ["sequential", "journals"];
/// The prefix of the names of folders of private PostgreSQL servers.
const SERVER: &str = "postgresql";
/// The name of a file that stands for the folder which it is in: PostgreSQL wants its folders, empty ones, too.
pub const FOLDER: &str = ".folder";
/// It holds what the data sets hold: its owner's alone.
const PRIVATE: u32 = 0o600;

/// Writes a backup of the state to a file, which is there when it is whole. `tables`: with those of private PostgreSQL servers,
/// none of which runs.
pub(crate) fn write(
    site: &DataSets,
    state: &Path,
    file: &Path,
    tables: bool,
    progress: Progress<'_>,
) -> Answered<()> {
    let unfinished = file.with_extension("part");
    let written = write_all(site, state, &unfinished, tables, progress)
        .and_then(|()| fs::rename(&unfinished, file).map_err(|error| failed(file, &error)));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written
}

fn write_all(
    site: &DataSets,
    state: &Path,
    path: &Path,
    tables: bool,
    progress: Progress<'_>,
) -> Answered<()> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(PRIVATE).open(path);
    let file = file.map_err(|error| failed(path, &error))?;
    let mut out = BufWriter::new(&file);
    let mut archive = Archive::begin(&mut out)?;
    site.vsam.engine().backup(&mut archive, &mut |count| progress("records copied", count))?;
    for folder in FOLDERS {
        for (name, path) in files_below(state, Path::new(folder)).map_err(|error| failed(state, &error))? {
            let mut content = File::open(&path).map_err(|error| failed(&path, &error))?;
            archive.add_file(&name, &mut content)?;
        }
    }
    // With what those files were sealed, under the key of the data.
    for name in [KEYRING, KEYRING_TWIN] {
        match File::open(state.join(name)) {
            Ok(mut content) => archive.add_file(name, &mut content)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(&state.join(name), &error)),
        }
    }
    for folder in if tables { servers(state).map_err(|error| failed(state, &error))? } else { Vec::new() } {
        let _still = at_rest(&state.join(&folder))?;
        let data = folder.join("data");
        for (name, path) in files_below(state, &data).map_err(|error| failed(state, &error))? {
            let mut content = File::open(&path).map_err(|error| failed(&path, &error))?;
            archive.add_file(&name, &mut content)?;
            progress("files of tables copied", 1);
        }
        for name in folders_below(state, &data).map_err(|error| failed(state, &error))? {
            archive.add_file(&format!("{name}/{FOLDER}"), &mut io::empty())?;
        }
    }
    archive.end()?;
    drop(out);
    file.sync_all().map_err(|error| failed(path, &error))
}

/// Returns the folders of private PostgreSQL servers in the state.
fn servers(state: &Path) -> io::Result<Vec<PathBuf>> {
    let mut servers = Vec::new();
    for entry in fs::read_dir(state)? {
        let name = entry?.file_name();
        let is_server = name.to_string_lossy().starts_with(SERVER);
        if is_server && state.join(&name).join("data").join("PG_VERSION").exists() {
            servers.push(PathBuf::from(name));
        }
    }
    Ok(servers)
}

/// Sees that no server runs in a folder; until the result is dropped none is started there.
fn at_rest(folder: &Path) -> Answered<File> {
    let path = folder.join("lock");
    let lock = OpenOptions::new().create(true).append(true).mode(PRIVATE).open(&path);
    let lock = lock.map_err(|error| failed(&path, &error))?;
    let is_taken = lock.try_lock().is_err();
    if is_taken || folder.join("data/postmaster.pid").exists() {
        let why = format!(
            "the PostgreSQL in {} runs, or did not end in order: start the region and end it, then back up",
            folder.display()
        );
        return Err(Failure::Other(why));
    }
    Ok(lock)
}

/// Returns the folders in a folder of the state and below it, by their names from the state on.
fn folders_below(state: &Path, folder: &Path) -> io::Result<Vec<String>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(state.join(folder))? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            let name = folder.join(entry.file_name());
            folders.extend(folders_below(state, &name)?);
            folders.push(name.to_string_lossy().into_owned());
        }
    }
    Ok(folders)
}

/// The files in a folder of the state and below it: their names from the state on, and where they are.
fn files_below(state: &Path, folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut files = Vec::new();
    let entries = match fs::read_dir(state.join(folder)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(files),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let name = folder.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            files.extend(files_below(state, &name)?);
        } else if kind.is_file() {
            files.push((name.to_string_lossy().into_owned(), entry.path()));
        }
    }
    Ok(files)
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::Other(format!("{}: {error}", path.display()))
}
