//! Changes of a region, passed on to a listener.
//!
//! A region without a listener pays the test of one flag at each place that could tell something.

use std::fmt::Display;
use std::sync::Arc;

use parking_lot::RwLock;

use crate::clock::Stamp;
use crate::control::TaskControl;
use crate::name::Name8;
use crate::raise::AbendCode;
use crate::region::{Looks, Region};
use crate::terminals::Message;

/// A change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice<'n> {
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
    /// A START for the task's own terminal would add to the started tasks that wait for terminals. It may be refused.
    Descriptor,
    /// A transaction dump is taken.
    Dump {
        /// Its code.
        code: AbendCode,
    },
    /// A message with a published number is written.
    Message {
        /// The number: `DFHAC2206`.
        id: &'n str,
        /// Its inserts: date, time, applid, and those of its own.
        inserts: &'n [String],
    },
    /// A while has passed: what follows from the clock may have changed.
    Passed,
}

/// A listener.
pub trait Listener: Send + Sync {
    /// Takes a notice. `task`: the task that caused it, if one did. Returns true if the request of [`Notice::Descriptor`] is to be
    /// refused.
    fn hears(&self, region: &Arc<Region>, task: Option<&TaskControl>, notice: Notice<'_>) -> bool;
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

    /// Passes a notice to the listener. Returns true if the request that it is about is to be refused.
    #[cold]
    pub fn tell(region: &Arc<Region>, task: Option<&TaskControl>, notice: Notice<'_>) -> bool {
        let listener = region.part::<Self>().0.read().clone();
        listener.is_some_and(|listener| listener.hears(region, task, notice))
    }

    /// The region writes a message. `inserts`: those behind date, time and applid, in their published order.
    #[inline]
    pub fn message(region: &Arc<Region>, task: Option<&TaskControl>, id: &str, inserts: &[&dyn Display]) {
        if Self::are_wanted(region) {
            Self::tell_message(region, task, id, inserts);
        }
    }

    /// The same of one to a terminal, and to the log.
    #[inline]
    pub fn message_to_user(region: &Arc<Region>, task: Option<&TaskControl>, message: &Message) {
        if Self::are_wanted(region) {
            let (id, inserts) = message.inserts();
            let inserts: Vec<&dyn Display> = inserts.iter().map(|insert| insert as &dyn Display).collect();
            Self::tell_message(region, task, id, &inserts);
        }
    }

    #[cold]
    fn tell_message(region: &Arc<Region>, task: Option<&TaskControl>, id: &str, inserts: &[&dyn Display]) {
        let now = Stamp::now().local();
        let common = [
            now.strftime("%m/%d/%Y").to_string(),
            now.strftime("%H:%M:%S").to_string(),
            region.options.applid.to_string(),
        ];
        let own = inserts.iter().map(ToString::to_string);
        let inserts: Vec<String> =
            common.into_iter().chain(own).map(|insert| insert.trim_end().to_owned()).collect();
        Self::tell(region, task, Notice::Message { id, inserts: &inserts });
    }
}
