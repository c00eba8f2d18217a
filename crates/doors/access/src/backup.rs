//! A backup of a region's state: its data sets with their log, its sequential data sets and its journals, and the tables of private
//! PostgreSQL servers. While the region runs these are dumped, as they were at the moment of the records; otherwise their files are
//! copied. Tables are sealed in the backup where the folder has a key, though they lie in clear in the folder.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use datasets::DataSets;
use records::Archive;
use sealed::{KEYRING, KEYRING_TWIN};

use crate::data_set::Answered;
use crate::operator::{HeldTables, Operator};
use crate::progress::Progress;
use crate::protocol::Failure;

/// Folders of the state that a backup holds besides the data sets.
const FOLDERS: [&str; 2] = ["sequential", "journals"];
/// The prefix of the names of folders of private PostgreSQL servers.
const SERVER: &str = "postgresql";
/// The name of a file that represents its folder: PostgreSQL wants its folders, empty ones, too.
pub const FOLDER: &str = ".folder";
/// The folder of dumps of tables in a backup, each by the name of its server.
pub const DUMPS: &str = "tables/";
/// The beginning of the names of files that lie in clear in the state, and are sealed for the backup.
pub const SEALED: &str = "sealed/";
/// A file of the state with data that are sealed, or dumped, for the backup.
const PIECE: &str = "backup.piece";
/// Bytes of a dump that are sealed at a time.
const DUMPED: usize = 1 << 20;
/// It holds what the data sets hold: its owner's alone.
const PRIVATE: u32 = 0o600;

/// Writes a backup of the state to a file, which is there when it is whole. `tables`: with those of private PostgreSQL servers.
/// `region`: the one that runs; without one no server runs.
pub(crate) fn write(
    site: &DataSets,
    region: Option<&dyn Operator>,
    (state, file): (&Path, &Path),
    tables: bool,
    progress: Progress<'_>,
) -> Answered<()> {
    let unfinished = file.with_extension("part");
    let written = Backup { site, state, piece: state.join(PIECE) }
        .write(region.filter(|_| tables), &unfinished, tables, progress)
        .and_then(|()| fs::rename(&unfinished, file).map_err(|error| failed(file, &error)));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written
}

/// A backup that is being made.
struct Backup<'a> {
    site: &'a DataSets,
    state: &'a Path,
    piece: PathBuf,
}

impl Drop for Backup<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.piece);
    }
}

impl Backup<'_> {
    fn write(
        &self,
        region: Option<&dyn Operator>,
        path: &Path,
        tables: bool,
        progress: Progress<'_>,
    ) -> Answered<()> {
        if self.site.vsam.engine().is_shared() {
            return Err(Failure::Other(
                "the records are those of a record server: `syncpoint records FOLDER --backup FILE` makes a backup of them while \
                 regions work"
                    .into(),
            ));
        }
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(PRIVATE).open(path);
        let file = file.map_err(|error| failed(path, &error))?;
        let mut out = BufWriter::new(&file);
        let mut archive = Archive::begin(&mut out)?;
        let engine = self.site.vsam.engine();
        // Units of work wait for the work after this.
        engine.checkpoint()?;
        let held = region.map_or(Ok(None), Operator::hold_tables)?;
        let mut go_on = || held.iter().for_each(|held| held.go_on());
        engine.backup(&mut archive, &mut go_on, &mut |count| progress("records copied", count))?;
        self.add_files(&mut archive)?;
        match held {
            Some(held) => self.add_dumps(&mut archive, &*held, progress)?,
            None if tables && region.is_none() => self.add_servers(&mut archive, progress)?,
            None => {}
        }
        archive.end()?;
        drop(out);
        file.sync_all().map_err(|error| failed(path, &error))
    }

    /// Adds the files beside the records, and the key with which they were sealed, under the key of the data.
    fn add_files(&self, archive: &mut Archive<'_>) -> Answered<()> {
        for folder in FOLDERS {
            for (name, path) in self.files_below(Path::new(folder))? {
                self.add(archive, &name, &path)?;
            }
        }
        for name in [KEYRING, KEYRING_TWIN] {
            let path = self.state.join(name);
            if path.exists() {
                self.add(archive, name, &path)?;
            }
        }
        Ok(())
    }

    /// Adds what the tables of a region that runs were at the moment of the records.
    fn add_dumps(
        &self,
        archive: &mut Archive<'_>,
        held: &dyn HeldTables,
        progress: Progress<'_>,
    ) -> Answered<()> {
        for (place, server) in held.servers().iter().enumerate() {
            let piece = sealed::File::create(&self.piece).map_err(|error| failed(&self.piece, &error))?;
            held.dump(place, Box::new(BufWriter::with_capacity(DUMPED, piece)))?;
            self.add(archive, &format!("{DUMPS}{server}"), &self.piece)?;
            progress("servers with tables copied", place as u64 + 1);
        }
        Ok(())
    }

    /// Adds the files of servers that do not run.
    fn add_servers(&self, archive: &mut Archive<'_>, progress: Progress<'_>) -> Answered<()> {
        let servers = servers(self.state).map_err(|error| failed(self.state, &error))?;
        for folder in servers {
            let _still = at_rest(&self.state.join(&folder))?;
            let data = folder.join("data");
            for (name, path) in self.files_below(&data)? {
                self.add_sealed(archive, &name, &path)?;
                progress("files of tables copied", 1);
            }
            for name in folders_below(self.state, &data).map_err(|error| failed(self.state, &error))? {
                archive.add_file(&format!("{name}/{FOLDER}"), &mut io::empty())?;
            }
        }
        Ok(())
    }

    /// Adds a file that is in clear: sealed, if the folder has a key.
    fn add_sealed(&self, archive: &mut Archive<'_>, name: &str, path: &Path) -> Answered<()> {
        let mut piece = sealed::File::create(&self.piece).map_err(|error| failed(&self.piece, &error))?;
        if !piece.is_sealed() {
            return self.add(archive, name, path);
        }
        let mut content = File::open(path).map_err(|error| failed(path, &error))?;
        io::copy(&mut content, &mut piece)
            .and_then(|_| piece.flush())
            .map_err(|error| failed(&self.piece, &error))?;
        self.add(archive, &format!("{SEALED}{name}"), &self.piece)
    }

    fn add(&self, archive: &mut Archive<'_>, name: &str, path: &Path) -> Answered<()> {
        let mut content = File::open(path).map_err(|error| failed(path, &error))?;
        Ok(archive.add_file(name, &mut content)?)
    }

    fn files_below(&self, folder: &Path) -> Answered<Vec<(String, PathBuf)>> {
        files_below(self.state, folder).map_err(|error| failed(self.state, &error))
    }
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
