//! Time that a task has kept its thread: from others that could run there, and since it last counted as giving way.
//!
//! A command that might have to wait counts as giving way, and mostly need not wait. So that a loop of such commands does not keep
//! the thread for ever, the task really lets others go first when its turn is over. Programs that only pass control to one another
//! have a runaway limit together.

use std::thread::ThreadId;
use std::time::{Duration, Instant};

use super::Task;
use crate::limits::{TURN_COMMANDS, TURN_MAX};
use crate::ticks::processor_time;

impl Task {
    /// Something that might have to wait is about to be tried without that: the task counts as giving way. False where its turn is
    /// over: then it has to give way.
    #[inline]
    pub(crate) fn may_go_on(&mut self) -> bool {
        let control = &self.control;
        if self.turn.is_over_at_command(|| control.wait_in_hand().serial) {
            return false;
        }
        self.turn.gives_way();
        true
    }
}

/// The turn of a task on its thread.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    /// When it began, and how often the task had waited by then.
    begun: Option<(Instant, u32)>,
    /// Commands since the clock was last looked at.
    commands: u32,
    /// Since when it has not given way, and how often it had waited by then.
    busy: Option<(Instant, u32)>,
    /// Processor time that its thread had when it had been busy for a whole turn.
    processor: Option<(ThreadId, Duration)>,
}

impl Turn {
    /// The task counts as giving way.
    #[inline]
    pub fn gives_way(&mut self) {
        self.busy = None;
    }

    /// A command that might have to wait is about to be answered without that: whether the turn is over. Seldom looks at the clock.
    #[inline]
    pub fn is_over_at_command(&mut self, waits: impl FnOnce() -> u32) -> bool {
        self.commands += 1;
        self.commands >= TURN_COMMANDS && self.is_over(waits())
    }

    /// Returns true if the turn is over, of a task that has waited so often.
    #[cold]
    pub fn is_over(&mut self, waits: u32) -> bool {
        self.commands = 0;
        let is_over = since(&mut self.begun, waits) >= TURN_MAX;
        if is_over {
            // It stays over until the task has waited.
            self.commands = TURN_COMMANDS;
        }
        is_over
    }

    /// Processor time for which the task has not given way, of one that has waited so often: mostly it is none worth a look at the
    /// thread's clock, and what it takes on a thread that it leaves does not count.
    pub fn busy_for(&mut self, waits: u32) -> Duration {
        if since(&mut self.busy, waits) < TURN_MAX {
            self.processor = None;
            return Duration::ZERO;
        }
        let (here, now) = (std::thread::current().id(), Duration::from_nanos(processor_time()));
        let begun = match self.processor {
            Some((thread, begun)) if thread == here => begun,
            _ => {
                self.processor = Some((here, now));
                now
            }
        };
        now.saturating_sub(begun)
    }
}

/// The time since something began, which begins again where the task has waited since.
fn since(begun: &mut Option<(Instant, u32)>, waits: u32) -> Duration {
    let now = Instant::now();
    match begun.filter(|(_, before)| *before == waits) {
        Some((begun, _)) => now - begun,
        None => {
            *begun = Some((now, waits));
            Duration::ZERO
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Until a time is over.
    fn pass(time: Duration) {
        let begun = Instant::now();
        while begun.elapsed() <= time {}
    }

    #[test]
    fn a_turn_is_over_after_its_time_and_begins_again_at_a_wait() {
        let mut turn = Turn::default();
        assert!(!turn.is_over(1));
        pass(TURN_MAX);
        assert!((0..TURN_COMMANDS).any(|_| turn.is_over_at_command(|| 1)));
        assert!(turn.is_over_at_command(|| 1), "it stays over");
        assert!(!turn.is_over_at_command(|| 2), "it has waited");
        assert!(!turn.is_over_at_command(|| panic!("nobody looks at the clock again so soon")));
    }

    #[test]
    fn it_is_busy_until_it_gives_way_or_waits() {
        let is_busy = |turn: &mut Turn, waits| {
            turn.busy_for(waits);
            pass(TURN_MAX);
            turn.busy_for(waits);
            pass(Duration::from_millis(2));
            turn.busy_for(waits) > Duration::ZERO
        };
        let mut turn = Turn::default();
        assert!(is_busy(&mut turn, 1));
        turn.gives_way();
        assert_eq!(turn.busy_for(1), Duration::ZERO);
        assert!(is_busy(&mut turn, 1));
        assert_eq!(turn.busy_for(2), Duration::ZERO);
    }

    #[test]
    fn only_the_thread_that_it_is_on_counts() {
        let mut turn = Turn::default();
        turn.busy_for(1);
        pass(TURN_MAX);
        turn.busy_for(1);
        pass(Duration::from_millis(2));
        let busy =
            std::thread::scope(|scope| scope.spawn(|| turn.busy_for(1)).join().expect("it has not failed"));
        assert_eq!(busy, Duration::ZERO);
    }
}
