//! The alarms of POSTs: one sleeper for all of them.
//!
//! Most POSTs are time limits that are cancelled long before, so that setting one costs a place in a heap and no timer,
//! and taking it back costs nothing: the alarm of an event that no task has any more is dropped when the sleeper finds it.
//! The sleeper is woken only for an alarm that comes before the one it sleeps for.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::events::Event;
use kernel::name::Name8;
use kernel::region::Region;

/// Alarms that are kept before those are looked for whose events are gone.
const SWEEP_LEAST: usize = 64;

/// One alarm: they go off in the order of their times.
struct Alarm {
    at: Instant,
    request: Name8,
    event: Weak<Event>,
}

impl Alarm {
    fn is_wanted(&self) -> bool {
        self.event.strong_count() > 0
    }
}

impl PartialEq for Alarm {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

impl Eq for Alarm {}

impl PartialOrd for Alarm {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Alarm {
    fn cmp(&self, other: &Self) -> Ordering {
        self.at.cmp(&other.at)
    }
}

/// The step that a region takes when an alarm of its goes off: the request, and its event.
pub(super) type GoesOff = fn(&Region, Name8, &Arc<Event>);

/// The alarms of a region.
#[derive(Default)]
pub(super) struct Alarms {
    state: Arc<Mutex<State>>,
    sooner: Arc<Notify>,
}

#[derive(Default)]
struct State {
    set: BinaryHeap<Reverse<Alarm>>,
    /// So many alarms were wanted when all were looked through.
    wanted: usize,
    /// The instant at which the sleeper wakes; `None` if there is no sleeper.
    sleeps_until: Option<Instant>,
}

impl State {
    /// Sets an alarm. There are never more than twice as many as are wanted, and a few.
    fn push(&mut self, alarm: Alarm) {
        if self.set.len() >= SWEEP_LEAST.max(2 * self.wanted) {
            self.set.retain(|Reverse(alarm)| alarm.is_wanted());
            self.wanted = self.set.len();
        }
        self.set.push(Reverse(alarm));
    }

    /// When the first goes off that is wanted.
    fn next(&mut self) -> Option<Instant> {
        while self.set.peek().is_some_and(|Reverse(first)| !first.is_wanted()) {
            self.set.pop();
        }
        self.set.peek().map(|Reverse(first)| first.at)
    }

    /// Those that go off, and when the next one does. With none left there is no sleeper any more.
    fn due(&mut self, now: Instant) -> (Vec<(Name8, Arc<Event>)>, Option<Instant>) {
        let mut due = Vec::new();
        while self.next().is_some_and(|at| at <= now)
            && let Some(Reverse(alarm)) = self.set.pop()
        {
            due.extend(alarm.event.upgrade().map(|event| (alarm.request, event)));
        }
        self.sleeps_until = self.next();
        (due, self.sleeps_until)
    }
}

impl Alarms {
    /// Sets an alarm for the event of a request, as long as anybody has that. Called on a TCB's thread.
    pub fn set(
        &self,
        region: &Arc<Region>,
        (request, event): (Name8, &Arc<Event>),
        after: Duration,
        goes_off: GoesOff,
    ) {
        let at = Instant::now() + after;
        let mut state = self.state.lock();
        state.push(Alarm { at, request, event: Arc::downgrade(event) });
        match state.sleeps_until {
            Some(until) if until <= at => return,
            Some(_) => self.sooner.notify_one(),
            None => {
                let (all, sooner) = (Arc::clone(&self.state), Arc::clone(&self.sooner));
                drop(tokio::spawn(sleeper(Arc::downgrade(region), all, sooner, goes_off)));
            }
        }
        state.sleeps_until = Some(at);
    }

    /// Takes all back.
    pub fn stop(&self) {
        self.state.lock().set.clear();
        self.sooner.notify_one();
    }
}

/// Sleeps until the next alarm, as long as there is one.
async fn sleeper(region: Weak<Region>, all: Arc<Mutex<State>>, sooner: Arc<Notify>, goes_off: GoesOff) {
    loop {
        // A region that has ended is not kept by what it does not wait for any more.
        let Some(region) = region.upgrade() else { return };
        let (due, next) = all.lock().due(Instant::now());
        for (request, event) in due {
            goes_off(&region, request, &event);
        }
        let Some(next) = next else { return };
        drop(region);
        // Either way it is time to look.
        let _ = tokio::time::timeout_at(next, sooner.notified()).await;
    }
}

#[cfg(test)]
mod tests {
    use kernel::storage::Arena;

    use super::*;
    use crate::events::Events;

    fn alarm(at: Instant, event: &Arc<Event>) -> Alarm {
        Alarm { at, request: Name8::BLANK, event: Arc::downgrade(event) }
    }

    #[test]
    fn alarms_go_off_in_order_and_only_those_whose_event_is_there() {
        let (events, arena, now) = (Events::default(), Arena::default(), Instant::now());
        let [first, second, third] = [(); 3].map(|()| events.give_out(&arena));
        let after = |seconds| now + Duration::from_secs(seconds);
        let alarms = Alarms::default();
        for (at, event) in [(2, &second), (3, &third), (1, &first)] {
            alarms.state.lock().push(alarm(after(at), event));
        }
        events.take_back(&first);
        drop(first);
        let (due, next) = alarms.state.lock().due(after(2));
        assert_eq!(due.iter().map(|(_, event)| event.address()).collect::<Vec<_>>(), [second.address()]);
        assert_eq!(next, Some(after(3)));
    }

    #[test]
    fn alarms_that_were_taken_back_make_room() {
        let (events, arena, now, mut state) =
            (Events::default(), Arena::default(), Instant::now(), State::default());
        let kept = events.give_out(&arena);
        state.push(alarm(now, &kept));
        for _ in 0..10 * SWEEP_LEAST {
            let event = events.give_out(&arena);
            state.push(alarm(now, &event));
            events.take_back(&event);
        }
        assert!(state.set.len() <= SWEEP_LEAST, "{}", state.set.len());
        assert!(state.set.iter().any(|Reverse(alarm)| alarm.is_wanted()));
    }
}
