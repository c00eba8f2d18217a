//! Clocks, counters and characters of a task that its programs keep by MONITOR, an area for each entry.

use instruments::points::{CHARACTERS_MAX, Change};

use super::Timed;
use crate::name::Name8;
use crate::ticks as clock;

/// The area of an entry.
#[derive(Clone, Debug)]
pub(crate) struct UserArea {
    pub entry: Name8,
    /// By number less 1.
    clocks: Vec<UserClock>,
    counters: Vec<Option<u32>>,
    characters: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default)]
struct UserClock {
    timed: Timed,
    /// When it was started, by the region's own clock; `None` if it does not run.
    since: Option<u64>,
}

impl UserArea {
    pub fn new(entry: Name8) -> Self {
        Self { entry, clocks: Vec::new(), counters: Vec::new(), characters: Vec::new() }
    }

    /// Starts or stops a clock. Returns false if it ran already, or did not run.
    pub fn clock(&mut self, number: u16, start: bool) -> bool {
        let clock = at(&mut self.clocks, number);
        let ran = clock.since.take();
        if let Some(since) = ran {
            clock.timed.add(clock::now().saturating_sub(since));
        }
        if start {
            clock.since = Some(clock::now());
        }
        ran.is_some() != start
    }

    pub fn change(&mut self, number: u16, change: Change, operand: u32) {
        let counter = at(&mut self.counters, number);
        *counter = Some(change.of(counter.unwrap_or_default(), operand));
    }

    pub fn put(&mut self, offset: u16, bytes: &[u8]) {
        let (from, to) = (usize::from(offset), usize::from(offset) + bytes.len());
        if self.characters.len() < to {
            self.characters.resize(to.min(CHARACTERS_MAX), b' ');
        }
        if let Some(place) = self.characters.get_mut(from..to) {
            place.copy_from_slice(bytes);
        }
    }

    /// The clocks that were used, by number. One that runs counts up to now.
    pub fn clocks(&self) -> impl Iterator<Item = (usize, Timed)> {
        let used = self.clocks.iter().enumerate().map(|(place, clock)| {
            let mut timed = clock.timed;
            if let Some(since) = clock.since {
                timed.add(clock::now().saturating_sub(since));
            }
            (place + 1, timed)
        });
        used.filter(|(_, timed)| timed.count > 0)
    }

    /// The counters that were used, by number.
    pub fn counters(&self) -> impl Iterator<Item = (usize, u32)> {
        self.counters.iter().enumerate().filter_map(|(place, counter)| Some((place + 1, (*counter)?)))
    }

    pub fn characters(&self) -> &[u8] {
        &self.characters
    }

    /// The next record begins: counts are 0 again, clocks that run go on from now, characters stay.
    pub fn begin_again(&mut self) {
        self.counters.clear();
        for clock in &mut self.clocks {
            clock.timed = Timed::default();
            clock.since = clock.since.map(|_| clock::now());
        }
    }
}

/// The place of a number, which is made if it is new.
fn at<T: Copy + Default>(list: &mut Vec<T>, number: u16) -> &mut T {
    let place = usize::from(number.max(1)) - 1;
    if list.len() <= place {
        list.resize(place + 1, T::default());
    }
    &mut list[place]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_runs_cannot_be_started_and_one_that_does_not_cannot_be_stopped() {
        let mut area = UserArea::new(Name8::from("USER"));
        let steps = [(true, true), (true, false), (false, true), (false, false)];
        for (start, right) in steps {
            assert_eq!(area.clock(2, start), right, "{start}");
        }
        let clocks: Vec<_> = area.clocks().map(|(number, timed)| (number, timed.count)).collect();
        assert_eq!(clocks, [(2, 2)]);
    }

    #[test]
    fn counters_and_characters_are_told_if_they_were_used() {
        let mut area = UserArea::new(Name8::from("USER"));
        area.change(3, Change::Add, 7);
        area.change(3, Change::Subtract, 2);
        area.put(2, b"AB");
        assert_eq!(area.counters().collect::<Vec<_>>(), [(3, 5)]);
        assert_eq!(area.characters(), b"  AB");
        area.begin_again();
        assert_eq!(area.counters().count(), 0);
        assert_eq!(area.characters(), b"  AB");
    }
}
