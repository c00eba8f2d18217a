//! Members in folders: where `ACCT` is, given the folders of a kind and the extensions that its members have.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use config::Located;
use diagnostics::Diagnostic;
use parking_lot::Mutex;

use crate::codes;

/// The members of one kind, in the folders in which they are looked for, first folder first.
#[derive(Debug)]
pub(crate) struct Members {
    extensions: &'static [&'static str],
    folders: Vec<Mutex<Folder>>,
}

/// A folder as it was when it was last read, or a single file.
#[derive(Debug)]
struct Folder {
    path: PathBuf,
    read: Option<SystemTime>,
    members: BTreeMap<String, PathBuf>,
}

/// Two changes within this time may carry the same time stamp.
pub(crate) const STAMP_RESOLUTION: Duration = Duration::from_millis(20);

impl Members {
    /// Expands the configuration's paths, which are relative to `root`. A written path that matches nothing is told.
    pub(crate) fn new(
        root: &Path,
        paths: &[Located<String>],
        extensions: &'static [&'static str],
        messages: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut folders = Vec::new();
        for pattern in paths {
            let found = expand(root, &pattern.value);
            if found.is_empty() {
                messages.extend(not_there(pattern));
            }
            folders.extend(found.into_iter().map(|path| Mutex::new(Folder::new(path, extensions))));
        }
        Self { extensions, folders }
    }

    /// The member's file.
    pub(crate) fn find(&self, name: &str) -> Option<PathBuf> {
        let name = name.to_ascii_uppercase();
        self.folders.iter().find_map(|folder| {
            let mut folder = folder.lock();
            folder.refresh(self.extensions);
            folder.members.get(&name).cloned()
        })
    }

    /// Every member's name, once, in alphabetical order.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut all = BTreeMap::new();
        for folder in &self.folders {
            let mut folder = folder.lock();
            folder.refresh(self.extensions);
            all.extend(folder.members.keys().map(|name| (name.clone(), ())));
        }
        all.into_keys().collect()
    }

    /// The folders as text, for a message.
    pub(crate) fn places(&self) -> String {
        let paths: Vec<String> =
            self.folders.iter().map(|folder| folder.lock().path.display().to_string()).collect();
        if paths.is_empty() { "no folder".to_owned() } else { paths.join(", ") }
    }
}

impl Folder {
    fn new(path: PathBuf, extensions: &[&str]) -> Self {
        let mut folder = Self { path, read: None, members: BTreeMap::new() };
        if folder.path.is_file() {
            folder
                .members
                .extend(member_name(&folder.path, extensions).map(|name| (name, folder.path.clone())));
        }
        folder
    }

    /// Reads the folder again if it has changed, or may have.
    fn refresh(&mut self, extensions: &[&str]) {
        let Ok(metadata) = fs::metadata(&self.path) else {
            self.members.clear();
            self.read = None;
            return;
        };
        let changed = metadata.modified().ok();
        if !metadata.is_dir() || (changed.is_some() && changed == self.read) {
            return;
        }
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut paths: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
        paths.sort();
        self.members.clear();
        for path in paths {
            if let Some(name) = member_name(&path, extensions) {
                self.members.entry(name).or_insert(path);
            }
        }
        let settled = |time: &SystemTime| time.elapsed().is_ok_and(|age| age > STAMP_RESOLUTION);
        self.read = changed.filter(settled);
    }
}

/// The name under which programs know a file; `None` if its extension is none of these.
fn member_name(path: &Path, extensions: &[&str]) -> Option<String> {
    let extension = path.extension().unwrap_or_default().to_str()?;
    let known = extensions.iter().any(|known| known.eq_ignore_ascii_case(extension));
    known.then(|| path.file_stem()?.to_str().map(str::to_ascii_uppercase)).flatten()
}

/// The files and folders that a path or glob means, in alphabetical order.
pub(crate) fn expand(root: &Path, pattern: &str) -> Vec<PathBuf> {
    // Components: so that `.` leaves no trace in what users are shown.
    let literal: PathBuf = root.join(pattern).components().collect();
    if literal.exists() {
        return vec![literal];
    }
    let escaped = glob::Pattern::escape(&root.to_string_lossy());
    let whole =
        if Path::new(pattern).is_absolute() { pattern.to_owned() } else { format!("{escaped}/{pattern}") };
    glob::glob(&whole).into_iter().flatten().flatten().collect()
}

/// What is told of a path that matches nothing: nothing if it stood by default.
pub(crate) fn not_there(pattern: &Located<String>) -> Option<Diagnostic> {
    let place = pattern.place.clone()?;
    let message = Diagnostic::error(codes::NO_FOLDER, format!("`{}` is not there", pattern.value));
    Some(
        message
            .at(place)
            .label("nothing has this name")
            .help("paths are relative to the folder of this file"),
    )
}
