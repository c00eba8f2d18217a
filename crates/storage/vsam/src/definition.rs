//! Attributes of a catalogue entry.

use records::Recovery;

use crate::{Error, Name, Result};

/// Place of a key in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyField {
    /// Offset of its first byte.
    pub offset: usize,
    /// Length in bytes, 1 to 255.
    pub length: usize,
}

impl KeyField {
    /// The length that a record needs to contain the whole key.
    pub fn end(self) -> usize {
        self.offset + self.length
    }

    /// The key in a record, if the record reaches so far.
    pub fn of(self, record: &[u8]) -> Option<&[u8]> {
        record.get(self.offset..self.end())
    }
}

/// Organizations of a cluster's records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Organization {
    /// KSDS: by a key in the record.
    Keyed(KeyField),
    /// ESDS: in the order of writing; a record is known by its relative byte address, eight bytes big-endian.
    EntrySequenced,
    /// RRDS: in numbered slots from 1, four bytes big-endian. Fixed length if average and maximum are the same.
    Relative,
}

/// A cluster to be defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// Its name.
    pub name: Name,
    /// Organization of its records.
    pub organization: Organization,
    /// Average length of a record: what the owner expects.
    pub average: usize,
    /// The longest record.
    pub maximum: usize,
    /// Recovery: how changes belong to units of work.
    pub recovery: Recovery,
    /// Emptied when it is opened for output.
    pub reuse: bool,
}

impl Cluster {
    /// Checks that a record has a length that the cluster allows, and reaches to the end of its key.
    pub fn check_record(&self, record: &[u8]) -> Result<()> {
        let length = record.len();
        if length > self.maximum {
            return Err(Error::TooLong { length, maximum: self.maximum });
        }
        let fixed = self.organization == Organization::Relative && self.average == self.maximum;
        if fixed && length != self.maximum {
            return Err(Error::LengthChanged { length, required: self.maximum });
        }
        let minimum = match self.organization {
            Organization::Keyed(key) => key.end(),
            _ => 1,
        };
        if length < minimum { Err(Error::TooShort { length, minimum }) } else { Ok(()) }
    }
}

/// An alternate index to be defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlternateIndex {
    /// Its name.
    pub name: Name,
    /// The cluster that it is over.
    pub relate: Name,
    /// Place of the alternate key in the cluster's records.
    pub key: KeyField,
    /// True if an alternate key leads to one record only.
    pub unique: bool,
    /// Kept up to date by every change of the cluster. Otherwise it shows what the last BLDINDEX found.
    pub upgrade: bool,
}

/// A path to be defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Its name.
    pub name: Name,
    /// The alternate index that it goes through, or a cluster (then it is another name of it).
    pub entry: Name,
}

/// Anything that can be defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Definition {
    /// DEFINE CLUSTER.
    Cluster(Cluster),
    /// DEFINE ALTERNATEINDEX.
    AlternateIndex(AlternateIndex),
    /// DEFINE PATH.
    Path(Path),
}

impl Definition {
    /// The name that it will have in the catalogue.
    pub fn name(&self) -> &Name {
        match self {
            Self::Cluster(cluster) => &cluster.name,
            Self::AlternateIndex(index) => &index.name,
            Self::Path(path) => &path.name,
        }
    }
}
