//! What a FILE definition says of a file.

use vsam::Integrity;

use super::tables::TableAttributes;
use crate::name::Name8;

/// What programs may do with a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// WRITE.
    pub add: bool,
    /// STARTBR and what follows.
    pub browse: bool,
    /// DELETE.
    pub delete: bool,
    /// READ.
    pub read: bool,
    /// READ UPDATE, REWRITE.
    pub update: bool,
}

/// How requests are carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mode {
    /// RLSACCESS(YES): read integrity, NOSUSPEND and browse for update are allowed.
    pub rls: bool,
    /// READINTEG: for reads that say nothing, in RLS mode.
    pub integrity: Integrity,
    /// RECORDFORMAT(F): all records are as long as the data set's longest.
    pub fixed: bool,
}

/// RECOVERY: what the owner of the definition asks for. What the data set has is what counts for changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileRecovery {
    /// NONE.
    #[default]
    None,
    /// BACKOUTONLY.
    Backout,
    /// ALL: forward recovery too.
    Forward,
}

/// What SET FILE can change while a file is closed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// The data set; empty: none yet.
    pub dataset: String,
    /// What programs may do.
    pub access: Access,
    /// How requests are carried out.
    pub mode: Mode,
    /// RECOVERY.
    pub recovery: FileRecovery,
    /// The data table, if it is one.
    pub table: TableAttributes,
    /// DISPOSITION(OLD). Noted: a data set belongs to its region.
    pub old: bool,
    /// EMPTYREQ: a reusable data set is emptied when the file is opened next.
    pub empty_required: bool,
    /// STRINGS. Noted: requests are never short of them.
    pub strings: i64,
    /// LSRPOOLNUM. Noted: there are no buffers to share.
    pub lsr_pool: i64,
    /// KEYLENGTH, if it says so: told while the file is closed.
    pub key_length: i64,
    /// RECORDSIZE, if it says so: told while the file is closed.
    pub record_size: i64,
}

/// Whether a file may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EnableStatus {
    /// Yes.
    #[default]
    Enabled,
    /// No, by command or definition.
    Disabled,
    /// No, since it was closed, or by definition.
    Unenabled,
}

/// A FILE definition.
#[derive(Clone, Debug, Default)]
pub struct FileDefinition {
    /// Its name.
    pub name: Name8,
    /// What can be changed.
    pub attributes: Attributes,
    /// STATUS.
    pub status: EnableStatus,
    /// OPENTIME(STARTUP): opened when the region starts, not by its first use.
    pub open_at_startup: bool,
}
