//! Holders of the locks of indoubt units of work ([`super::indoubt`]).

use std::collections::BTreeMap;

use crate::signal::Signal;
use crate::{Owner, Resolved};

/// Holder of an indoubt unit of work's locks.
pub(super) struct Holder {
    pub(super) owner: Owner,
    /// Its task waits for the coordinator.
    pub(super) attended: bool,
    /// A force is under way that makes it indoubt, or ends it.
    pub(super) busy: bool,
    /// The message to watchers when the force under way has ended it.
    pub(super) ends_as: Option<Resolved>,
    /// Those who wait for the force under way: they want to end it.
    pub(super) awaited: Vec<Signal<()>>,
}

impl Holder {
    pub(super) fn new(owner: Owner, (attended, busy): (bool, bool)) -> Self {
        Self { owner, attended, busy, ends_as: None, awaited: Vec::new() }
    }
}

/// The indoubt units of work whose locks are held, by name. An entry of the store without a holder was forced.
#[derive(Default)]
pub(super) struct Holders(pub(super) BTreeMap<Vec<u8>, Holder>);

impl Holders {
    pub(super) fn of(&mut self, owner: Owner) -> Option<&mut Holder> {
        self.0.values_mut().find(|holder| holder.owner == owner)
    }
}
