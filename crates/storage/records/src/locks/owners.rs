//! Locks of each owner, in the order in which it got them, so that all can be released at once.
//!
//! Owners lie in parts as resources do. A part's mutex is taken last of all, and for no longer than a look.

use crossbeam_utils::CachePadded;
use parking_lot::{Mutex, MutexGuard};

use super::{Claim, Lifetime, Owner, Resource};
use crate::{Error, Result};
use foldhash::{HashMap, HashSet};

/// Parts: owners are numbered one after the other, so that two tasks of one time hardly ever share one.
const PARTS: usize = 64;

#[derive(Default)]
struct Holding {
    by_lifetime: [Vec<Resource>; Lifetime::COUNT],
    /// No task waits for it: its unit of work was shunted.
    retained: bool,
}

impl Holding {
    fn is_empty(&self) -> bool {
        self.by_lifetime.iter().all(Vec::is_empty)
    }
}

type Part = HashMap<Owner, Holding>;

pub(super) struct Owners {
    parts: Box<[CachePadded<Mutex<Part>>]>,
    locks_per_owner: usize,
}

impl Owners {
    pub(super) fn new(locks_per_owner: usize) -> Self {
        Self { parts: (0..PARTS).map(|_| CachePadded::default()).collect(), locks_per_owner }
    }

    fn part(&self, owner: Owner) -> MutexGuard<'_, Part> {
        self.parts[owner.0 as usize % PARTS].lock()
    }

    /// A lock that was free is the owner's, unless that would be one too many.
    pub(super) fn note_new(&self, claim: Claim, resource: &Resource) -> Result<()> {
        let mut part = self.part(claim.owner);
        let holding = part.entry(claim.owner).or_default();
        if holding.by_lifetime.iter().map(Vec::len).sum::<usize>() >= self.locks_per_owner {
            return Err(Error::Limit("locks_per_owner"));
        }
        holding.by_lifetime[claim.lifetime as usize].push(resource.clone());
        Ok(())
    }

    /// The owner has a lock for one more lifetime; or it gets one for which it has waited: the limit was not reached
    /// when it began to, and it has taken nothing since.
    pub(super) fn note(&self, claim: Claim, resource: &Resource) {
        let mut part = self.part(claim.owner);
        part.entry(claim.owner).or_default().by_lifetime[claim.lifetime as usize].push(resource.clone());
    }

    /// The owner has a lock for this lifetime no longer.
    pub(super) fn forget(&self, claim: Claim, resource: &Resource) {
        let mut part = self.part(claim.owner);
        let Some(holding) = part.get_mut(&claim.owner) else { return };
        let held = &mut holding.by_lifetime[claim.lifetime as usize];
        // The last taken is mostly the first released.
        if let Some(at) = held.iter().rposition(|other| other == resource) {
            held.remove(at);
        }
        if holding.is_empty() {
            part.remove(&claim.owner);
        }
    }

    /// Takes all that an owner has for a lifetime, to let go of it.
    pub(super) fn take_all(&self, claim: Claim) -> Vec<Resource> {
        let mut part = self.part(claim.owner);
        let Some(holding) = part.get_mut(&claim.owner) else { return Vec::new() };
        let resources = std::mem::take(&mut holding.by_lifetime[claim.lifetime as usize]);
        if holding.is_empty() {
            part.remove(&claim.owner);
        }
        resources
    }

    /// Gives an owner who has nothing all of this for its unit of work.
    pub(super) fn give_all(&self, owner: Owner, resources: Vec<Resource>, retained: bool) {
        if resources.is_empty() {
            return;
        }
        let mut part = self.part(owner);
        let holding = part.entry(owner).or_default();
        holding.by_lifetime[Lifetime::Unit as usize] = resources;
        holding.retained |= retained;
    }

    /// Locks that an owner has for its unit of work.
    pub(super) fn of_unit(&self, owner: Owner) -> Vec<Resource> {
        let part = self.part(owner);
        part.get(&owner).map_or_else(Vec::new, |held| held.by_lifetime[Lifetime::Unit as usize].clone())
    }

    /// Locks that an owner has, for whichever lifetime, each once.
    pub(super) fn of_all(&self, owner: Owner) -> Vec<Resource> {
        let part = self.part(owner);
        let Some(held) = part.get(&owner) else { return Vec::new() };
        let mut seen = HashSet::default();
        held.by_lifetime.iter().flatten().filter(|resource| seen.insert(*resource)).cloned().collect()
    }

    /// Marks the owner: from now on no task waits for it.
    pub(super) fn retain(&self, owner: Owner) {
        if let Some(holding) = self.part(owner).get_mut(&owner) {
            holding.retained = true;
        }
    }

    pub(super) fn is_retained(&self, owner: Owner) -> bool {
        self.part(owner).get(&owner).is_some_and(|holding| holding.retained)
    }
}
