//! Members in folders: where `ACCT` is, given the paths of a kind.
//!
//! A path is a folder, whose files are members by their extensions; or a file, which is one whatever its name ends in; or
//! a pattern, whose files are members by their extensions or else by what they hold. `deck` decides the kind of a file by its content.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use config::{Located, at};
use diagnostics::{Diagnostic, Source};
use parking_lot::Mutex;

use crate::deck::{self, Kind};
use crate::inside::Inside;
use crate::{codes, text};

/// The members of one kind, in the order of the paths in which they are looked for.
#[derive(Debug)]
pub(crate) struct Members {
    kind: Kind,
    folders: Vec<Mutex<Folder>>,
}

/// A folder as it was when it was last read, or the files of a pattern.
#[derive(Debug)]
struct Folder {
    path: PathBuf,
    read: Option<SystemTime>,
    members: BTreeMap<String, PathBuf>,
    inside: Inside,
}

/// Two changes within this time may carry the same time stamp.
pub(crate) const STAMP_RESOLUTION: Duration = Duration::from_millis(20);

impl Members {
    /// Expands the configuration's paths, which are relative to `root`. A written path that matches nothing gets a message.
    pub(crate) fn new(
        root: &Path,
        paths: &[Located<String>],
        kind: Kind,
        messages: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut folders = Vec::new();
        for pattern in paths {
            let found = expand(root, &pattern.value);
            if found.is_empty() {
                messages.extend(not_there(pattern));
                continue;
            }
            let (directories, files): (Vec<PathBuf>, Vec<PathBuf>) =
                found.into_iter().partition(|path| path.is_dir());
            if !files.is_empty() {
                let by_pattern = is_pattern(&pattern.value);
                let members = members_of(&files, &|path| members_in_file(path, kind, by_pattern));
                folders.push(Mutex::new(Folder {
                    read: None,
                    members,
                    ..Folder::new(root.join(&pattern.value))
                }));
            }
            folders.extend(directories.into_iter().map(|path| Mutex::new(Folder::new(path))));
        }
        Self { kind, folders }
    }

    /// The member's file: one of that name, else one whose text has it, in a PROGRAM-ID or as the label of a mapset.
    pub(crate) fn find(&self, name: &str) -> Option<PathBuf> {
        self.find_where(name, |_| true).or_else(|| self.find_inside(name))
    }

    fn find_inside(&self, name: &str) -> Option<PathBuf> {
        let name = name.to_ascii_uppercase();
        if self.kind == Kind::Copybook || !deck::is_name(&name) {
            return None;
        }
        self.folders.iter().find_map(|folder| {
            let mut folder = folder.lock();
            folder.look_inside(self.kind);
            folder.inside.files_of(&name).next().cloned()
        })
    }

    /// The same in folders of a name alone.
    pub(crate) fn find_in(&self, library: &str, name: &str) -> Option<PathBuf> {
        self.find_where(name, |path| {
            path.file_name().is_some_and(|own| own.to_string_lossy().eq_ignore_ascii_case(library))
        })
    }

    fn find_where(&self, name: &str, is_meant: impl Fn(&Path) -> bool) -> Option<PathBuf> {
        let name = name.to_ascii_uppercase();
        self.folders.iter().find_map(|folder| {
            let mut folder = folder.lock();
            if !is_meant(&folder.path) {
                return None;
            }
            folder.refresh(self.kind);
            folder.members.get(&name).cloned()
        })
    }

    /// Every member's name, once, in alphabetical order. A file whose own name no program can ask for has those of its text.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut all = BTreeSet::new();
        for folder in &self.folders {
            let mut folder = folder.lock();
            folder.refresh(self.kind);
            let (short, long): (Vec<String>, Vec<String>) = folder
                .members
                .keys()
                .cloned()
                .partition(|name| deck::is_name(name) || self.kind == Kind::Copybook);
            all.extend(short);
            if !long.is_empty() {
                folder.look_inside(self.kind);
            }
            for name in long {
                let own = folder.members.get(&name).map_or(&[][..], |path| folder.inside.names_in(path));
                match own.iter().any(|own| deck::is_name(own)) {
                    true => all.extend(own.iter().filter(|own| deck::is_name(own)).cloned()),
                    false => all.extend([name]),
                }
            }
        }
        all.into_iter().collect()
    }

    /// The same with all names that texts have.
    pub(crate) fn all_names(&self) -> Vec<String> {
        let mut all: BTreeSet<String> = self.names().into_iter().collect();
        for folder in &self.folders {
            let mut folder = folder.lock();
            folder.look_inside(self.kind);
            all.extend(folder.inside.names().filter(|name| deck::is_name(name)).cloned());
        }
        all.into_iter().collect()
    }

    /// Names that several texts have, and no file: the first one is taken.
    pub(crate) fn doubled(&self, root: &Path) -> Vec<Diagnostic> {
        let mut files: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for folder in &self.folders {
            let mut folder = folder.lock();
            folder.look_inside(self.kind);
            for name in folder.inside.names().filter(|name| deck::is_name(name)) {
                files.entry(name.clone()).or_default().extend(folder.inside.files_of(name).cloned());
            }
        }
        let several = files
            .into_iter()
            .filter(|(name, files)| files.len() > 1 && self.find_where(name, |_| true).is_none());
        let shown = |path: &PathBuf| path.strip_prefix(root).unwrap_or(path).display().to_string();
        let what = self.kind.word();
        several
            .map(|(name, files)| {
                let files: Vec<String> = files.iter().map(shown).collect();
                let (first, others) = (&files[0], files[1..].join(", "));
                let text = format!("{what} {name} stands in {first} and in {others}: {first} is taken");
                let help =
                    format!("give each {what} a name of its own, or name the file that is meant after it");
                Diagnostic::warning(codes::DOUBLED, text).help(help)
            })
            .collect()
    }

    /// The folders as text, for a message.
    pub(crate) fn places(&self) -> String {
        let paths: Vec<String> =
            self.folders.iter().map(|folder| folder.lock().path.display().to_string()).collect();
        if paths.is_empty() { "no folder".to_owned() } else { paths.join(", ") }
    }
}

impl Folder {
    fn new(path: PathBuf) -> Self {
        Self { path, read: None, members: BTreeMap::new(), inside: Inside::default() }
    }

    /// Reads the folder again if it has changed, or may have.
    fn refresh(&mut self, kind: Kind) {
        let Ok(metadata) = fs::metadata(&self.path) else {
            // The files of a pattern are those that were there at the start.
            if !is_pattern(&self.path.to_string_lossy()) {
                self.members.clear();
            }
            self.read = None;
            return;
        };
        let changed = metadata.modified().ok();
        if !metadata.is_dir() || (changed.is_some() && changed == self.read) {
            return;
        }
        self.members = members_of(&files_of(&self.path), &|path| members_in_folder(path, kind));
        self.inside.ask_again();
        let settled = |time: &SystemTime| time.elapsed().is_ok_and(|age| age > STAMP_RESOLUTION);
        self.read = changed.filter(settled);
    }
}

impl Folder {
    /// Reads what names the texts of the files have, where that may have changed.
    fn look_inside(&mut self, kind: Kind) {
        self.refresh(kind);
        if self.inside.is_fresh() {
            return;
        }
        let files: BTreeSet<PathBuf> = self.members.values().cloned().collect();
        self.inside.read(files, |path| match text::read(path) {
            Ok(text) if !jcl::is_job(&text) => deck::names_within(kind, &text),
            _ => Vec::new(),
        });
    }
}

/// The files of a folder in alphabetical order.
fn files_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
    files.sort();
    files
}

/// The members of files; the first file that has a name wins.
fn members_of(files: &[PathBuf], names: &dyn Fn(&Path) -> Vec<String>) -> BTreeMap<String, PathBuf> {
    let mut members = BTreeMap::new();
    for path in files {
        for name in names(path) {
            members.entry(name).or_insert_with(|| path.clone());
        }
    }
    members
}

/// The members of a file that stands in a folder: its extension says whether it is one, or has to be looked into.
fn members_in_folder(path: &Path, kind: Kind) -> Vec<String> {
    if has_extension(path, kind.extensions()) {
        return members_in_file(path, kind, false);
    }
    if has_extension(path, kind.doubtful_extensions()) { members_by_text(path, kind) } else { Vec::new() }
}

/// The members of a file that was named, or that a pattern has found.
fn members_in_file(path: &Path, kind: Kind, by_pattern: bool) -> Vec<String> {
    if is_job(path) || (by_pattern && !has_extension(path, kind.extensions())) {
        return members_by_text(path, kind);
    }
    stem(path).into_iter().collect()
}

/// The members of a file by what it holds.
fn members_by_text(path: &Path, kind: Kind) -> Vec<String> {
    let (Some(stem), Ok(text)) = (stem(path), text::read(path)) else { return Vec::new() };
    deck::names(kind, &stem, &Source::new("", text))
}

/// Returns true if a file is a job, as far as its beginning shows.
fn is_job(path: &Path) -> bool {
    let mut beginning = Vec::new();
    let read = File::open(path).and_then(|file| file.take(JOB_BEGINNING).read_to_end(&mut beginning));
    read.is_ok() && jcl::is_job(&text::decode(beginning))
}

/// Bytes in which a job says that it is one.
const JOB_BEGINNING: u64 = 256;

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    extensions.iter().any(|known| known.eq_ignore_ascii_case(&extension))
}

/// The name under which programs know a file that holds one member.
fn stem(path: &Path) -> Option<String> {
    path.file_stem()?.to_str().map(str::to_ascii_uppercase)
}

/// Returns true if a path stands for several.
fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

/// Written paths that lead to files of which none is a member.
pub(crate) fn without_members(root: &Path, paths: &[Located<String>], kind: Kind) -> Vec<Diagnostic> {
    let mut messages = Vec::new();
    for pattern in paths.iter().filter(|pattern| pattern.is_written()) {
        let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) =
            expand(root, &pattern.value).into_iter().partition(|path| path.is_dir());
        let is_member = |path: &PathBuf| !members_in_file(path, kind, is_pattern(&pattern.value)).is_empty();
        if folders.is_empty() && !files.is_empty() && !files.iter().any(is_member) {
            messages.push(no_member(pattern, kind));
        }
        messages.extend(folders.iter().filter_map(|folder| without_member(root, folder, pattern, kind)));
    }
    messages
}

/// That the files of a path are no members.
fn no_member(pattern: &Located<String>, kind: Kind) -> Diagnostic {
    let what = kind.word();
    let message = Diagnostic::warning(codes::NO_MEMBER, format!("`{}` holds no {what}", pattern.value));
    let help = match kind.mark() {
        Some(mark) => {
            format!("a {what} is a file with {mark}, or such a text in a job: //SYSIN DD * and its like")
        }
        None => format!("jobs are there, and a job is no {what}"),
    };
    at(message, pattern).label("files are there, and none is one").help(help)
}

/// That the names of a folder's files end in something else; nothing for a folder without files.
fn without_member(root: &Path, folder: &Path, pattern: &Located<String>, kind: Kind) -> Option<Diagnostic> {
    let files = files_of(folder);
    if files.iter().any(|path| !members_in_folder(path, kind).is_empty()) {
        return None;
    }
    let suffix = files.first()?.extension().unwrap_or_default().to_string_lossy().into_owned();
    let suffix = if suffix.is_empty() { suffix } else { format!(".{suffix}") };
    let what = kind.word();
    let shown = folder.strip_prefix(root).unwrap_or(folder).display().to_string();
    let endings: Vec<String> = kind.extensions().iter().map(|suffix| format!(".{suffix}")).collect();
    let message = Diagnostic::warning(codes::NO_MEMBER, format!("no file of {shown} is a {what}"));
    let help = format!(
        "the names of {what}s in a folder end in {}; for others write a pattern: \"{shown}/*{suffix}\"",
        endings.join(", ")
    );
    Some(at(message, pattern).help(help))
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

/// The message about a path that matches nothing; `None` if it is a default.
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
