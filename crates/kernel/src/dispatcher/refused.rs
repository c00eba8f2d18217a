//! Tasks that do not begin: what becomes of whoever waits for them.

use std::sync::Arc;

use super::{Admitted, Attach, AttachError};
use crate::children::Ending;
use crate::interval;
use crate::raise::AbendCode;
use crate::region::Region;
use crate::task::Facility;
use crate::terminals::input;
use crate::transient_data::TransientData;

/// How a child or a request has ended that never began.
const NOT_BEGUN: &str = "AKCS";

/// An attach that was refused, and why.
pub(crate) struct Refused {
    /// Why.
    pub why: AttachError,
    /// What was asked for.
    pub attach: Box<Attach>,
}

impl Refused {
    /// A task that had its number already. Its terminal is free again.
    pub fn admitted(why: AttachError, Admitted { attach, .. }: Admitted) -> Self {
        if let Some(terminal) = attach.facility.terminal() {
            terminal.unattach();
        }
        Self { why, attach: Box::new(attach) }
    }
}

/// Tells everybody who waits for a task that it does not begin. A START is kept where that is promised.
pub(crate) fn give_up(region: &Arc<Region>, Refused { why, mut attach }: Refused) {
    if let Some(queue) = attach.start_code.trigger_queue() {
        TransientData::of(region).trigger_ended(queue);
    }
    if let Some(request) = attach.facility.request() {
        return request.ended(Some(AbendCode::from(NOT_BEGUN)));
    }
    if let Some(child) = attach.child.take() {
        return child.ended(Ending::Abend(AbendCode::from(NOT_BEGUN)));
    }
    match &attach.facility {
        // Its client goes with the region.
        Facility::Socket(_) | Facility::Request(_) => {}
        _ if attach.start_code.is_start() => interval::refused(region, *attach, why),
        Facility::Terminal(terminal) => input::tell_refused(region, terminal, attach.transaction, why),
        Facility::None => {}
    }
}
