//! When POSTs come due: one sleeper for all of them.
//!
//! Most POSTs are time limits that are cancelled long before, so that setting one costs an entry in a map and no timer.
//! The sleeper is told only of an alarm that comes before the one it sleeps for; one that was taken back meanwhile it
//! does not find when it wakes.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::events::Event;
use crate::name::Name8;
use crate::region::Region;

/// One alarm: they go off in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Alarm {
    at: Instant,
    number: u64,
}

/// The alarms of a region.
#[derive(Default)]
pub(super) struct Alarms {
    state: Mutex<State>,
    sooner: Arc<Notify>,
}

#[derive(Default)]
struct State {
    set: BTreeMap<Alarm, (Name8, Arc<Event>)>,
    last_number: u64,
    /// What the sleeper sleeps for; none if there is no sleeper.
    sleeps_until: Option<Instant>,
}

impl Alarms {
    /// Sets an alarm for the event of a request. Called on a TCB's thread.
    pub fn set(&self, region: &Arc<Region>, request: Name8, event: &Arc<Event>, after: Duration) -> Alarm {
        let mut state = self.state.lock();
        state.last_number += 1;
        let alarm = Alarm { at: Instant::now() + after, number: state.last_number };
        state.set.insert(alarm, (request, Arc::clone(event)));
        match state.sleeps_until {
            Some(until) if until <= alarm.at => {}
            Some(_) => self.sooner.notify_one(),
            None => drop(tokio::spawn(sleeper(Arc::downgrade(region), Arc::clone(&self.sooner)))),
        }
        state.sleeps_until = state.sleeps_until.map(|until| until.min(alarm.at)).or(Some(alarm.at));
        alarm
    }

    /// Takes an alarm back.
    pub fn take_back(&self, alarm: Alarm) {
        self.state.lock().set.remove(&alarm);
    }

    /// Takes all back.
    pub fn stop(&self) {
        self.state.lock().set.clear();
        self.sooner.notify_one();
    }

    /// Those that go off, and when the next one does. With none left there is no sleeper any more.
    fn due(&self, now: Instant) -> (Vec<(Name8, Arc<Event>)>, Option<Instant>) {
        let mut state = self.state.lock();
        let mut due = Vec::new();
        while let Some(first) = state.set.first_entry().filter(|first| first.key().at <= now) {
            due.push(first.remove());
        }
        state.sleeps_until = state.set.first_key_value().map(|(alarm, _)| alarm.at);
        (due, state.sleeps_until)
    }
}

/// Sleeps until the next alarm, as long as there is one.
async fn sleeper(region: Weak<Region>, sooner: Arc<Notify>) {
    loop {
        // A region that has ended is not kept by what it does not wait for any more.
        let Some(region) = region.upgrade() else { return };
        let (due, next) = region.interval.alarms.due(Instant::now());
        for (request, event) in due {
            region.interval.goes_off(&region, request, &event);
        }
        let Some(next) = next else { return };
        drop(region);
        // Either way it is time to look.
        let _ = tokio::time::timeout_at(next, sooner.notified()).await;
    }
}
