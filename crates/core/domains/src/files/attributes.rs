//! The attributes of a file: what its definition says, and what SET FILE can change.

use kernel::name::{Name, Name8};
use vsam::Integrity;

/// The requests that programs may make of a file.
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

/// The mode of requests to a file.
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

/// The attributes that SET FILE can change while a file is closed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// The data set; empty: none yet.
    pub dataset: String,
    /// The requests that programs may make.
    pub access: Access,
    /// The mode of requests.
    pub mode: Mode,
    /// RECOVERY.
    pub recovery: FileRecovery,
    /// BACKUPTYPE(DYNAMIC). Noted: every data set can be saved while it is open.
    pub saved_while_open: bool,
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

/// The enable status of a file.
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
    /// The attributes that can be changed.
    pub attributes: Attributes,
    /// STATUS.
    pub status: EnableStatus,
    /// OPENTIME(STARTUP): opened when the region starts, not by its first use.
    pub open_at_startup: bool,
    /// Its place in another system, if it is remote.
    pub remote: Option<RemoteFile>,
}

/// A file of another system: REMOTESYSTEM, REMOTENAME.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemoteFile {
    /// The system.
    pub system: Name<4>,
    /// The file's name there.
    pub name: Name8,
}

/// TABLE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TableKind {
    /// NO: records are in a data set.
    #[default]
    None,
    /// CICS: copies of a data set's records.
    Cics,
    /// USER: loaded from a data set, then on its own.
    User,
    /// CF: in a pool that several files, and regions, share.
    Coupling,
}

/// UPDATEMODEL: how tasks that change the same record keep out of each other's way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpdateModel {
    /// A record that is read for update is locked.
    #[default]
    Locking,
    /// The fastest wins; the others learn of it when they rewrite or delete.
    Contention,
}

/// The table attributes of a FILE definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableAttributes {
    /// TABLE.
    pub kind: TableKind,
    /// MAXNUMRECS; `None`: NOLIMIT.
    pub records_max: Option<u32>,
    /// CFDTPOOL.
    pub pool: Name8,
    /// TABLENAME; blank: the file's name.
    pub name: Name8,
    /// UPDATEMODEL.
    pub update_model: UpdateModel,
    /// LOAD(YES), of a coupling-facility data table; a user-maintained one is always loaded.
    pub load: bool,
}
