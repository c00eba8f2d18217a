//! Program control: which programs there are, their modules, and the commands that pass control.
//!
//! States of a program: *defined* (its module is not known yet) → *loaded* (a module, shared by all tasks that start
//! from now on) → *loaded* with another one by NEWCOPY or PHASEIN, if that can be had, or *defined* again because its source
//! has changed. A task keeps the module it has started with.
//!
//! The module itself comes from a [`Library`]: sources, compilers and caches are not known here.

mod commands;
mod images;
mod load;
mod table;

pub use images::{Image, Images};
pub use table::{Concurrency, LoadError, Native, NativeProgram, NativeWaiting, Program, Programs};

use std::path::PathBuf;

use crate::exec::Answers;

/// This domain's commands.
pub(crate) const HANDLERS: &[Answers] = &[commands::HANDLERS, load::HANDLERS];

/// A loadable module.
pub struct Module {
    /// The file.
    pub path: PathBuf,
    /// The program's name in it.
    pub entry: String,
    /// From lines of the text that was compiled to the user's own.
    pub lines: Lines,
}

/// The user's source and line of a line of the text that was compiled.
pub type Lines = Box<dyn Fn(u32) -> Option<(String, u32)> + Send + Sync>;

/// Where modules and maps come from. Calls may take as long as a compiler; they are made off the TCBs.
pub trait Library: Send + Sync {
    /// The module of a program; `None` where there is no such program.
    ///
    /// # Errors
    /// Messages about the program's text, as they should be shown.
    fn module(&self, program: &str) -> Result<Option<Module>, String>;

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
