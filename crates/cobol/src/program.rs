//! Programs: compiled modules loaded for one TCB.

use std::ffi::CString;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::elf::{self, Segments};
use crate::error::Error;
use crate::image::Slot;
use crate::imports;
use crate::runtime::Handle;
use crate::signals;
use crate::tcb::Tcb;

/// A module that `cobc -m` made, and the program in it that is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledModule {
    /// The shared object.
    pub path: PathBuf,
    /// The PROGRAM-ID.
    pub name: String,
}

/// A loaded program of one TCB. Clones are the same program; it is unloaded when the last clone is gone and no task
/// uses it any more.
#[derive(Clone)]
pub struct Program(pub(crate) Rc<Slot>);

impl Program {
    /// Its PROGRAM-ID.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Bytes that a task's state of it takes when it is out of place.
    pub fn image_size(&self) -> usize {
        self.0.image_size()
    }
}

#[doc(hidden)]
impl Program {
    /// What in a fresh task's data points to memory that is allocated, and is none of what is known to be there: for tests.
    pub fn stray_pointers(&self) -> Vec<usize> {
        self.0.stray_pointers()
    }
}

/// A module's private copy in memory.
pub struct Library {
    handle: Handle,
    /// Where it lies.
    pub segments: Segments,
    /// The module that it is a copy of.
    pub origin: PathBuf,
    copy: PathBuf,
}

impl Library {
    /// Copies a module for one TCB and loads the copy; returns it with the address of the program's entry.
    pub fn load(module: &CompiledModule, tcb: &Tcb, number: u64) -> Result<(Self, usize), Error> {
        let copy = tcb.runtime.directory.join(format!("{}-{number}.so", module.name));
        let object = elf::copy_with_name(&module.path, &copy, &tcb.runtime.name)?;
        let no_entry = || Error::NoEntry { path: module.path.clone(), name: module.name.clone() };
        let symbol = CString::new(entry_symbol(&module.name)).map_err(|_| no_entry())?;
        let foreign = elf::imports(&object).into_iter().find(|import| !imports::is_ordinary(import));
        if let (Some(import), false) = (foreign, tcb.owns_process.get()) {
            let why =
                format!("calls {import}, a function of the process: use a dynamic CALL of a program instead");
            return Err(Error::Unsuitable { path: module.path.clone(), why });
        }
        let handle = Handle::open(&copy).map_err(|e| with_path(e, &module.path))?;
        let entry = handle.symbol(&symbol).ok_or_else(no_entry)?;
        let segments = elf::segments(entry).ok_or_else(no_entry)?;
        // SAFETY: nothing of the module has run but its constructors; the replacements have the symbols' types.
        unsafe {
            segments.bind(&imports::for_module())?;
            segments.bind(&imports::for_long())?;
            if !tcb.owns_process.get() {
                segments.bind(&imports::for_task(tcb))?;
            }
            if segments.bind(&imports::for_division())? > 0 {
                segments.bind(&imports::for_calculations())?;
            }
        }
        for (name, variable) in elf::call_variables(&object) {
            if let Some(address) = imports::own_address(tcb, &name) {
                // SAFETY: as above; the variable holds where a CALL of that name goes to.
                unsafe { segments.set(variable, address) };
            }
        }
        signals::add_text(segments.text);
        Ok((Self { handle, segments, origin: module.path.clone(), copy }, entry))
    }

    /// Where the items of its storage are, by the compiler's numbers: address and length. Those that it has no file for
    /// any more are not found.
    pub fn storage_items(&self) -> Vec<(u32, usize, usize)> {
        let object = fs::read(&self.copy).unwrap_or_default();
        let found = elf::storage_items(&object).into_iter();
        found.map(|(number, address, length)| (number, self.segments.base + address, length)).collect()
    }

    /// Whether an address lies in its code.
    pub fn text_contains(&self, address: usize) -> bool {
        (self.segments.text.0..self.segments.text.1).contains(&address)
    }
}

/// The C name that cobc gives a program's entry.
fn entry_symbol(program: &str) -> String {
    let digit_first = program.starts_with(|c: char| c.is_ascii_digit());
    format!("{}{}", if digit_first { "_" } else { "" }, program.replace('-', "__"))
}

/// The user knows the module's own path, not its copy's.
fn with_path(error: Error, path: &Path) -> Error {
    match error {
        Error::Load { why, .. } => Error::Load { path: path.to_owned(), why },
        other => other,
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        signals::remove_text(self.segments.text);
        // SAFETY: the slot is dropped with it, so no task has entered it, and the runtime's list of modules has
        // been cleared of it.
        unsafe { self.handle.close() };
        let _ = fs::remove_file(&self.copy);
    }
}

#[cfg(test)]
mod tests {
    use super::entry_symbol;

    #[test]
    fn entries_have_names_that_c_knows() {
        for (program, symbol) in [("COSGN00C", "COSGN00C"), ("MY-PROG", "MY__PROG"), ("1ABC", "_1ABC")] {
            assert_eq!(entry_symbol(program), symbol);
        }
    }
}
