//! The texts of an application's definitions, changed for good.
//!
//! Here live their files: which there are, their lock, and the way in which one takes the place of another. Out of scope: what
//! a command does to a text. That is `csd`'s.

#![doc = include_str!("../README.md")]

mod exchange;
mod limits;
pub mod utility;
mod version;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use csd::{Command, Csd, Edited, Request, Text};
use diagnostics::Diagnostic;
use jcl::Tokens;

pub use exchange::{Exchanged, Step, exchange, is_beside};
pub use version::version;

/// The file of a new application's definitions, where a pattern names none.
const NEW_FILE: &str = "definitions.csd";

/// The texts of an application.
#[derive(Clone, Debug)]
pub struct Repository {
    root: PathBuf,
    patterns: Vec<String>,
    tokens: Tokens,
    read_only: bool,
}

/// The outcome of a change.
#[derive(Clone, Debug)]
pub struct Changed {
    /// The text that has changed; `None` if the command had no effect.
    pub text: Option<String>,
    /// The content of all texts now.
    pub csd: Csd,
}

/// The reason why a change was not made.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// The command is refused.
    #[error("{}", .0.message)]
    Command(Box<Diagnostic>),
    /// A file cannot be read or written.
    #[error("{name}: {error}")]
    File {
        /// Its name.
        name: String,
        /// The system's reason.
        error: io::Error,
    },
    /// They are only read here.
    #[error("the definitions are opened for reading only")]
    ReadOnly,
    /// Another has changed it since it was looked at.
    #[error("it has changed since it was shown")]
    Changed,
    /// Others change the texts all the time.
    #[error("the definitions are being changed by others: try again")]
    Busy,
}

impl Refused {
    /// The refusal as a message to a user.
    pub fn message(self) -> Diagnostic {
        match self {
            Self::Command(message) => *message,
            Self::File { .. } => Diagnostic::error("SPCS031", self.to_string())
                .help("the definitions are as they were; see to the rights and the space of the folder"),
            Self::ReadOnly => {
                Diagnostic::error("SPCS037", self.to_string()).help("the PARM of the step says CSD(READONLY)")
            }
            Self::Changed => Diagnostic::error("SPCS039", self.to_string())
                .help("look at it as it is now, and change that"),
            Self::Busy => Diagnostic::error("SPCS032", self.to_string()),
        }
    }
}

impl From<Box<Diagnostic>> for Refused {
    fn from(message: Box<Diagnostic>) -> Self {
        Self::Command(message)
    }
}

/// A file with the content that was read.
struct Kept {
    path: PathBuf,
    /// `None` for one that is not there yet.
    bytes: Option<Vec<u8>>,
}

impl Repository {
    /// That of a folder: patterns and tokens as region.toml has them.
    pub fn new(root: &Path, patterns: Vec<String>, tokens: Tokens) -> Self {
        Self { root: root.to_owned(), patterns, tokens, read_only: false }
    }

    /// The same for a reader: changes are refused.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// That of a region without a folder: it has nothing, and takes no change.
    pub fn none() -> Self {
        Self::new(Path::new("."), Vec::new(), Tokens::new())
    }

    /// The content of all texts.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn read(&self) -> Result<Csd, Refused> {
        let (texts, _) = self.texts()?;
        Ok(csd::read(&texts, &self.tokens))
    }

    /// The tokens that are replaced in every text.
    pub fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// Carries a command out for a user.
    ///
    /// # Errors
    /// The reason why nothing has changed.
    pub fn change(&self, command: &Command, by: &str) -> Result<Changed, Refused> {
        self.change_if(command, by, None)
    }

    /// The same for one who has seen what a request names: it is refused if its [`version`] is another one by now.
    ///
    /// # Errors
    /// The reason why nothing has changed.
    pub fn change_seen(
        &self,
        command: &Command,
        by: &str,
        seen: (&Request, &str),
    ) -> Result<Changed, Refused> {
        self.change_if(command, by, Some(seen))
    }

    fn change_if(
        &self,
        command: &Command,
        by: &str,
        seen: Option<(&Request, &str)>,
    ) -> Result<Changed, Refused> {
        if self.read_only {
            return Err(Refused::ReadOnly);
        }
        let _lock = self.lock()?;
        for _ in 0..limits::ATTEMPTS {
            let (mut texts, mut files) = self.texts()?;
            let is_other =
                |(asked, seen): (&Request, &str)| version(&csd::read(&texts, &self.tokens), asked) != seen;
            if seen.is_some_and(is_other) {
                return Err(Refused::Changed);
            }
            if !texts.iter().any(|text| text.writable) {
                self.begin(&mut texts, &mut files);
            }
            let Some(edited) = csd::change(&texts, &self.tokens, command, by)? else {
                return Ok(Changed { text: None, csd: csd::read(&texts, &self.tokens) });
            };
            let Edited { index, text, csd } = edited;
            let name = texts[index].name.clone();
            if !texts[index].writable {
                let error = io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8, and is not changed");
                return Err(Refused::File { name, error });
            }
            let Kept { path, bytes } = &files[index];
            let done = exchange(path, bytes.as_deref(), text.as_bytes(), &mut |_| ());
            match done.map_err(|error| Refused::File { name: name.clone(), error })? {
                Exchanged::Done => return Ok(Changed { text: Some(name), csd }),
                Exchanged::SavedByAnother => thread::sleep(limits::PAUSE),
            }
        }
        Err(Refused::Busy)
    }

    /// Locks the folder for this process: other writers wait. Ends first what a killed one has left.
    fn lock(&self) -> Result<File, Refused> {
        let failed = |error| Refused::File { name: self.root.display().to_string(), error };
        let folder = File::open(&self.root).map_err(failed)?;
        let since = Instant::now();
        loop {
            match folder.try_lock() {
                Ok(()) => break,
                Err(fs::TryLockError::WouldBlock) if since.elapsed() < limits::PATIENCE => {
                    thread::sleep(limits::PAUSE);
                }
                Err(fs::TryLockError::WouldBlock) => return Err(Refused::Busy),
                Err(fs::TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
        for path in self.paths() {
            exchange::finish(&path).map_err(failed)?;
        }
        Ok(folder)
    }

    /// The files of the texts, in the order of their reading.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.patterns.iter().flat_map(|pattern| self.expand(pattern)).collect()
    }

    fn expand(&self, pattern: &str) -> Vec<PathBuf> {
        // Components: so that `.` leaves no trace in what users are shown.
        let literal: PathBuf = self.root.join(pattern).components().collect();
        if literal.exists() {
            return vec![literal];
        }
        let escaped = glob::Pattern::escape(&self.root.to_string_lossy());
        let whole = match Path::new(pattern).is_absolute() {
            true => pattern.to_owned(),
            false => format!("{escaped}/{pattern}"),
        };
        let found = glob::glob(&whole).into_iter().flatten().flatten();
        found.filter(|path| path.is_file() && !is_beside(path)).collect()
    }

    fn texts(&self) -> Result<(Vec<Text>, Vec<Kept>), Refused> {
        let mut texts = Vec::new();
        let mut files: Vec<Kept> = Vec::new();
        for path in self.paths() {
            // A file that several patterns mean is read as often, and written once.
            let name = self.name(&path);
            let bytes = fs::read(&path).map_err(|error| Refused::File { name: name.clone(), error })?;
            let writable = std::str::from_utf8(&bytes).is_ok() && !files.iter().any(|f| f.path == path);
            texts.push(Text { name, text: String::from_utf8_lossy(&bytes).into_owned(), writable });
            files.push(Kept { path, bytes: Some(bytes) });
        }
        Ok((texts, files))
    }

    fn name(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }

    /// Adds the text in which the first definitions will stand, if a pattern means one.
    fn begin(&self, texts: &mut Vec<Text>, files: &mut Vec<Kept>) {
        let path = self.patterns.iter().find_map(|pattern| {
            let path = match pattern.contains(['*', '?', '[']) {
                false => self.root.join(pattern),
                true => self.root.join(pattern).parent()?.join(NEW_FILE),
            };
            let meant = glob::Pattern::new(pattern)
                .is_ok_and(|p| p.matches_path(path.strip_prefix(&self.root).unwrap_or(&path)));
            (meant && !path.exists() && path.parent().is_some_and(Path::is_dir)).then_some(path)
        });
        if let Some(path) = path {
            texts.push(Text { name: self.name(&path), text: String::new(), writable: true });
            files.push(Kept { path, bytes: None });
        }
    }
}
