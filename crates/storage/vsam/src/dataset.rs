//! An open data set: a cluster, seen directly or through an alternate index.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;

use crate::sphere::{Index, RBA_LENGTH, RRN_LENGTH, Sphere};
use crate::uses::InUse;
use crate::{Cluster, KeyField, Name, Organization};

/// An open data set. Every operation works in the unit of work that it is given.
pub struct Dataset {
    pub(crate) name: Name,
    pub(crate) sphere: Arc<Sphere>,
    /// The alternate index through which it is seen.
    pub(crate) through: Option<Arc<Index>>,
    /// The right to use the cluster, until it is given back; a table needs none.
    pub(crate) in_use: Mutex<Option<InUse>>,
}

impl Dataset {
    /// Gives the right to use the cluster back, even if a caller still has the data set: that caller must not use it any more.
    pub fn close(&self) {
        *self.in_use.lock() = None;
    }

    /// The name under which it was opened.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The cluster.
    pub fn cluster(&self) -> &Cluster {
        &self.sphere.cluster
    }

    /// Returns true if other processes use it, too: its records and their locks are elsewhere.
    pub fn is_shared(&self) -> bool {
        self.sphere.is_shared
    }

    /// Returns true if it is seen through an alternate index.
    pub fn is_path(&self) -> bool {
        self.through.is_some()
    }

    /// ESDS: the address of the next record.
    pub fn next_address(&self) -> u64 {
        self.sphere.next_address.load(Ordering::Relaxed)
    }

    /// Returns true if changes must look after keys of alternate indexes that are unique.
    pub fn has_unique_indexes(&self) -> bool {
        self.sphere.upgrades.iter().any(|index| index.unique)
    }

    /// Returns true if a key can have several records.
    pub fn has_duplicates(&self) -> bool {
        self.through.as_ref().is_some_and(|index| !index.unique)
    }

    /// The length of the keys by which records are found here.
    pub fn key_length(&self) -> usize {
        match (&self.through, self.sphere.cluster.organization) {
            (Some(index), _) => index.key.length,
            (None, Organization::Keyed(key)) => key.length,
            (None, Organization::EntrySequenced) => RBA_LENGTH,
            (None, Organization::Relative) => RRN_LENGTH,
        }
    }

    /// Place of those keys in a record, if they are in it.
    pub fn key_field(&self) -> Option<KeyField> {
        match (&self.through, self.sphere.cluster.organization) {
            (Some(index), _) => Some(index.key),
            (None, Organization::Keyed(key)) => Some(key),
            _ => None,
        }
    }
}
