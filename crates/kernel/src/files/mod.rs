//! File control: FILE definitions over data sets, and the commands that read and write records.
//!
//! States of a file: *enabled* or not (UNENABLED after a close, DISABLED by command), and *open* or closed; an enabled
//! file is opened by its first use. A command's checks come in the published order: file, state, what the file allows,
//! its own arguments, the record.
//!
//! What never lives here: how a data set keeps its records. That is `vsam`'s.

mod arguments;
mod browse;
mod conditions;
mod file;
mod read;
mod task;
mod update;

pub use file::{Access, EnableStatus, File, FileDefinition, Files};
pub use task::TaskFiles;

use crate::exec::Answers;

/// This domain's commands.
pub(crate) const HANDLERS: &[Answers] = &[read::HANDLERS, update::HANDLERS, browse::HANDLERS];

/// RESP2 numbers of file control, as published.
mod resp2 {
    pub const FILE_NOT_DEFINED: i32 = 1;
    pub const NO_LENGTH: i32 = 10;
    pub const AREA_TOO_SMALL: i32 = 11;
    pub const RECORD_TOO_LONG: i32 = 12;
    pub const LENGTH_NOT_FIXED: i32 = 14;
    pub const NOT_ALLOWED: i32 = 20;
    pub const NEVER_DELETED: i32 = 21;
    pub const KEY_MISMATCH: i32 = 23;
    pub const BACKWARD_AFTER_GENERIC: i32 = 24;
    pub const GENERIC_KEY_LENGTH: i32 = 25;
    pub const KEY_LENGTH: i32 = 26;
    pub const ALREADY_UPDATING: i32 = 28;
    pub const NOT_UPDATING: i32 = 30;
    pub const NO_KEY: i32 = 31;
    pub const BROWSE_EXISTS: i32 = 33;
    pub const NO_BROWSE_NEXT: i32 = 34;
    pub const NO_BROWSE_END: i32 = 35;
    pub const NO_BROWSE_RESET: i32 = 36;
    pub const NO_BROWSE_PREVIOUS: i32 = 41;
    pub const NEGATIVE_KEY_LENGTH: i32 = 42;
    pub const NO_SUCH_TOKEN: i32 = 47;
    pub const DISABLED: i32 = 50;
    pub const NOT_OPEN: i32 = 60;
    pub const NOT_FOUND: i32 = 80;
    pub const END_OF_FILE: i32 = 90;
    pub const NO_SPACE: i32 = 100;
    pub const RETAINED_LOCK: i32 = 106;
    pub const RECORD_BUSY: i32 = 107;
    pub const LOGIC: i32 = 110;
    pub const IO: i32 = 120;
    pub const DUPLICATE_KEY: i32 = 140;
    pub const DUPLICATE_RECORD: i32 = 150;
}
