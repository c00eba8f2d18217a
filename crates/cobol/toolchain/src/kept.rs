//! Compiled programs on disk: `NAME.native` is a program's code with all that decides whether it may be used, so that
//! a start compiles only what has changed.
//!
//! Code that counts its statements has files of its own, `NAME.counted`.
//!
//! A module that cannot be kept or found costs a compilation, and nothing else.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use db2::package::Package;
use diagnostics::Diagnostic;
use native::{Mapped, NotKept, Unit};
use serde::{Deserialize, Serialize};

use crate::artifact::Program;
use crate::build::{self, Attempt, Reading};
use crate::codes;
use crate::inputs::unwritable;
use crate::listing::Listing;
use crate::record::{Ingredients, SavedMessage, write_own};
use crate::sources::Sources;

/// The extension of these files, and of those whose code counts.
const EXTENSION: &str = "native";
const COUNTED: &str = "counted";

/// The folder of these files, and what has to be as it was for them to be used.
#[derive(Debug)]
pub(crate) struct CodeFiles {
    folder: PathBuf,
    options: String,
    counts: bool,
}

/// Knowledge of a program beside its code.
#[derive(Serialize, Deserialize)]
struct Known {
    from: Ingredients,
    listing: Listing,
    packages: Vec<Vec<u8>>,
    messages: Vec<SavedMessage>,
}

impl CodeFiles {
    /// The files in a folder, of sources that are read in this way.
    pub(crate) fn new(folder: &Path, options: &Reading) -> Self {
        Self { folder: folder.to_owned(), options: format!("{options:?}"), counts: false }
    }

    /// The same files of code that counts its statements.
    pub(crate) fn counting(self) -> Self {
        Self { counts: true, ..self }
    }

    /// Returns true if the code counts its statements.
    pub(crate) fn counts(&self) -> bool {
        self.counts
    }

    fn path(&self, name: &str) -> PathBuf {
        let extension = if self.counts { COUNTED } else { EXTENSION };
        self.folder.join(format!("{name}.{extension}"))
    }

    /// Key of the inputs that a file must have been made with.
    fn key(&self) -> Option<String> {
        let target = build::compiler().ok()?.target();
        let counts = if self.counts { "counting " } else { "" };
        Some(format!("{} {} {counts}{target}", env!("COMPILER_FINGERPRINT"), self.options))
    }

    /// The program as it was built, if nothing that went into it has changed.
    pub(crate) fn find(&self, name: &str, path: &Path, sources: &Sources) -> Option<Attempt> {
        let key = self.key()?;
        let Mapped { unit, more } = Mapped::open(&self.path(name), &key).ok()?;
        let mut known: Known = postcard::from_bytes(&more).ok()?;
        known.from = known.from.beneath(sources.root());
        if known.from.source != path {
            return None;
        }
        let touched = known.from.renew(sources)?;
        let restored = known.messages.iter().map(|message| message.restore(|name| sources.source(name)));
        let messages: Vec<Diagnostic> = restored.collect();
        let packages: Option<Vec<_>> =
            known.packages.iter().map(|bytes| Package::from_bytes(bytes).map(Arc::new)).collect();
        let program = Program {
            name: name.to_owned(),
            source: path.to_owned(),
            unit: Arc::new(unit),
            listing: Arc::new(known.listing),
            packages: packages?,
            messages,
            built: false,
        };
        if touched {
            // A file that cannot be renewed costs a little more next time, no more.
            let _ = self.keep(&program, &known.from, sources.root());
        }
        Some(Attempt { result: Ok(program), inputs: known.from.inputs() })
    }

    /// Keeps a program that was built.
    ///
    /// # Errors
    /// Its file cannot be written: what to tell the user.
    pub(crate) fn keep(&self, program: &Program, from: &Ingredients, root: &Path) -> Result<(), Diagnostic> {
        let known = Known {
            from: from.clone().within(root),
            listing: Listing::clone(&program.listing),
            packages: program.packages.iter().map(|package| package.to_bytes()).collect(),
            messages: program.messages.iter().map(SavedMessage::new).collect(),
        };
        self.write(&program.name, &program.unit, &known)
    }

    fn write(&self, name: &str, unit: &Unit, known: &Known) -> Result<(), Diagnostic> {
        let Some(key) = self.key() else { return Ok(()) };
        let path = self.path(name);
        let more = postcard::to_allocvec(known).map_err(|error| not_kept(name, &error))?;
        let file = unit.to_file(&key, more).map_err(|why| match why {
            NotKept::Form(why) => not_kept(name, &why),
            NotKept::TooLong(length) => {
                let most = native::FILE_MAX;
                not_kept(name, &format!("it takes {length} bytes, and {most} is the most"))
            }
        })?;
        write_own(&path, &file).map_err(|error| {
            let Diagnostic { message, help, .. } = unwritable(&path, &error);
            Diagnostic::warning(codes::UNWRITABLE, message).help(help)
        })
    }
}

/// Warning: a program is compiled again at each start.
fn not_kept(name: &str, why: &dyn std::fmt::Display) -> Diagnostic {
    let message = format!("the code of {name} is not kept, and is made again at each start: {why}");
    Diagnostic::warning(codes::NOT_KEPT, message)
}
