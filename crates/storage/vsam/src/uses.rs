//! Uses of clusters in this process, and the right to use one.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use records::Claim;

use crate::Name;
use crate::sphere::Sphere;

/// Present use of a cluster.
#[derive(Default)]
pub(crate) struct Use {
    /// Number of opens.
    pub(crate) opens: usize,
    /// A utility has it to itself.
    pub(crate) exclusive: bool,
    pub(crate) sphere: Option<Arc<Sphere>>,
}

/// The right to use a cluster; given back when dropped.
pub(crate) struct InUse {
    pub(crate) uses: Arc<Mutex<HashMap<Name, Use>>>,
    pub(crate) cluster: Name,
    pub(crate) exclusive: bool,
    /// The same right among all who share the engine.
    pub(crate) claim: Option<Claim>,
}

impl Drop for InUse {
    fn drop(&mut self) {
        let mut uses = self.uses.lock();
        let Some(used) = uses.get_mut(&self.cluster) else { return };
        if self.exclusive {
            used.exclusive = false;
        } else {
            used.opens -= 1;
        }
        if used.opens == 0 && !used.exclusive {
            uses.remove(&self.cluster);
        }
    }
}
