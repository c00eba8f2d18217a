//! The commands as values.

use std::ops::Range;

use diagnostics::TextPlace;

use crate::attributes::{Attributes, Keys, RecordSize};

/// The greatest record of an alternate index that says nothing of it, and that of a cluster.
const AIX_RECORD_SIZE: RecordSize = RecordSize { average: 4086, maximum: 32600 };
const RECORD_SIZE: RecordSize = RecordSize { average: 4089, maximum: 4089 };
/// The key of an index that says nothing of it.
const KEYS: Keys = Keys { length: 64, offset: 0 };
/// The share options of what says nothing of them.
const SHARE_OPTIONS: (u32, u32) = (1, 3);

/// The name of a catalogue entry or a data set, in upper case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name; it may be generic where a command allows that.
    pub text: String,
    /// Place of the name.
    pub place: TextPlace,
}

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each variant is documented at the type it holds")]
pub enum Command {
    DefineCluster(Cluster),
    DefineAlternateIndex(AlternateIndex),
    DefinePath(Path),
    DefineGdg(Gdg),
    DefineNonvsam(Nonvsam),
    DefineAlias(Alias),
    Delete(Delete),
    Alter(Alter),
    BuildIndex(BuildIndex),
    Repro(Repro),
    Print(Print),
    ListCatalog(ListCatalog),
    Verify(Verify),
    Export(Export),
    Import(Import),
    Examine(Examine),
}

/// Organizations of a cluster's records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Organization {
    /// INDEXED: by key (KSDS).
    #[default]
    Indexed,
    /// NONINDEXED: in the order of entry (ESDS).
    Entry,
    /// NUMBERED: by number (RRDS).
    Numbered,
    /// LINEAR: no records.
    Linear,
}

/// DEFINE CLUSTER.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Its name.
    pub name: Name,
    /// Organization of the records.
    pub organization: Organization,
    /// Attributes of the cluster; those of DATA count if the cluster has none.
    pub attributes: Attributes,
    /// The name of its data component, if given.
    pub data: Option<Name>,
    /// The name of its index component, if given.
    pub index: Option<Name>,
    /// The cluster whose attributes count where this one says nothing.
    pub model: Option<Name>,
}

impl Cluster {
    /// The key; only an indexed cluster has one.
    pub fn keys(&self) -> Option<Keys> {
        (self.organization == Organization::Indexed).then(|| self.attributes.keys.unwrap_or(KEYS))
    }

    /// The record size.
    pub fn record_size(&self) -> RecordSize {
        self.attributes.record_size.unwrap_or(RECORD_SIZE)
    }

    /// The share options.
    pub fn share_options(&self) -> (u32, u32) {
        self.attributes.share_options.unwrap_or(SHARE_OPTIONS)
    }
}

/// DEFINE ALTERNATEINDEX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlternateIndex {
    /// Its name.
    pub name: Name,
    /// The base cluster.
    pub relate: Name,
    /// Attributes, as in [`Cluster::attributes`].
    pub attributes: Attributes,
    /// The name of its data component, if given.
    pub data: Option<Name>,
    /// The name of its index component, if given.
    pub index: Option<Name>,
    /// As in [`Cluster::model`].
    pub model: Option<Name>,
}

impl AlternateIndex {
    /// The alternate key in the records of the base.
    pub fn keys(&self) -> Keys {
        self.attributes.keys.unwrap_or(KEYS)
    }

    /// The record size of the index itself.
    pub fn record_size(&self) -> RecordSize {
        self.attributes.record_size.unwrap_or(AIX_RECORD_SIZE)
    }

    /// Returns true if an alternate key belongs to one record only.
    pub fn is_unique(&self) -> bool {
        self.attributes.unique_key.unwrap_or(false)
    }

    /// Returns true if it follows every change of its base.
    pub fn upgrades(&self) -> bool {
        self.attributes.upgrade.unwrap_or(true)
    }
}

/// DEFINE PATH.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Its name.
    pub name: Name,
    /// The alternate index, or the cluster it is another name of.
    pub entry: Name,
    /// True if the indexes of the base's upgrade set follow changes made through it.
    pub update: bool,
}

/// DEFINE GENERATIONDATAGROUP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gdg {
    /// Its name.
    pub name: Name,
    /// Number of generations that are kept.
    pub limit: u32,
    /// True if all generations go when the limit is passed, and not the oldest only.
    pub empty: bool,
    /// True if a generation that goes is deleted.
    pub scratch: bool,
}

/// DEFINE NONVSAM: a sequential data set gets an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nonvsam {
    /// Its name.
    pub name: Name,
}

/// DEFINE ALIAS: another name for an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    /// The other name.
    pub name: Name,
    /// The entry.
    pub relate: Name,
}

/// Kinds of entries that commands are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the published ones")]
pub enum EntryKind {
    Cluster,
    AlternateIndex,
    Path,
    Gdg,
    Nonvsam,
    Data,
    Index,
    Alias,
    UserCatalog,
}

/// DELETE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delete {
    /// Entries to delete; names may be generic.
    pub entries: Vec<Name>,
    /// Only entries of this kind.
    pub kind: Option<EntryKind>,
    /// PURGE: even if the retention period is not over.
    pub purge: bool,
    /// FORCE: even if it is not empty.
    pub force: bool,
    /// ERASE or NOERASE: whether the data are overwritten; none for what the entry says.
    pub erase: Option<bool>,
    /// NOSCRATCH: only the catalogue entry.
    pub no_scratch: bool,
    /// MASK: `**` stands for any qualifiers.
    pub mask: bool,
    /// Place of the command.
    pub place: TextPlace,
}

/// ALTER.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alter {
    /// The entry.
    pub entry: Name,
    /// Its new name.
    pub new_name: Option<Name>,
    /// Further attributes that change.
    pub attributes: Attributes,
    /// True if it names volumes, which do not exist here.
    pub volumes: bool,
}

/// A data set that a command reads or writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileRef {
    /// The ddname, if it is given by one.
    pub ddname: Option<String>,
    /// Its name: as given, or from the DD statement of the step; `None` if there is no such statement.
    pub data_set: Option<String>,
    /// The lines of in-stream data, if the DD statement has some (from 1).
    pub in_stream: Option<Range<usize>>,
}

/// A key in a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// Characters, to be padded or cut by who compares.
    Characters(String),
    /// X'…': bytes as they are.
    Bytes(Vec<u8>),
}

/// Which records a command is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// FROMKEY.
    pub from_key: Option<Key>,
    /// TOKEY.
    pub to_key: Option<Key>,
    /// FROMADDRESS, TOADDRESS: relative bytes.
    pub addresses: (Option<u64>, Option<u64>),
    /// FROMNUMBER, TONUMBER: relative record numbers.
    pub numbers: (Option<u64>, Option<u64>),
    /// SKIP: how many records are left out first.
    pub skip: Option<u64>,
    /// COUNT: how many records at most.
    pub count: Option<u64>,
}

/// BLDINDEX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildIndex {
    /// The base cluster, or a path to it.
    pub from: FileRef,
    /// The alternate indexes, or paths to them.
    pub to: Vec<FileRef>,
    /// Place of the command.
    pub place: TextPlace,
}

/// REPRO.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repro {
    /// File that is read.
    pub from: FileRef,
    /// File that is written.
    pub to: FileRef,
    /// Which records.
    pub selection: Selection,
    /// REPLACE: a record of the same key gives way.
    pub replace: bool,
    /// REUSE: the target is emptied first.
    pub reuse: bool,
    /// Place of the command.
    pub place: TextPlace,
}

/// Formats in which PRINT shows records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PrintFormat {
    /// Hexadecimal and characters.
    #[default]
    Dump,
    /// Characters.
    Character,
    /// Hexadecimal.
    Hex,
}

/// PRINT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Print {
    /// File that is read.
    pub from: FileRef,
    /// Which records.
    pub selection: Selection,
    /// Format of the records.
    pub format: PrintFormat,
    /// Place of the command.
    pub place: TextPlace,
}

/// Levels of detail of LISTCAT.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the published ones")]
pub enum Detail {
    #[default]
    Name,
    History,
    Volume,
    Allocation,
    All,
}

/// LISTCAT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListCatalog {
    /// ENTRIES: names, generic ones too; nothing for all.
    pub entries: Vec<Name>,
    /// LEVEL: all entries below these qualifiers.
    pub levels: Vec<Name>,
    /// Only entries of these kinds.
    pub kinds: Vec<EntryKind>,
    /// Level of detail.
    pub detail: Detail,
    /// Place of the command.
    pub place: TextPlace,
}

/// VERIFY.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verify {
    /// File that is verified.
    pub file: FileRef,
    /// Place of the command.
    pub place: TextPlace,
}

/// EXPORT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// The entry.
    pub entry: Name,
    /// Destination of the copy.
    pub to: FileRef,
    /// TEMPORARY: the entry stays.
    pub temporary: bool,
}

/// IMPORT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The copy.
    pub from: FileRef,
    /// The data set, where it is not that of the copy.
    pub to: FileRef,
    /// INTOEMPTY: it exists and is empty.
    pub into_empty: bool,
    /// OBJECTS: entries of the copy that get other names.
    pub renamed: Vec<(Name, Name)>,
    /// Place of the command.
    pub place: TextPlace,
}

/// EXAMINE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examine {
    /// The cluster.
    pub name: Name,
    /// INDEXTEST.
    pub index: bool,
    /// DATATEST.
    pub data: bool,
}
