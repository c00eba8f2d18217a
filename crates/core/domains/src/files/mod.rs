//! File control: FILE definitions over data sets, and the commands that read and write records.
//!
//! A command's checks come in this order: region, file, its state, what it allows, what only RLS mode can do, whether
//! there is a browse or a record held for update, the identifier (its kind, its length), the length of the record, the
//! record itself. `file` has the states of a file.
//!
//! Out of scope: how a data set keeps its records. That is `vsam`'s.

mod arguments;
mod attributes;
mod browse;
mod conditions;
pub mod definition;
mod edition;
mod file;
mod found;
mod identity;
mod read;
mod registry;
mod tables;
mod target;
mod task;
mod traced;
mod update;

pub use attributes::{
    Access, Attributes, EnableStatus, FileDefinition, FileRecovery, Mode, RemoteFile, TableAttributes,
    TableKind, UpdateModel,
};
pub use file::{File, NotChanged, OpenStatus};
pub use registry::{Files, NotOpened};
pub use tables::LOADERS;
pub use tables::Tables;
pub use task::TaskFiles;

use kernel::exec::Answers;

/// This domain's commands.
pub(crate) const HANDLERS: &[Answers] = &[read::HANDLERS, update::HANDLERS, browse::HANDLERS];

/// RESP2 numbers of file control, as published.
mod resp2 {
    pub const FILE_NOT_DEFINED: i32 = 1;
    pub const NO_LENGTH: i32 = 10;
    pub const AREA_TOO_SMALL: i32 = 11;
    pub const RECORD_TOO_LONG: i32 = 12;
    pub const LENGTH_NEVER_READ: i32 = 13;
    pub const LENGTH_NOT_FIXED: i32 = 14;
    pub const NOT_ALLOWED: i32 = 20;
    pub const NEVER_DELETED: i32 = 21;
    pub const GENERIC_OF_NO_KSDS: i32 = 22;
    pub const KEY_MISMATCH: i32 = 23;
    pub const BACKWARD_IN_GENERIC: i32 = 24;
    pub const GENERIC_KEY_LENGTH: i32 = 25;
    pub const KEY_LENGTH: i32 = 26;
    pub const ALREADY_UPDATING: i32 = 28;
    pub const NOT_UPDATING: i32 = 30;
    pub const NO_KEY: i32 = 31;
    pub const BROWSE_EXISTS: i32 = 33;
    pub const NO_BROWSE_NEXT: i32 = 34;
    pub const NO_BROWSE_END: i32 = 35;
    pub const NO_BROWSE_RESET: i32 = 36;
    pub const IDENTITY_CHANGED: i32 = 37;
    pub const NO_BROWSE_PREVIOUS: i32 = 41;
    pub const NEGATIVE_KEY_LENGTH: i32 = 42;
    pub const NOT_FOR_TABLES: i32 = 44;
    pub const NO_SUCH_TOKEN: i32 = 47;
    pub const DISABLED: i32 = 50;
    pub const RBA_OF_KSDS: i32 = 51;
    pub const CONSISTENT_WITHOUT_RLS: i32 = 52;
    pub const REPEATABLE_WITHOUT_RLS: i32 = 53;
    pub const UPDATE_WITHOUT_RLS: i32 = 54;
    pub const NOSUSPEND_WITHOUT_RLS: i32 = 55;
    pub const XRBA_OF_NO_ESDS: i32 = 59;
    pub const NOT_OPEN: i32 = 60;
    pub const NOT_FOUND: i32 = 80;
    pub const END_OF_FILE: i32 = 90;
    pub const NO_SPACE: i32 = 100;
    pub const TABLE_FULL: i32 = 102;
    pub const LOADING: i32 = 104;
    pub const RETAINED_LOCK: i32 = 106;
    pub const RECORD_BUSY: i32 = 107;
    pub const CHANGED: i32 = 109;
    pub const LOGIC: i32 = 110;
    pub const IO: i32 = 120;
    pub const NO_SUCH_SYSTEM: i32 = 130;
    pub const NO_POOL: i32 = 131;
    pub const DUPLICATE_KEY: i32 = 140;
    pub const DUPLICATE_RECORD: i32 = 150;
}
