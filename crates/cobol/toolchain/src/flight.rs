//! Builds in flight: a second request for what is being built waits for that build instead of starting another.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

/// Builds under way, by name.
#[derive(Debug)]
pub(crate) struct Flights<T> {
    under_way: Mutex<HashMap<String, Arc<Flight<T>>>>,
}

#[derive(Debug)]
struct Flight<T> {
    state: Mutex<State<T>>,
    landing: Condvar,
}

#[derive(Debug)]
enum State<T> {
    Flying,
    Landed(T),
    /// The build ended without a result: it panicked.
    Lost,
}

impl<T: Clone> Flights<T> {
    pub(crate) fn new() -> Self {
        Self { under_way: Mutex::default() }
    }

    /// The result of the build of that name: of one under way, or else of this one.
    pub(crate) fn join(&self, name: &str, build: impl FnOnce() -> T) -> T {
        let (flight, first) = self.board(name);
        if !first {
            return flight.wait().unwrap_or_else(build);
        }
        let pilot = Pilot { flights: self, name, flight: &flight };
        let result = build();
        pilot.land(result.clone());
        result
    }

    /// The flight of that name, and whether it is a new one.
    fn board(&self, name: &str) -> (Arc<Flight<T>>, bool) {
        let mut under_way = self.under_way.lock();
        if let Some(flight) = under_way.get(name) {
            return (Arc::clone(flight), false);
        }
        let flight = Arc::new(Flight { state: Mutex::new(State::Flying), landing: Condvar::new() });
        under_way.insert(name.to_owned(), Arc::clone(&flight));
        (flight, true)
    }
}

impl<T: Clone> Flight<T> {
    /// Waits for the result; `None` if there will be none.
    fn wait(&self) -> Option<T> {
        let mut state = self.state.lock();
        loop {
            match &*state {
                State::Flying => self.landing.wait(&mut state),
                State::Landed(result) => return Some(result.clone()),
                State::Lost => return None,
            }
        }
    }
}

/// Takes the flight off the list and wakes everybody, also when the build panics.
struct Pilot<'a, T> {
    flights: &'a Flights<T>,
    name: &'a str,
    flight: &'a Flight<T>,
}

impl<T> Pilot<'_, T> {
    fn land(self, result: T) {
        *self.flight.state.lock() = State::Landed(result);
    }
}

impl<T> Drop for Pilot<'_, T> {
    fn drop(&mut self) {
        self.flights.under_way.lock().remove(self.name);
        let mut state = self.flight.state.lock();
        if matches!(*state, State::Flying) {
            *state = State::Lost;
        }
        self.flight.landing.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn whoever_comes_during_a_build_gets_its_result() {
        let flights = Flights::new();
        let builds = AtomicUsize::new(0);
        let building = Barrier::new(2);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                flights.join("ACCT", || {
                    builds.fetch_add(1, Ordering::SeqCst);
                    building.wait();
                    // The other thread is on its way into `join`; whether it arrives in time or not, it gets a result.
                    7
                })
            });
            building.wait();
            let result = flights.join("ACCT", || {
                builds.fetch_add(1, Ordering::SeqCst);
                7
            });
            assert_eq!(result, 7);
        });
        assert!(builds.load(Ordering::SeqCst) <= 2);
        assert!(flights.under_way.lock().is_empty());
    }

    #[test]
    fn a_build_that_panics_leaves_no_task_waiting() {
        let flights: Flights<i32> = Flights::new();
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            flights.join("ACCT", || panic!("lost"))
        }));
        assert!(panicked.is_err());
        assert_eq!(flights.join("ACCT", || 1), 1);
    }
}
