//! Program control: which programs there are, and their modules.
//!
//! States of a program: *defined* (its module is not known yet) → *loaded* (a module, shared by all tasks that start
//! from now on) → *loaded* with another one by NEWCOPY or PHASEIN, if that can be had, or *defined* again because its source
//! has changed. A task keeps the module it has started with.
//!
//! The module itself comes from a [`Library`]: sources, compilers and caches are not known here.

mod entered;
mod images;
mod table;

pub(crate) use entered::{OwnEntered, OwnLevel, Wanted};
pub use images::{Image, Images, Uses};
pub use table::{Body, Concurrency, LoadError, Native, Program, Programs};

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A loadable module.
pub struct Module {
    /// The file.
    pub path: PathBuf,
    /// The program's name in it.
    pub entry: String,
    /// Its machine code, if it was compiled natively: the file is its source then.
    pub own: Option<Arc<native::Unit>>,
    /// Why natively compiled programs cannot CALL it, if it was compiled otherwise, and what to do.
    pub not_called_natively: Option<String>,
    /// From lines of the text that was compiled to the user's own.
    pub lines: Lines,
    /// From the numbers of EXEC statements to what the user has written.
    pub statements: Statements,
}

impl Module {
    /// Its bytes, as they are kept in files.
    ///
    /// # Errors
    /// Why there are none.
    pub fn bytes(&self) -> Result<Vec<u8>, String> {
        let Some(unit) = &self.own else {
            let path = &self.path;
            return std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
        };
        unit.to_file(&self.entry, Vec::new()).map_err(|why| match why {
            native::NotKept::Form(why) => why,
            native::NotKept::TooLong(length) => format!("it would have {length} bytes"),
        })
    }
}

/// The user's source and line of a line of the text that was compiled.
pub type Lines = Box<dyn Fn(u32) -> Option<(String, u32)> + Send + Sync>;

/// The EXEC statement of a number, from 1.
pub type Statements = Box<dyn Fn(u16) -> Option<Statement> + Send + Sync>;

/// An EXEC statement as the user has written it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The source.
    pub source: String,
    /// The line at which it begins.
    pub line: u32,
    /// The command on one line.
    pub text: String,
}

/// A record or a single item of a program's storage.
pub struct StorageItem {
    /// Where it was described.
    pub section: Section,
    /// The compiler's number for it; none where no statement uses it, or it lies in storage that has no number.
    pub number: Option<u32>,
    /// What it holds.
    pub layout: copybook::Layout,
}

/// A section of the DATA DIVISION.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are COBOL's")]
pub enum Section {
    Working,
    Local,
    Linkage,
}

/// Where modules and maps come from. Calls may take as long as a compiler; they are made off the TCBs.
pub trait Library: Send + Sync {
    /// The module of a program; `None` where there is no such program.
    ///
    /// # Errors
    /// Messages about the program's text, as they should be shown.
    fn module(&self, program: &str) -> Result<Option<Module>, String>;

    /// The module of a natively compiled program for hosted programs that CALL it; `None` where there is no such program.
    ///
    /// # Errors
    /// As of [`Self::module`].
    fn hosted(&self, program: &str) -> Result<Option<Module>, String> {
        self.module(program)
    }

    /// What the storage of a module's program consists of; `None` if nobody knows.
    fn storage(&self, _module: &Path) -> Option<Vec<StorageItem>> {
        None
    }

    /// A document template, as program characters; `None` where there is no such template.
    ///
    /// # Errors
    /// Why it cannot be read, for the region's log.
    fn template(&self, _name: &str) -> Result<Option<Vec<u8>>, String> {
        Ok(None)
    }

    /// A mapset; `None` where there is no such mapset.
    ///
    /// # Errors
    /// Messages about the mapset's text, as they should be shown.
    fn mapset(&self, mapset: &str) -> Result<Option<bms::Mapset>, String>;
}
