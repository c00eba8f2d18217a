//! Changes of a region, passed on to a listener.
//!
//! A region without a listener pays the test of one flag at each place that could tell something.

use std::sync::Arc;

use parking_lot::RwLock;

use crate::control::TaskControl;
use crate::name::Name8;
use crate::region::{Looks, Region};

/// A change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A task begins or ends: so many run now, of MXT.
    Tasks {
        /// Tasks that run.
        running: usize,
        /// MXT.
        most: usize,
    },
    /// The same of a transaction class that is defined.
    Class {
        /// Its name.
        name: Name8,
        /// Tasks of it that run.
        running: usize,
        /// MAXACTIVE.
        most: usize,
    },
    /// The status of resources may have changed.
    Changed,
}

/// A listener.
pub trait Listener: Send + Sync {
    /// Takes a notice. `task`: the task that caused it, if one did.
    fn hears(&self, region: &Arc<Region>, task: Option<&TaskControl>, notice: Notice);
}

/// The listener of a region.
#[derive(Default)]
pub struct Notices(RwLock<Option<Arc<dyn Listener>>>);

impl Notices {
    /// Sets the listener of a region; `None` takes it away.
    pub fn set(region: &Region, listener: Option<Arc<dyn Listener>>) {
        let is_one = listener.is_some();
        *region.part::<Self>().0.write() = listener;
        region.looks.set(Looks::NOTICED, is_one);
    }

    /// Returns true if the region has a listener.
    #[inline]
    pub fn are_wanted(region: &Region) -> bool {
        region.looks.any(Looks::NOTICED)
    }

    /// Passes a notice to the listener.
    #[cold]
    pub fn tell(region: &Arc<Region>, task: Option<&TaskControl>, notice: Notice) {
        let listener = region.part::<Self>().0.read().clone();
        if let Some(listener) = listener {
            listener.hears(region, task, notice);
        }
    }
}
