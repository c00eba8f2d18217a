//! The commands of the modules below the door: storage, channels, programs, terminals and their kind.
//!
//! A command needs the task and the door (`exec`), of which those modules know nothing. So their commands are here, a
//! file or folder for each. Out of scope: their state.

pub mod channels;
pub mod copies;
pub(crate) mod issue;
pub(crate) mod monitoring;
pub(crate) mod printing;
pub(crate) mod programs;
pub(crate) mod recovery;
pub(crate) mod scs;
pub mod security;
pub mod statistics;
pub(crate) mod storage;
pub mod terminals;
