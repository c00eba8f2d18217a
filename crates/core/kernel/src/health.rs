//! The region's health: a number from 0 to 100 that other regions see, which rises after the start and falls before the end.
//!
//! ```text
//! closed (0) ── open ──► opening: + ADJUSTMENT at once, and after each INTERVAL ──► open (100)
//! open (100) ── close ──► closing: − ADJUSTMENT at once, and after each INTERVAL ──► closed (0)
//! ```
//!
//! The number follows from the clock: no task counts it up or down. It advises those who choose a region, and decides how many
//! clients the region takes from ports that it shares with others (`region::sharing`); its other doors stay open at any health, as published.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::clock::Moment;
use crate::region::Region;

/// The best health.
pub const HEALTH_MAX: u32 = 100;

/// INTERVAL and ADJUSTMENT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Seconds between two steps; 0: no step but the first one.
    pub interval_s: u32,
    /// Percent of a step, from 1 to 100.
    pub adjustment: u32,
}

/// OPENSTATUS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenStatus {
    /// The health is 100.
    Open,
    /// It rises.
    Opening,
    /// It is 0.
    Closed,
    /// It falls.
    Closing,
    /// WLMHEALTH=OFF: the region says nothing of its health.
    Off,
}

/// The way in which the health goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Course {
    Rises,
    Falls,
}

/// A course, since a moment.
#[derive(Clone, Copy, Debug)]
struct State {
    pace: Pace,
    course: Course,
    /// The health at `since`.
    from: u32,
    since: Instant,
}

impl State {
    /// The steps since `since`.
    fn steps(&self, now: Instant) -> u32 {
        let passed = now.saturating_duration_since(self.since).as_secs();
        let steps = passed.checked_div(self.pace.interval_s.into()).unwrap_or(0);
        u32::try_from(steps).unwrap_or(u32::MAX)
    }

    fn value(&self, now: Instant) -> u32 {
        let change = self.steps(now).saturating_mul(self.pace.adjustment);
        match self.course {
            Course::Rises => self.from.saturating_add(change).min(HEALTH_MAX),
            Course::Falls => self.from.saturating_sub(change),
        }
    }

    fn status(&self, now: Instant) -> OpenStatus {
        match (self.course, self.value(now)) {
            (Course::Rises, HEALTH_MAX) => OpenStatus::Open,
            (Course::Rises, _) => OpenStatus::Opening,
            (Course::Falls, 0) => OpenStatus::Closed,
            (Course::Falls, _) => OpenStatus::Closing,
        }
    }

    /// The moment of the last change of the value.
    fn changed(&self, now: Instant) -> Instant {
        let to_go = match self.course {
            Course::Rises => HEALTH_MAX.saturating_sub(self.from),
            Course::Falls => self.from,
        };
        let steps = self.steps(now).min(to_go.div_ceil(self.pace.adjustment.max(1)));
        self.since + Duration::from_secs(u64::from(steps) * u64::from(self.pace.interval_s))
    }

    /// Begins a course from the value of now, with its first step at once.
    fn begin(&mut self, course: Course, now: Instant) {
        let value = self.value(now);
        let from = match course {
            Course::Rises => value.saturating_add(self.pace.adjustment).min(HEALTH_MAX),
            Course::Falls => value.saturating_sub(self.pace.adjustment),
        };
        (self.course, self.from, self.since) = (course, from, now);
    }
}

/// The health of a region.
pub struct Health {
    state: Option<Mutex<State>>,
    /// No more clients are wanted.
    leaves: AtomicBool,
}

/// Refusals of a change, as published for SET WLMHEALTH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// WLMHEALTH=OFF.
    Off,
    /// It rises already.
    RisesAlready,
    /// It falls already.
    FallsAlready,
    /// It cannot rise: INTERVAL is 0.
    NoInterval,
}

impl Health {
    /// The health of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Health 0, until the region [begins](Self::begin). `None`: WLMHEALTH=OFF.
    pub fn new(pace: Option<Pace>) -> Self {
        let closed = |pace| State { pace, course: Course::Falls, from: 0, since: Instant::now() };
        Self { state: pace.map(|pace| Mutex::new(closed(pace))), leaves: AtomicBool::new(false) }
    }

    /// The region is about to end: its clients are to go elsewhere, or to come again.
    pub fn leave(&self) {
        self.leaves.store(true, Ordering::Relaxed);
    }

    /// Returns true if clients that have got their answer should not stay: the region is about to end, or an operator has closed its
    /// health.
    pub fn leaves(&self) -> bool {
        self.leaves.load(Ordering::Relaxed)
    }

    /// The region is ready for work: the health rises, if there is an interval; the first step comes after one.
    pub fn begin(&self) {
        let Some(state) = &self.state else { return };
        let mut state = state.lock();
        if state.pace.interval_s > 0 {
            (state.course, state.since) = (Course::Rises, Instant::now());
        }
    }

    /// The number; 100 with WLMHEALTH=OFF.
    pub fn value(&self) -> u32 {
        self.state.as_ref().map_or(HEALTH_MAX, |state| state.lock().value(Instant::now()))
    }

    /// OPENSTATUS.
    pub fn status(&self) -> OpenStatus {
        self.state.as_ref().map_or(OpenStatus::Off, |state| state.lock().status(Instant::now()))
    }

    /// INTERVAL and ADJUSTMENT; `None` with WLMHEALTH=OFF.
    pub fn pace(&self) -> Option<Pace> {
        self.state.as_ref().map(|state| state.lock().pace)
    }

    /// The moment of the last change, in milliseconds as ABSTIME has it; `None` with WLMHEALTH=OFF.
    pub fn changed(&self) -> Option<i64> {
        let now = Instant::now();
        let changed = self.state.as_ref()?.lock().changed(now);
        let ago = i64::try_from(now.saturating_duration_since(changed).as_millis()).unwrap_or(0);
        Some(Moment::now().stamp().abstime() - ago)
    }

    /// Changes INTERVAL and ADJUSTMENT: the health goes on from its value of now.
    ///
    /// # Errors
    /// [`Refusal::Off`].
    pub fn set_pace(&self, change: impl FnOnce(&mut Pace)) -> Result<(), Refusal> {
        let mut state = self.state.as_ref().ok_or(Refusal::Off)?.lock();
        let now = Instant::now();
        (state.from, state.since) = (state.value(now), now);
        change(&mut state.pace);
        Ok(())
    }

    /// OPEN: the health rises.
    ///
    /// # Errors
    /// It rises already or is 100; there is no interval; WLMHEALTH=OFF.
    pub fn open(&self) -> Result<(), Refusal> {
        let mut state = self.state.as_ref().ok_or(Refusal::Off)?.lock();
        if state.course == Course::Rises {
            return Err(Refusal::RisesAlready);
        }
        if state.pace.interval_s == 0 {
            return Err(Refusal::NoInterval);
        }
        state.begin(Course::Rises, Instant::now());
        self.leaves.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// CLOSED: the health falls, at once to 0 if there is no interval.
    ///
    /// # Errors
    /// It falls already or is 0; WLMHEALTH=OFF.
    pub fn close(&self) -> Result<(), Refusal> {
        let mut state = self.state.as_ref().ok_or(Refusal::Off)?.lock();
        if state.course == Course::Falls {
            return Err(Refusal::FallsAlready);
        }
        state.begin(Course::Falls, Instant::now());
        if state.pace.interval_s == 0 {
            state.from = 0;
        }
        self.leave();
        Ok(())
    }

    /// IMMCLOSE, and the end of the region: 0 from now on.
    ///
    /// # Errors
    /// [`Refusal::Off`].
    pub fn close_now(&self) -> Result<(), Refusal> {
        let mut state = self.state.as_ref().ok_or(Refusal::Off)?.lock();
        (state.course, state.from, state.since) = (Course::Falls, 0, Instant::now());
        self.leave();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(interval_s: u32, adjustment: u32) -> State {
        let pace = Pace { interval_s, adjustment };
        State { pace, course: Course::Falls, from: 0, since: Instant::now() }
    }

    fn values(state: &State, seconds: &[u64]) -> Vec<u32> {
        seconds.iter().map(|s| state.value(state.since + Duration::from_secs(*s))).collect()
    }

    #[test]
    fn the_health_rises_by_steps_and_falls_by_steps() {
        let mut state = state(20, 30);
        state.begin(Course::Rises, state.since);
        assert_eq!(values(&state, &[0, 19, 20, 40, 60, 1000]), [30, 30, 60, 90, 100, 100]);
        let later = state.since + Duration::from_secs(45);
        assert_eq!(state.status(later), OpenStatus::Opening);
        state.begin(Course::Falls, later);
        assert_eq!(values(&state, &[0, 20, 40, 60]), [60, 30, 0, 0]);
        assert_eq!(state.status(later + Duration::from_secs(39)), OpenStatus::Closing);
        assert_eq!(state.status(later + Duration::from_secs(40)), OpenStatus::Closed);
    }

    #[test]
    fn the_last_change_is_that_of_the_value() {
        let mut state = state(10, 40);
        state.begin(Course::Rises, state.since);
        let changed = |s| state.changed(state.since + Duration::from_secs(s)) - state.since;
        assert_eq!([0, 9, 10, 25, 900].map(|s| changed(s).as_secs()), [0, 0, 10, 20, 20]);
    }

    #[test]
    fn without_an_interval_it_rises_only_when_one_is_set() {
        let health = Health::new(Some(Pace { interval_s: 0, adjustment: 25 }));
        health.begin();
        assert_eq!(
            (health.value(), health.status(), health.open()),
            (0, OpenStatus::Closed, Err(Refusal::NoInterval))
        );
        health.set_pace(|pace| pace.interval_s = 1).expect("it is on");
        assert_eq!((health.open(), health.value()), (Ok(()), 25));
        assert_eq!(health.open(), Err(Refusal::RisesAlready));
        assert_eq!(
            (health.close_now(), health.value(), health.close()),
            (Ok(()), 0, Err(Refusal::FallsAlready))
        );
    }

    #[test]
    fn a_region_that_says_nothing_of_its_health_takes_all_work() {
        let health = Health::new(None);
        assert_eq!((health.value(), health.status(), health.pace()), (HEALTH_MAX, OpenStatus::Off, None));
        assert_eq!([health.open(), health.close(), health.close_now()], [Err(Refusal::Off); 3]);
    }
}
