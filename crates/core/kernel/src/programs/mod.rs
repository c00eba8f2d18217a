//! Program control: which programs there are, and their modules.
//!
//! States of a program: *defined* (its module is not known yet) → *loaded* (a module, shared by all tasks that start
//! from now on) → *loaded* with another one by NEWCOPY or PHASEIN, if that can be had, or *defined* again because its source
//! has changed. A task keeps the module it has started with.
//!
//! The module itself comes from a [`Library`]: sources, the compiler and caches are not known here.

mod entered;
mod images;
mod running;
mod table;

pub(crate) use entered::{EnteredProgram, ProgramLevel, Wanted};
pub use images::{Image, Images, Uses};
pub(crate) use running::Run;
pub use table::{Body, Concurrency, JavaProgram, LoadError, Program, Programs, RemoteProgram, SuppliedCode};

use std::path::PathBuf;
use std::sync::Arc;

/// A compiled program.
pub struct Module {
    /// The program's name in its source.
    pub entry: String,
    /// The file of its source.
    pub source: PathBuf,
    /// Its machine code.
    pub unit: Arc<native::Unit>,
    /// From the numbers of EXEC statements to what the user has written.
    pub statements: Statements,
}

impl Module {
    /// Its bytes, as they are kept in files.
    ///
    /// # Errors
    /// The reason that there are none.
    pub fn bytes(&self) -> Result<Vec<u8>, String> {
        self.unit.to_file(&self.entry, Vec::new()).map_err(|why| match why {
            native::NotKept::Form(why) => why,
            native::NotKept::TooLong(length) => format!("it would have {length} bytes"),
        })
    }
}

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

/// Source of modules and maps. Calls may take as long as a compiler; they are made off the TCBs.
pub trait Library: Send + Sync {
    /// The module of a program; `None` where there is no such program.
    ///
    /// # Errors
    /// Messages about the program's text, as they should be shown.
    fn module(&self, program: &str) -> Result<Option<Module>, String>;

    /// A document template, as program characters; `None` where there is no such template.
    ///
    /// # Errors
    /// The reason why it cannot be read, for the region's log.
    fn template(&self, _name: &str) -> Result<Option<Vec<u8>>, String> {
        Ok(None)
    }

    /// A mapset; `None` where there is no such mapset.
    ///
    /// # Errors
    /// Messages about the mapset's text, as they should be shown.
    fn mapset(&self, mapset: &str) -> Result<Option<bms::Mapset>, String>;
}
