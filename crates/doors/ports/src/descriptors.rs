//! The descriptors of the process, and the share of them that clients may take.
//!
//! The region itself needs some: files, sockets to servers, the one over which a client beyond the limit hears so. So
//! clients of all doors together may have the rest of the limit when the doors are open, less a reserve; and those of
//! one door no more than three quarters of that, so that terminals which idle do not stop the other doors.

use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::process::{Resource, getrlimit, setrlimit};

/// Descriptors that are kept for the region: a sixteenth of the limit, within these bounds.
const RESERVE: std::ops::RangeInclusive<usize> = 16..=256;
const RESERVE_SHARE: usize = 16;
/// With fewer clients than this a region is of no use.
pub const CLIENTS_LEAST: usize = 4;
/// The folder in which the process shows its descriptors.
pub(crate) const OWN: &str = "/proc/self/fd";

/// The number of clients that may have one; no limit until it is settled.
static ALLOWED: AtomicUsize = AtomicUsize::new(usize::MAX);
/// The number of clients that have one.
static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// Lets the process have as many descriptors as the system lets it ask for: a service manager's default is made for
/// programs that wait for few clients.
pub fn raise_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current == limit.maximum {
        return;
    }
    limit.current = limit.maximum;
    match setrlimit(Resource::Nofile, limit) {
        Ok(()) => tracing::debug!(target: "SO", "up to {:?} descriptors", limit.current),
        Err(error) => tracing::warn!(target: "SO", "the limit of descriptors stays as it is: {error}"),
    }
}

/// The shares of the descriptors of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptors {
    /// The most that it may have.
    pub limit: usize,
    /// The number that is open.
    pub used: usize,
    /// The number that is left for clients.
    pub clients: usize,
}

impl Descriptors {
    /// The shares of this limit, of which some are in use.
    fn shared(limit: usize, used: usize) -> Self {
        let reserve = (limit / RESERVE_SHARE).clamp(*RESERVE.start(), *RESERVE.end());
        Self { limit, used, clients: limit.saturating_sub(used + reserve) }
    }

    /// The number of clients that one door may have.
    pub fn of_one_door(self) -> usize {
        share(self.clients)
    }

    /// The limit with which there would be as many clients.
    pub fn limit_for(self, clients: usize) -> usize {
        let needed = clients + self.used;
        needed + (needed / (RESERVE_SHARE - 1)).clamp(*RESERVE.start(), *RESERVE.end())
    }
}

/// The clients that one door may have, of those of all doors: a quarter, and one at least, is left to the others.
fn share(clients: usize) -> usize {
    clients - clients.div_ceil(4)
}

/// Settles the number of clients: the doors are open, and no client has come yet. `None` if the system does not tell
/// the number of descriptors, or has no limit.
pub fn share_descriptors() -> Option<Descriptors> {
    let limit = usize::try_from(getrlimit(Resource::Nofile).current?).ok()?;
    let used = std::fs::read_dir(OWN).ok()?.count();
    let shared = Descriptors::shared(limit, used);
    // The descriptors of another region's clients in this process are in use already.
    ALLOWED.store(shared.clients + TAKEN.load(Ordering::Relaxed), Ordering::Relaxed);
    Some(shared)
}

/// A descriptor of a client, until it is dropped.
pub(crate) struct Descriptor(());

impl Descriptor {
    /// Takes one for a client of a door that has this number of clients; `None`: the rest is for other doors.
    pub fn take(present: usize) -> Option<Self> {
        let allowed = ALLOWED.load(Ordering::Relaxed);
        let more = |taken| (taken < allowed && present < share(allowed)).then_some(taken + 1);
        TAKEN.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok().map(|_| Self(()))
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        TAKEN.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reserve_is_kept_and_a_share_for_other_doors() {
        let clients = |limit, used| Descriptors::shared(limit, used).clients;
        assert_eq!([clients(40, 36), clients(60, 36), clients(200, 40)], [0, 8, 144]);
        assert_eq!([clients(1_024, 60), clients(65_536, 100)], [900, 65_180]);
        assert_eq!([share(0), share(3), share(CLIENTS_LEAST), share(8), share(144)], [0, 2, 3, 6, 108]);
        let few = Descriptors::shared(200, 40);
        for wanted in [10, 500, 5_000] {
            assert!(Descriptors::shared(few.limit_for(wanted), few.used).clients >= wanted, "{wanted}");
        }
    }
}
