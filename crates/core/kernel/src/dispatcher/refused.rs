//! Tasks that do not begin: those that wait for them hear of it.

use std::sync::Arc;

use super::{Admitted, Attach, AttachError, Dispatcher};
use crate::region::Region;

/// An attach that was refused, and why.
pub struct Refused {
    /// Reason of the refusal.
    pub why: AttachError,
    /// The requested attach.
    pub attach: Box<Attach>,
}

impl Refused {
    /// A task that had its number already. Its terminal is free again.
    pub(super) fn admitted(why: AttachError, Admitted { attach, .. }: Admitted) -> Self {
        if let Some(terminal) = attach.facility.terminal() {
            terminal.unattach();
        }
        Self { why, attach: Box::new(attach) }
    }
}

/// Tells everybody who waits for a task that it does not begin. A START is kept where that is promised.
pub(crate) fn give_up(region: &Arc<Region>, mut refused: Refused) {
    if refused.attach.kept.refused() {
        return;
    }
    for follower in &Dispatcher::of(region).followers {
        match (follower.refused)(region, refused) {
            Some(others) => refused = others,
            None => return,
        }
    }
}
