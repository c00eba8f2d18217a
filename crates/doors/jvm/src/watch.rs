//! A look at a JVM each second: how much storage it has, when it was heard last, which of its threads do not let go.

use std::time::{Duration, Instant};

use crate::limits::SILENCE;

/// The limits that a profile sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// MEMORY_MAX: bytes of the process in real storage.
    pub memory_max: Option<u64>,
    /// PURGE_ESCALATION_TIMEOUT.
    pub escalation: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { memory_max: None, escalation: Duration::from_secs(15) }
    }
}

/// A look at a JVM.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sight {
    /// Bytes in real storage.
    pub resident: u64,
    /// Time for which a thread has gone on without its task.
    pub orphaned: Option<Duration>,
}

/// The consequence of a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is silent, or is heard again.
    IsSilent,
    IsHeard,
    /// It has more storage than it may.
    TooLarge(u64),
    /// A thread does not let go: the JVM is to end and another one to begin. First no task gets a thread any more, then those that
    /// have one are purged, purged by force, and at last the JVM is killed.
    PhaseOut,
    Purge,
    ForcePurge,
    Kill,
}

/// Steps towards the end of a JVM of which a thread does not let go.
const STEPS: [Verdict; 4] = [Verdict::PhaseOut, Verdict::Purge, Verdict::ForcePurge, Verdict::Kill];

/// The watch over one JVM.
#[derive(Debug)]
pub(crate) struct Watch {
    bounds: Bounds,
    heard: Option<Instant>,
    is_silent: bool,
    /// The steps that were taken, and the time of the last one.
    steps: usize,
    stepped: Option<Instant>,
}

impl Watch {
    pub fn new(bounds: Bounds) -> Self {
        Self { bounds, heard: None, is_silent: false, steps: 0, stepped: None }
    }

    /// The JVM has said how it is.
    pub fn hears(&mut self, now: Instant) {
        self.heard = Some(now);
    }

    /// Looks at it. `None` if all is well.
    pub fn looks(&mut self, sight: Sight, now: Instant) -> Option<Verdict> {
        if self.bounds.memory_max.is_some_and(|most| sight.resident > most) {
            return Some(Verdict::TooLarge(sight.resident));
        }
        // Before it has said anything, its start has a limit of its own.
        let is_silent = self.heard.is_some_and(|heard| now.saturating_duration_since(heard) > SILENCE);
        if is_silent != self.is_silent {
            self.is_silent = is_silent;
            return Some(if is_silent { Verdict::IsSilent } else { Verdict::IsHeard });
        }
        self.steps(sight.orphaned, now)
    }

    fn steps(&mut self, orphaned: Option<Duration>, now: Instant) -> Option<Verdict> {
        let is_due = match self.stepped {
            None => orphaned.is_some_and(|time| time >= self.bounds.escalation),
            Some(last) => now.saturating_duration_since(last) >= self.bounds.escalation,
        };
        let step = STEPS.get(self.steps).copied().filter(|_| is_due)?;
        self.steps += 1;
        self.stepped = Some(now);
        Some(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_jvm_that_is_silent_is_told_once_and_once_that_it_is_heard() {
        let (mut watch, begin) = (Watch::new(Bounds::default()), Instant::now());
        let look = |watch: &mut Watch, second| watch.looks(Sight::default(), begin + SECOND * second);
        assert_eq!(look(&mut watch, 100), None, "it has not begun to speak");
        watch.hears(begin + SECOND * 100);
        let silent: Vec<_> =
            (101..120).filter_map(|second| look(&mut watch, second).map(|it| (second, it))).collect();
        assert_eq!(silent, [(106, Verdict::IsSilent)]);
        watch.hears(begin + SECOND * 120);
        assert_eq!(look(&mut watch, 120), Some(Verdict::IsHeard));
        assert_eq!(look(&mut watch, 121), None);
    }

    #[test]
    fn a_jvm_that_has_too_much_storage_is_seen() {
        let mut watch = Watch::new(Bounds { memory_max: Some(1000), ..Bounds::default() });
        let mut look = |resident| watch.looks(Sight { resident, orphaned: None }, Instant::now());
        assert_eq!((look(1000), look(1001)), (None, Some(Verdict::TooLarge(1001))));
    }

    #[test]
    fn a_thread_that_does_not_let_go_ends_its_jvm_by_steps() {
        let bounds = Bounds { escalation: SECOND * 3, ..Bounds::default() };
        let (mut watch, begin) = (Watch::new(bounds), Instant::now());
        let mut look = |second| {
            let sight = Sight { resident: 0, orphaned: Some(SECOND * second) };
            watch.looks(sight, begin + SECOND * second).map(|verdict| (second, verdict))
        };
        let verdicts: Vec<_> = (0..20).filter_map(&mut look).collect();
        assert_eq!(
            verdicts,
            [(3, Verdict::PhaseOut), (6, Verdict::Purge), (9, Verdict::ForcePurge), (12, Verdict::Kill)]
        );
    }
}
