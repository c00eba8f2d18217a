//! Refused attaches of a JVM server: each is a line of the region's log and a record of the audit, and Java may ask without end. Beyond a
//! limit within a second they are refused without a look at the right.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::limits::REFUSALS_PER_SECOND;

/// The time that the limit is for.
const SECOND: Duration = Duration::from_secs(1);

/// The refusals of one second, and its begin.
#[derive(Default)]
pub(crate) struct Refusals(Mutex<Option<(Instant, u32)>>);

impl Refusals {
    /// A user was refused a task.
    pub fn add(&self, now: Instant) {
        let mut second = self.0.lock();
        match &mut *second {
            Some((began, count)) if now - *began < SECOND => *count = count.saturating_add(1),
            other => *other = Some((now, 1)),
        }
    }

    /// Returns true if there were so many within a second that no other one is asked for.
    pub fn are_too_many(&self, now: Instant) -> bool {
        self.0.lock().is_some_and(|(began, count)| now - began < SECOND && count >= REFUSALS_PER_SECOND)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_have_a_limit_within_a_second_and_begin_again_in_the_next() {
        let (refusals, now) = (Refusals::default(), Instant::now());
        for _ in 1..REFUSALS_PER_SECOND {
            refusals.add(now);
        }
        assert!(!refusals.are_too_many(now));
        refusals.add(now);
        assert!(refusals.are_too_many(now));
        assert!(!refusals.are_too_many(now + SECOND));
        refusals.add(now + SECOND);
        assert!(!refusals.are_too_many(now + SECOND));
    }
}
