//! What can go wrong: engine errors, and accesses to task storage that the task, not the region, has to answer for.

use std::path::PathBuf;

/// An engine error: the host could not do its own work.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No libcob was found.
    #[error("libcob.so.4 was not found in {searched:?}: install GnuCOBOL 3 (Debian: gnucobol3)")]
    NoRuntime {
        /// Where it was looked for.
        searched: Vec<PathBuf>,
    },
    /// The installed libcob is not one whose structures are known.
    #[error("libcob is version {found:?}; this host knows {known}")]
    Version {
        /// What the library says of itself.
        found: String,
        /// The versions that are known.
        known: &'static str,
    },
    /// A file is not what it should be.
    #[error("{path}: {why}")]
    Unsuitable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The dynamic loader refused a library.
    #[error("{path}: cannot be loaded: {why}")]
    Load {
        /// The file.
        path: PathBuf,
        /// The loader's words.
        why: String,
    },
    /// A program's module has no entry of its name.
    #[error("{path}: has no program {name}")]
    NoEntry {
        /// The file.
        path: PathBuf,
        /// The program.
        name: String,
    },
    /// The system refused something.
    #[error("{what}: {source}")]
    System {
        /// What was asked.
        what: String,
        /// Its answer.
        source: std::io::Error,
    },
    /// This thread has a host already.
    #[error("this thread has a COBOL host already: one per TCB thread")]
    SecondHost,
}

impl Error {
    pub(crate) fn system(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |source| Self::System { what, source }
    }
}

/// An address that the task gave is not storage: an ASRA of that task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("address {address:#x} is not accessible storage")]
pub struct StorageFault {
    /// The start of the area that was to be copied.
    pub address: usize,
}

/// Why an argument cannot be read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccessError {
    /// Its address is not storage.
    #[error(transparent)]
    Storage(#[from] StorageFault),
    /// Its bytes are not a number of its type: a data exception.
    #[error("the field's bytes are not a number")]
    NotNumeric,
    /// The value does not fit into the field.
    #[error("the value does not fit into the field")]
    TooLarge,
    /// The CALL has no such argument.
    #[error("the call has no such argument")]
    Missing,
}
