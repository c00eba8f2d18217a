//! The sessions of a partner: how many of its requests are under way here, over all its connections.

use std::sync::Arc;

use parking_lot::Mutex;

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    most: u32,
    in_use: u32,
    peak: u32,
}

/// A partner that has lost a link and made another one counts with both, until this region has missed the first.
const LINKS_AT_ONCE: u32 = 2;

/// The sessions of a partner that are in use.
#[derive(Debug, Default)]
pub(crate) struct Received(Mutex<Counts>);

/// One that is in use until it is dropped.
#[derive(Debug)]
pub(crate) struct InUse(Arc<Received>);

impl Received {
    /// The partner may use so many from now on.
    pub fn may_be(&self, most: u32) {
        self.0.lock().most = most;
    }

    /// Uses one more. `None`: the partner has more under way than it has sessions, whatever its connections are.
    pub fn begin(self: &Arc<Self>) -> Option<InUse> {
        let mut counts = self.0.lock();
        if counts.in_use >= counts.most.saturating_mul(LINKS_AT_ONCE) {
            return None;
        }
        counts.in_use += 1;
        counts.peak = counts.peak.max(counts.in_use);
        Some(InUse(Arc::clone(self)))
    }

    /// Those that are in use, and the most that were since the last reset.
    pub fn counts(&self, reset: bool) -> (u32, u32) {
        let mut counts = self.0.lock();
        let now = (counts.in_use, counts.peak);
        if reset {
            counts.peak = counts.in_use;
        }
        now
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        self.0.0.lock().in_use -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partner_has_no_more_under_way_than_it_has_sessions() {
        let received = Arc::new(Received::default());
        assert!(received.begin().is_none(), "it has said nothing yet");
        received.may_be(1);
        let (one, other) = (received.begin().expect("the first"), received.begin().expect("the second"));
        assert!(received.begin().is_none());
        assert_eq!(received.counts(true), (2, 2));
        drop(one);
        assert_eq!(received.counts(true), (1, 2), "the peak begins again at a reset");
        assert_eq!(received.counts(false), (1, 1));
        assert!(received.begin().is_some());
        drop(other);
        assert_eq!(received.counts(false), (0, 2));
    }
}
