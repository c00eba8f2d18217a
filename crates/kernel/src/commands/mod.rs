//! The commands and definitions of what stands below the task: storage, channels, programs, terminals and their kind.
//!
//! A command needs the task and the door (`exec`), which those modules know nothing of; so theirs stand here, a file or
//! folder for each. What never lives here: their state.

pub(crate) mod channels;
pub(crate) mod monitoring;
pub(crate) mod programs;
pub(crate) mod recovery;
pub(crate) mod security;
pub(crate) mod statistics;
pub(crate) mod storage;
pub(crate) mod terminals;
