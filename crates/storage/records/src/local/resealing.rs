//! Progress of the work that seals records with a new key ([`super::rotation`]).

use std::sync::atomic::AtomicU64;

use parking_lot::{Condvar, Mutex};

use crate::seal::SealPlace;

/// Progress of the work.
#[derive(Default)]
pub(super) struct Resealing {
    /// Place where it goes on. `None`: it begins.
    pub(super) place: Mutex<Option<SealPlace>>,
    /// Records that were sealed again since the start.
    pub(super) records: AtomicU64,
    /// Held by the thread that does this, unless it sleeps; rung when there is something to do, and when the engine ends.
    pub(super) awake: Mutex<()>,
    pub(super) bell: Condvar,
}

impl Resealing {
    /// Looks for something to do.
    pub(super) fn wake(&self) {
        let _awake = self.awake.lock();
        self.bell.notify_all();
    }
}
