//! The table attributes of a FILE definition.

use kernel::name::Name8;

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
    /// The fastest wins; the others are told when they rewrite or delete.
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
