//! Attributes of data sets, alternate indexes, paths and generation groups.

/// Place of a key in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys {
    /// Its length in bytes.
    pub length: u32,
    /// Number of bytes before it in the record.
    pub offset: u32,
}

/// Lengths of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordSize {
    /// On average, in bytes.
    pub average: u32,
    /// At most.
    pub maximum: u32,
}

/// Which changes are logged so that they can be backed out or done again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Log {
    /// None.
    None,
    /// Backout only.
    Undo,
    /// Backout and forward recovery.
    All,
}

/// Attributes as far as a command gives them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// KEYS.
    pub keys: Option<Keys>,
    /// RECORDSIZE.
    pub record_size: Option<RecordSize>,
    /// SHAREOPTIONS: across regions, across systems.
    pub share_options: Option<(u32, u32)>,
    /// REUSE or NOREUSE.
    pub reuse: Option<bool>,
    /// ERASE or NOERASE.
    pub erase: Option<bool>,
    /// SPANNED or NONSPANNED.
    pub spanned: Option<bool>,
    /// LOG.
    pub log: Option<Log>,
    /// LOGSTREAMID.
    pub log_stream: Option<String>,
    /// FREESPACE: per cent of a control interval, of a control area.
    pub free_space: Option<(u32, u32)>,
    /// CONTROLINTERVALSIZE.
    pub control_interval: Option<u32>,
    /// UNIQUEKEY or NONUNIQUEKEY.
    pub unique_key: Option<bool>,
    /// UPGRADE or NOUPGRADE.
    pub upgrade: Option<bool>,
    /// UPDATE or NOUPDATE.
    pub update: Option<bool>,
    /// LIMIT: how many generations are kept.
    pub limit: Option<u32>,
    /// EMPTY or NOEMPTY.
    pub empty: Option<bool>,
    /// SCRATCH or NOSCRATCH.
    pub scratch: Option<bool>,
}

impl Attributes {
    /// These attributes, and others where these say nothing.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            keys: self.keys.or(other.keys),
            record_size: self.record_size.or(other.record_size),
            share_options: self.share_options.or(other.share_options),
            reuse: self.reuse.or(other.reuse),
            erase: self.erase.or(other.erase),
            spanned: self.spanned.or(other.spanned),
            log: self.log.or(other.log),
            log_stream: self.log_stream.or(other.log_stream),
            free_space: self.free_space.or(other.free_space),
            control_interval: self.control_interval.or(other.control_interval),
            unique_key: self.unique_key.or(other.unique_key),
            upgrade: self.upgrade.or(other.upgrade),
            update: self.update.or(other.update),
            limit: self.limit.or(other.limit),
            empty: self.empty.or(other.empty),
            scratch: self.scratch.or(other.scratch),
        }
    }
}
