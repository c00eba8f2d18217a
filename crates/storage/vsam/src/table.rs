//! A table: a key-sequenced data set that no catalogue knows, in a store of another engine.

use std::sync::Arc;

use parking_lot::Mutex;
use records::StoreId;

use crate::dataset::Dataset;
use crate::sphere::Sphere;
use crate::{Cluster, Error, Organization, Result};

impl Dataset {
    /// A table with a cluster's shape, over a store. Its operations work in units of work of the engine that has the
    /// store.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the cluster is not a KSDS.
    pub fn table(cluster: Cluster, store: StoreId) -> Result<Arc<Self>> {
        Self::of_table(cluster, store, false)
    }

    /// A table that other processes use, too: its records and their locks are elsewhere.
    ///
    /// # Errors
    /// As for [`Self::table`].
    pub fn shared_table(cluster: Cluster, store: StoreId) -> Result<Arc<Self>> {
        Self::of_table(cluster, store, true)
    }

    fn of_table(cluster: Cluster, store: StoreId, is_shared: bool) -> Result<Arc<Self>> {
        if !matches!(cluster.organization, Organization::Keyed(_)) {
            return Err(Error::Invalid("a table has keys"));
        }
        let name = cluster.name.clone();
        let sphere = Arc::new(Sphere::alone(cluster, store, is_shared));
        Ok(Arc::new(Self { name, sphere, through: None, in_use: Mutex::default() }))
    }

    /// The store with its records; an alternate index has another one.
    pub fn store(&self) -> StoreId {
        self.sphere.store
    }
}
