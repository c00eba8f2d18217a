//! Deferral of a force, which waits a while for others.
//!
//! When several units of work are forced together, others are about to come, and a force that waits for them is shared
//! by more. Where the same tasks commit again and again the wait is in vain: they are all there soon, and no other task comes.
//! Two forces in a row with as many show that, if none of them joined in the second half of the time. The next
//! forces then wait for so many and no longer; now and then one waits for the whole time, to see whether others came.

use std::time::{Duration, Instant};

/// So many units of work forced together are several: it pays to wait for others.
const SEVERAL: usize = 3;
/// So many forces wait for those who usually come, before one waits for the whole time again.
const TRUST: u32 = 16;

/// The wait of the next force.
#[derive(Default)]
pub(super) struct Deferral {
    wait: Option<Window>,
    /// Number of units that the last force was for.
    forced: usize,
    /// A task joined late.
    late: bool,
    usual: Option<Usual>,
}

/// The time in which others may join.
#[derive(Clone, Copy)]
struct Window {
    half: Instant,
    end: Instant,
}

/// So many come each time, and no others: that is taken for granted for so many forces more.
#[derive(Clone, Copy)]
struct Usual {
    count: usize,
    trust: u32,
}

impl Deferral {
    /// Until when the force waits at most, if it does.
    pub(super) fn end(&self) -> Option<Instant> {
        self.wait.map(|window| window.end)
    }

    /// Returns true if the force for so many, who are there, waits for others.
    pub(super) fn holds(&self, waiting: usize, now: impl FnOnce() -> Instant) -> bool {
        let complete = self.usual.is_some_and(|usual| waiting >= usual.count);
        !complete && self.wait.is_some_and(|window| now() < window.end)
    }

    /// Notes a task that waits for the force.
    pub(super) fn join(&mut self, now: impl FnOnce() -> Instant) {
        if let (Some(window), None, false) = (self.wait, self.usual, self.late) {
            self.late = now() >= window.half;
        }
    }

    /// So many were forced together just now. If they were several, the next force waits for others; a task that commits
    /// alone never waits.
    pub(super) fn note(&mut self, forced: usize, time: Duration, now: Instant) {
        if forced < SEVERAL || time.is_zero() {
            *self = Self::default();
            return;
        }
        let in_vain = !self.late && self.wait.is_some_and(|window| now >= window.end);
        self.usual = match self.usual {
            Some(Usual { count, trust }) => {
                (count == forced && trust > 0).then(|| Usual { count, trust: trust - 1 })
            }
            None => (in_vain && forced == self.forced).then_some(Usual { count: forced, trust: TRUST }),
        };
        self.wait = Some(Window { half: now + time / 2, end: now + time });
        (self.forced, self.late) = (forced, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: Duration = Duration::from_millis(4);
    const MANY: usize = 64;

    /// A wait with the clock of a test.
    struct Log {
        deferral: Deferral,
        now: Instant,
    }

    impl Log {
        fn new() -> Self {
            Self { deferral: Deferral::default(), now: Instant::now() }
        }

        /// Time that the force waits for so many, the last of whom comes so long after the force before.
        fn force(&mut self, count: usize, last: Duration) -> Duration {
            let begun = self.now;
            for waiting in 1..=count {
                self.now = begun + if waiting == count { last } else { Duration::ZERO };
                self.deferral.join(|| self.now);
            }
            if self.deferral.holds(count, || self.now) {
                self.now = self.deferral.end().expect("an end");
            }
            self.deferral.note(count, TIME, self.now);
            self.now - begun
        }
    }

    #[test]
    fn a_few_never_wait_and_several_do() {
        let mut log = Log::new();
        for count in [1, 2, 1] {
            assert_eq!(log.force(count, Duration::ZERO), Duration::ZERO);
        }
        assert_eq!(log.force(SEVERAL, Duration::ZERO), Duration::ZERO, "nobody knew that others come");
        assert_eq!(log.force(SEVERAL - 1, Duration::ZERO), TIME);
        assert_eq!(log.force(1, Duration::ZERO), Duration::ZERO);
    }

    #[test]
    fn where_the_same_come_each_time_no_task_waits_for_others_in_vain() {
        let (soon, mut log) = (TIME / 8, Log::new());
        log.force(MANY, soon);
        assert_eq!(log.force(MANY, soon), TIME, "others may come");
        for round in 0..3 {
            for _ in 0..=TRUST {
                assert_eq!(log.force(MANY, soon), soon, "round {round}");
            }
            assert_eq!(log.force(MANY, soon), TIME, "round {round}: others may come by now");
        }
        assert_eq!(log.force(MANY - 1, soon), TIME, "one stays away");
        assert_eq!(log.force(MANY, soon), TIME, "it is no longer usual");
    }

    #[test]
    fn where_others_come_late_every_force_waits_for_them() {
        let mut log = Log::new();
        log.force(MANY, Duration::ZERO);
        for _ in 0..10 {
            assert_eq!(log.force(MANY, TIME / 2), TIME);
        }
        for count in [10, 12, 11, 12, 13] {
            assert_eq!(log.force(count, TIME / 8), TIME, "another number each time");
        }
    }
}
