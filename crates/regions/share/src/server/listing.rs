//! The locks of a region, for those who look at them there.

use records::{LockOf, Owner, StoreId};

use super::locking::OF_REGIONS;
use super::session::{Session, failed};
use crate::limits::LOCKS_TOLD;
use crate::protocol::{Locked, Reply, to_bytes};

/// The one of a region for whom a lock is.
enum By {
    /// A unit of work, by its number there.
    Unit(u64),
    /// A unit of work in doubt, by its name there.
    Doubtful(Vec<u8>),
}

impl Session {
    /// The reply with the locks of units of work, of tasks, and of units of work in doubt.
    pub(super) fn listed(&self) -> Vec<u8> {
        let mut owners: Vec<(By, Owner)> =
            self.all_owners().into_iter().map(|(number, owner)| (By::Unit(number), owner)).collect();
        let indoubt = match self.inner.engine.indoubt() {
            Ok(indoubt) => indoubt,
            Err(error) => return failed(&error),
        };
        let own = self.full_name(&[]);
        owners.extend(indoubt.into_iter().filter_map(|unit| {
            Some((By::Doubtful(unit.name.strip_prefix(own.as_slice())?.to_vec()), unit.owner?))
        }));
        let locks = self.inner.engine.locks();
        let all = owners
            .iter()
            .flat_map(|(by, owner)| locks.of_owner(*owner).into_iter().map(move |lock| (by, lock)));
        let all: Vec<(&By, LockOf)> = all.take(LOCKS_TOLD).collect();
        to_bytes(&Reply::Locks(all.iter().filter_map(|(by, lock)| locked(by, lock)).collect()))
    }
}

/// A lock as the region knows it; `None` if it is one that the server has for itself.
fn locked<'a>(by: &'a By, lock: &'a LockOf) -> Option<Locked<'a>> {
    let store = lock.resource.store().map(|StoreId(store)| store);
    let name = match store {
        Some(_) => lock.resource.name(),
        None => lock.resource.name().strip_prefix(OF_REGIONS)?,
    };
    let (owner, unit): (_, &[u8]) = match by {
        By::Unit(number) => (Some(*number), &[]),
        By::Doubtful(unit) => (None, unit),
    };
    let LockOf { waits, retained, refusals, seconds, .. } = *lock;
    Some(Locked { owner, unit, store, name, waits, retained, refusals, seconds })
}
