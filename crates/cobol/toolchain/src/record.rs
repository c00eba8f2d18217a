//! Record of a build beside its code: the files that went in, so that a later start can see that nothing has changed,
//! and the messages.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use diagnostics::{Diagnostic, Severity, Source, TextPlace};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::sources::Found;
use crate::stamp::Stamp;

/// The files that went into a build, as they were.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Ingredients {
    pub(crate) source: PathBuf,
    pub(crate) stamp: Stamp,
    pub(crate) copied: Vec<Copied>,
}

/// A member that a COPY asked for, and what answered it; nothing for a supplied member.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Copied {
    pub(crate) member: String,
    /// Library behind OF.
    #[serde(default)]
    pub(crate) library: Option<String>,
    pub(crate) file: Option<CopiedFile>,
}

/// The user's file that answered a COPY, as it was.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CopiedFile {
    pub(crate) found: Found,
    pub(crate) stamp: Stamp,
}

impl Ingredients {
    /// With the names of its files from the application's folder, so that what is compiled can be taken to another machine
    /// with the sources.
    pub(crate) fn within(mut self, root: &Path) -> Self {
        self.each_path(|path| {
            if let Ok(within) = path.strip_prefix(root) {
                *path = within.to_owned();
            }
        });
        self
    }

    /// The same again for the application in a folder.
    pub(crate) fn beneath(mut self, root: &Path) -> Self {
        self.each_path(|path| *path = root.join(&*path));
        self
    }

    /// Changes the path of each file.
    fn each_path(&mut self, change: impl Fn(&mut PathBuf)) {
        change(&mut self.source);
        for file in self.copied.iter_mut().filter_map(|copied| copied.file.as_mut()) {
            change(file.found.path_mut());
        }
    }
}

/// Writes a file for this user alone: under another name first, so that a reader sees all of it or nothing.
pub(crate) fn write_own(path: &Path, content: &[u8]) -> io::Result<()> {
    let temporary = path.with_extension(format!("{}.{TEMPORARY}", std::process::id()));
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(FOR_OWNER);
    options.open(&temporary)?.write_all(content)?;
    fs::rename(&temporary, path)
}

/// The permissions of a file for its owner alone.
const FOR_OWNER: u32 = 0o600;

/// The extension of a file that is being written.
pub(crate) const TEMPORARY: &str = "new";

/// A message with its sources by name.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SavedMessage {
    error: bool,
    code: String,
    message: String,
    place: Option<SavedPlace>,
    label: String,
    through: Vec<SavedPlace>,
    help: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedPlace {
    source: String,
    line: usize,
    column: usize,
    length: usize,
}

impl SavedMessage {
    pub(crate) fn new(message: &Diagnostic) -> Self {
        Self {
            error: message.severity == Severity::Error,
            code: message.code.to_owned(),
            message: message.message.clone(),
            place: message.place.as_ref().map(SavedPlace::new),
            label: message.label.clone(),
            through: message.through.iter().map(SavedPlace::new).collect(),
            help: message.help.clone(),
        }
    }

    /// The message again, given the texts of its sources.
    pub(crate) fn restore(&self, mut text: impl FnMut(&str) -> Option<Arc<Source>>) -> Diagnostic {
        let severity = if self.error { Severity::Error } else { Severity::Warning };
        let mut message = Diagnostic::new(severity, interned(&self.code), self.message.clone())
            .label(self.label.clone())
            .help(self.help.clone());
        message.place = self.place.as_ref().and_then(|place| place.restore(&mut text));
        message.through = self.through.iter().filter_map(|place| place.restore(&mut text)).collect();
        message
    }
}

impl SavedPlace {
    fn new(place: &TextPlace) -> Self {
        let TextPlace { source, line, column, length } = place;
        Self { source: source.name.clone(), line: *line, column: *column, length: *length }
    }

    fn restore(&self, text: &mut impl FnMut(&str) -> Option<Arc<Source>>) -> Option<TextPlace> {
        Some(TextPlace::new(&text(&self.source)?, self.line, self.column, self.length))
    }
}

/// A message number as the constant that it was before it was saved. There are few, and each is kept once.
fn interned(code: &str) -> &'static str {
    static CODES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut codes = CODES.lock();
    if let Some(known) = codes.get(code) {
        return known;
    }
    let kept: &'static str = Box::leak(code.to_owned().into_boxed_str());
    codes.insert(kept);
    kept
}
