//! The folder of built programs: `NAME.toml` says what went into `NAME-hash.so`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use db2::package::Package;
use diagnostics::Diagnostic;

use crate::anatomy;
use crate::artifact::Program;
use crate::codes;
use crate::compiler::Compiler;
use crate::listing::Listing;
use crate::packages;
use crate::record::{Ingredients, Record, SavedMessage, TEMPORARY};
use crate::sources::Sources;
use crate::stamp::{Stamp, hash};

/// Built programs on disk.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
    fingerprint: String,
    compiler: Compiler,
    scratch_number: AtomicU64,
}

/// Modules that no record names are kept this long: another process may be about to name them.
const ORPHAN_AGE: Duration = Duration::from_secs(3600);
/// How many characters of a module's hash stand in its name.
const HASH_LENGTH: usize = 16;

/// A scratch folder that goes when it is dropped.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is swept as an orphan later.
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Cache {
    /// Opens or makes the folder, and sweeps what nothing refers to.
    pub(crate) fn open(folder: &Path, fingerprint: String, compiler: &Compiler) -> Result<Self, Diagnostic> {
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        let cache = Self {
            folder: folder.to_owned(),
            fingerprint,
            compiler: compiler.clone(),
            scratch_number: AtomicU64::new(0),
        };
        cache.sweep();
        Ok(cache)
    }

    /// The program as it was built, if nothing that went into it has changed.
    pub(crate) fn find(&self, name: &str, source: &Path, sources: &Sources) -> Option<Built> {
        let path = self.record_path(name);
        let mut record = Record::read(&path, sources.root())?;
        let same_tools = record.fingerprint == self.fingerprint && self.compiler.is_like(&record.compiler);
        if !same_tools || record.ingredients.source != source {
            return None;
        }
        let packages = packages::read(&self.folder.join(&record.module), &record.packages)?;
        if self.renew(&mut record, sources)? {
            // A record that cannot be renewed costs a little more next time, no more.
            let _ = record.write(&path, sources.root());
        }
        Some(self.built(name, record, packages, sources))
    }

    /// `None` if anything in the record is no longer so; else whether a file was touched and has a new stamp.
    fn renew(&self, record: &mut Record, sources: &Sources) -> Option<bool> {
        let module = renew(&mut record.module_stamp, &self.folder.join(&record.module))?;
        Some(record.ingredients.renew(sources)? | module)
    }

    fn built(&self, name: &str, record: Record, packages: Vec<Package>, sources: &Sources) -> Built {
        let messages = record.messages.iter();
        let program = Program {
            own: None,
            name: name.to_owned(),
            module: self.folder.join(&record.module),
            listing: Arc::new(record.listing),
            packages: packages.into_iter().map(Arc::new).collect(),
            messages: messages.map(|message| message.restore(|name| sources.source(name))).collect(),
            built: false,
        };
        Built { program, inputs: record.ingredients.inputs() }
    }

    /// Takes a module over from its scratch folder and records how it was built.
    pub(crate) fn keep(
        &self,
        name: &str,
        compiled: &Path,
        ingredients: Ingredients,
        told: &Told<'_>,
        sources: &Sources,
    ) -> io::Result<PathBuf> {
        let content_hash = hash(&fs::read(compiled)?);
        let module = format!("{name}-{}.so", &content_hash[..HASH_LENGTH]);
        let path = self.folder.join(&module);
        fs::rename(compiled, &path)?;
        let packages = packages::keep(&path, told.packages)?;
        let record = Record {
            fingerprint: self.fingerprint.clone(),
            compiler: self.compiler.version().to_owned(),
            module,
            module_stamp: Stamp::take(&path)?.0,
            packages,
            ingredients,
            messages: told.messages.iter().map(SavedMessage::new).collect(),
            listing: told.listing.clone(),
        };
        record.write(&self.record_path(name), sources.root())?;
        Ok(path)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A new folder for one compilation.
    pub(crate) fn scratch(&self, name: &str) -> io::Result<Scratch> {
        let number = self.scratch_number.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(format!("{name}-{}-{number}.work", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Scratch(path))
    }

    fn record_path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.{RECORD}"))
    }

    /// Removes modules that no record names and scratch folders that nobody uses any more.
    fn sweep(&self) {
        let paths = || fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let records = paths().filter(|path| path.extension().is_some_and(|extension| extension == RECORD));
        let named: Vec<String> = records
            .filter_map(|path| Record::read(&path, Path::new("")))
            .map(|record| record.module)
            .collect();
        for path in paths().filter(|path| is_old(path)) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // Whatever cannot be removed stays for the next sweep.
            if name.ends_with(".work") {
                let _ = fs::remove_dir_all(&path);
            } else if is_orphan(&name, &named) || path.extension().is_some_and(|end| end == TEMPORARY) {
                let _ = fs::remove_file(&path);
            }
        }
    }
}

/// What a build says of a module.
pub(crate) struct Told<'a> {
    pub(crate) listing: &'a Listing,
    pub(crate) packages: &'a [Package],
    pub(crate) messages: &'a [Diagnostic],
}

/// The extension of records.
const RECORD: &str = "toml";

/// A program and the files that went into it.
pub(crate) struct Built {
    pub(crate) program: Program,
    pub(crate) inputs: Vec<Input>,
}

/// A file that went into a program, as it was.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) path: PathBuf,
    /// `None` while it cannot be read.
    pub(crate) stamp: Option<Stamp>,
}

impl Input {
    /// A file as it is now.
    pub(crate) fn of(path: &Path) -> Self {
        Self { path: path.to_owned(), stamp: Stamp::take(path).ok().map(|(stamp, _)| stamp) }
    }

    /// Whether the file is as it was.
    pub(crate) fn is_the_same(&self) -> bool {
        self.stamp.as_ref().is_some_and(|stamp| stamp.still(&self.path).is_some())
    }

    /// Takes the file as it is now; whether it has changed. A file that is just being replaced has not.
    pub(crate) fn renew(&mut self) -> bool {
        if let Some(stamp) = self.stamp.as_ref().and_then(|stamp| stamp.still(&self.path)) {
            self.stamp = Some(stamp);
            return false;
        }
        let now = Self::of(&self.path);
        let changed = now.stamp.is_some();
        if changed {
            *self = now;
        }
        changed
    }
}

/// `None` if a file is no longer what its stamp says; else whether it was touched and has a new stamp.
fn renew(stamp: &mut Stamp, path: &Path) -> Option<bool> {
    let now = stamp.still(path)?;
    let touched = now != *stamp;
    *stamp = now;
    Some(touched)
}

impl Ingredients {
    /// `None` if one of the files is another one, or answers another COPY; else whether one was touched.
    pub(crate) fn renew(&mut self, sources: &Sources) -> Option<bool> {
        let mut touched = renew(&mut self.stamp, &self.source)?;
        for copied in &mut self.copied {
            let now = sources.copied(&copied.member, copied.library.as_deref());
            if now.as_ref() != copied.file.as_ref().map(|file| &file.found) {
                return None;
            }
            if let Some(file) = &mut copied.file {
                touched |= renew(&mut file.stamp, file.found.path())?;
            }
        }
        Some(touched)
    }

    /// The source and its copybooks.
    pub(crate) fn inputs(&self) -> Vec<Input> {
        let source = Input { path: self.source.clone(), stamp: Some(self.stamp.clone()) };
        let copybooks = self.copied.iter().filter_map(|copied| copied.file.as_ref());
        let copybooks = copybooks
            .map(|file| Input { path: file.found.path().to_owned(), stamp: Some(file.stamp.clone()) });
        [source].into_iter().chain(copybooks).collect()
    }
}

/// Whether a file is a module that no record names, or stands beside one.
fn is_orphan(name: &str, named: &[String]) -> bool {
    let data = name.strip_suffix(anatomy::SUFFIX).map(|stem| format!("{stem}.so"));
    let module = data.or_else(|| packages::module_of(name)).unwrap_or_else(|| name.to_owned());
    module.ends_with(".so") && !named.contains(&module)
}

fn is_old(path: &Path) -> bool {
    let changed = fs::metadata(path).and_then(|metadata| metadata.modified());
    changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age > ORPHAN_AGE))
}

/// That a folder or file of compiled programs cannot be written.
pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::error(codes::UNWRITABLE, format!("{} cannot be written: {error}", path.display()))
        .help("name another folder with `state` in region.toml or with --data")
}
