//! What happens to a region, told to somebody who wants to hear of it.
//!
//! As long as there is nobody, a place that tells something costs the test of one flag.

use std::sync::Arc;

use parking_lot::RwLock;

use crate::control::TaskControl;
use crate::name::Name8;
use crate::region::{Looks, Region};

/// Something that happens.
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

/// Somebody who hears of it.
pub trait Listener: Send + Sync {
    /// It has happened, by this task if by any.
    fn hears(&self, region: &Arc<Region>, task: Option<&TaskControl>, notice: Notice);
}

/// The listener of a region.
#[derive(Default)]
pub struct Notices(RwLock<Option<Arc<dyn Listener>>>);

impl Notices {
    /// From now on this one hears what happens; `None`: nobody does.
    pub fn set(region: &Region, listener: Option<Arc<dyn Listener>>) {
        let is_one = listener.is_some();
        *region.part::<Self>().0.write() = listener;
        region.looks.set(Looks::NOTICED, is_one);
    }

    /// Returns true if somebody wants to hear.
    #[inline]
    pub fn are_wanted(region: &Region) -> bool {
        region.looks.any(Looks::NOTICED)
    }

    /// Tells it.
    #[cold]
    pub fn tell(region: &Arc<Region>, task: Option<&TaskControl>, notice: Notice) {
        let listener = region.part::<Self>().0.read().clone();
        if let Some(listener) = listener {
            listener.hears(region, task, notice);
        }
    }
}
