//! Named counters: numbers of which every draw gives another, whichever task draws.
//!
//! A pool (a name of eight characters, blank is one too) holds counters by name; a counter is its next number between
//! its bounds. States: *has numbers* → *at its limit* (the highest was drawn) → has numbers again by WRAP, REWIND or
//! UPDATE.
//!
//! Invariant: a draw is one change under one lock, and no part of any unit of work: what was drawn stays drawn when
//! its task is backed out. Counters are in main storage, gone with the region.

mod commands;

use std::collections::HashMap;

use parking_lot::Mutex;
use spec::cond;

pub(crate) use commands::HANDLERS;

use crate::limits::COUNTERS_MAX;
use crate::name::{Name8, Name16};
use crate::raise::{Outcome, Raise, RaiseCondition};

/// RESP2 of what a counter refuses.
mod refusal {
    pub const AT_LIMIT: i32 = 101;
    pub const NOT_AT_LIMIT: i32 = 102;
    pub const NOT_IN_RANGE: i32 = 103;
    pub const NOT_FOUND: i32 = 201;
    pub const DUPLICATE: i32 = 202;
    pub const POOL_FULL: i32 = 304;
    pub const VALUE: i32 = 405;
    pub const INCREMENT: i32 = 406;
}

/// Where a counter is: its pool and its name in it.
pub type CounterName = (Name8, Name16);

/// A counter. Numbers are wide enough for signed fullwords and unsigned doublewords, and for one more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The number that the next draw gives; one more than the maximum at the limit.
    pub value: i128,
    /// The lowest number.
    pub minimum: i128,
    /// The highest number.
    pub maximum: i128,
}

/// COMPAREMIN and COMPAREMAX: in which range the present number must be.
#[derive(Clone, Copy, Debug, Default)]
pub struct Range {
    /// At least.
    pub minimum: Option<i128>,
    /// At most.
    pub maximum: Option<i128>,
}

impl Range {
    /// Where the least is above the most, either is enough.
    fn holds(self, value: i128) -> bool {
        let above = self.minimum.is_none_or(|minimum| value >= minimum);
        let below = self.maximum.is_none_or(|maximum| value <= maximum);
        match (self.minimum, self.maximum) {
            (Some(minimum), Some(maximum)) if minimum > maximum => above || below,
            _ => above && below,
        }
    }
}

/// What a GET asks for.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    /// How many numbers.
    pub increment: i128,
    /// Begin again at the minimum where there are not as many left.
    pub wrap: bool,
    /// Take what is left where there are not as many.
    pub reduce: bool,
    /// Only if the present number is in this range.
    pub range: Range,
}

impl Counter {
    fn is_at_limit(&self) -> bool {
        self.value > self.maximum
    }

    fn numbers_from(&self, value: i128) -> i128 {
        self.maximum - value + 1
    }

    fn draw(&mut self, draw: &Draw) -> Outcome<i128> {
        if !(0..=self.numbers_from(self.minimum)).contains(&draw.increment) {
            return Err(cond::INVREQ.raise(refusal::INCREMENT));
        }
        let first = if self.is_at_limit() && draw.wrap { self.minimum } else { self.value };
        if first > self.maximum {
            return Err(cond::SUPPRESSED.raise(refusal::AT_LIMIT));
        }
        if !draw.range.holds(first) {
            return Err(cond::SUPPRESSED.raise(refusal::NOT_IN_RANGE));
        }
        let left = self.numbers_from(first);
        let (first, taken) = match (draw.increment <= left, draw.reduce, draw.wrap) {
            (true, ..) => (first, draw.increment),
            (false, true, _) => (first, left),
            (false, false, true) => (self.minimum, draw.increment),
            (false, false, false) => return Err(cond::SUPPRESSED.raise(refusal::AT_LIMIT)),
        };
        self.value = first + taken;
        Ok(first)
    }

    fn rewind(&mut self, increment: i128) -> Outcome {
        if !(0..=self.numbers_from(self.minimum)).contains(&increment) {
            return Err(cond::INVREQ.raise(refusal::INCREMENT));
        }
        if self.value + increment <= self.maximum {
            return Err(cond::SUPPRESSED.raise(refusal::NOT_AT_LIMIT));
        }
        self.value = self.minimum;
        Ok(())
    }

    fn update(&mut self, value: i128, range: Range) -> Outcome {
        if !(self.minimum..=self.maximum + 1).contains(&value) {
            return Err(cond::INVREQ.raise(refusal::VALUE));
        }
        if !range.holds(self.value) {
            return Err(cond::SUPPRESSED.raise(refusal::NOT_IN_RANGE));
        }
        self.value = value;
        Ok(())
    }
}

/// The counters of a region.
#[derive(Default)]
pub struct Counters {
    table: Mutex<HashMap<CounterName, Counter>>,
}

impl Counters {
    /// DEFINE.
    ///
    /// # Errors
    /// INVREQ: the number is not between the bounds, there is such a counter already, or there are too many.
    pub fn define(&self, name: CounterName, counter: Counter) -> Outcome {
        if !(counter.minimum..=counter.maximum + 1).contains(&counter.value) {
            return Err(cond::INVREQ.raise(refusal::VALUE));
        }
        let mut table = self.table.lock();
        if table.contains_key(&name) {
            return Err(cond::INVREQ.raise(refusal::DUPLICATE));
        }
        if table.len() >= COUNTERS_MAX {
            return Err(cond::INVREQ.raise(refusal::POOL_FULL));
        }
        table.insert(name, counter);
        Ok(())
    }

    /// GET: the number drawn, the first of as many as were asked for.
    ///
    /// # Errors
    /// INVREQ: no such counter, or an increment that is wider than it. SUPPRESSED: at its limit, or not in the range.
    pub fn draw(&self, name: CounterName, draw: &Draw) -> Outcome<i128> {
        self.change(name, |counter| counter.draw(draw))
    }

    /// REWIND: back to the minimum, from the limit or so near to it that the increment would pass it.
    ///
    /// # Errors
    /// INVREQ as [`Self::draw`]. SUPPRESSED: not at the limit.
    pub fn rewind(&self, name: CounterName, increment: i128) -> Outcome {
        self.change(name, |counter| counter.rewind(increment))
    }

    /// UPDATE: the next number is this.
    ///
    /// # Errors
    /// INVREQ: no such counter, or the number is not between its bounds. SUPPRESSED: not in the range.
    pub fn update(&self, name: CounterName, value: i128, range: Range) -> Outcome {
        self.change(name, |counter| counter.update(value, range))
    }

    /// QUERY.
    ///
    /// # Errors
    /// INVREQ: no such counter.
    pub fn query(&self, name: CounterName) -> Outcome<Counter> {
        self.change(name, |counter| Ok(*counter))
    }

    /// DELETE.
    ///
    /// # Errors
    /// INVREQ: no such counter.
    pub fn delete(&self, name: CounterName) -> Outcome {
        self.table.lock().remove(&name).map(|_| ()).ok_or_else(not_found)
    }

    fn change<T>(&self, name: CounterName, action: impl FnOnce(&mut Counter) -> Outcome<T>) -> Outcome<T> {
        self.table.lock().get_mut(&name).ok_or_else(not_found).and_then(action)
    }
}

fn not_found() -> Raise {
    cond::INVREQ.raise(refusal::NOT_FOUND)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: CounterName = (Name8::BLANK, Name16::BLANK);
    const PLAIN: Draw =
        Draw { increment: 1, wrap: false, reduce: false, range: Range { minimum: None, maximum: None } };

    /// A counter of 1 to 10 that stands at `value`.
    fn counters(value: i128) -> Counters {
        let counters = Counters::default();
        counters.define(NAME, Counter { value, minimum: 1, maximum: 10 }).expect("a counter");
        counters
    }

    #[test]
    fn the_highest_number_is_drawn_once_and_then_the_counter_is_at_its_limit() {
        let counters = counters(9);
        assert_eq!(counters.draw(NAME, &PLAIN), Ok(9));
        assert_eq!(counters.draw(NAME, &PLAIN), Ok(10));
        assert_eq!(counters.draw(NAME, &PLAIN), Err(cond::SUPPRESSED.raise(101)));
        assert_eq!(counters.draw(NAME, &Draw { wrap: true, ..PLAIN }), Ok(1));
        assert_eq!(counters.draw(NAME, &PLAIN), Ok(2));
    }

    #[test]
    fn a_block_that_is_not_left_is_refused_reduced_or_begins_again() {
        let four = Draw { increment: 4, ..PLAIN };
        assert_eq!(counters(8).draw(NAME, &four), Err(cond::SUPPRESSED.raise(101)));
        assert_eq!(counters(8).draw(NAME, &Draw { wrap: true, ..four }), Ok(1));
        let reduced = counters(8);
        assert_eq!(reduced.draw(NAME, &Draw { reduce: true, ..four }), Ok(8));
        assert_eq!(reduced.query(NAME).expect("a counter").value, 11);
        assert_eq!(counters(7).draw(NAME, &four), Ok(7));
        assert_eq!(counters(1).draw(NAME, &Draw { increment: 11, ..PLAIN }), Err(cond::INVREQ.raise(406)));
    }

    #[test]
    fn a_range_lets_a_draw_through_or_suppresses_it() {
        let within = |minimum, maximum| Draw { range: Range { minimum, maximum }, ..PLAIN };
        assert_eq!(counters(5).draw(NAME, &within(Some(5), Some(5))), Ok(5));
        assert_eq!(counters(5).draw(NAME, &within(Some(6), None)), Err(cond::SUPPRESSED.raise(103)));
        assert_eq!(counters(5).draw(NAME, &within(None, Some(4))), Err(cond::SUPPRESSED.raise(103)));
        assert_eq!(counters(2).draw(NAME, &within(Some(8), Some(3))), Ok(2));
    }

    #[test]
    fn rewind_wants_the_limit_and_update_the_bounds() {
        let counters = counters(8);
        assert_eq!(counters.rewind(NAME, 0), Err(cond::SUPPRESSED.raise(102)));
        assert_eq!(counters.rewind(NAME, 3), Ok(()));
        assert_eq!(counters.query(NAME).expect("a counter").value, 1);
        assert_eq!(counters.update(NAME, 12, Range::default()), Err(cond::INVREQ.raise(405)));
        assert_eq!(counters.update(NAME, 11, Range::default()), Ok(()));
        assert_eq!(counters.rewind(NAME, 0), Ok(()));
    }

    #[test]
    fn a_counter_is_defined_once_and_gone_when_deleted() {
        let counters = counters(1);
        let again = Counter { value: 1, minimum: 1, maximum: 2 };
        assert_eq!(counters.define(NAME, again), Err(cond::INVREQ.raise(202)));
        assert_eq!(counters.delete(NAME), Ok(()));
        assert_eq!(counters.delete(NAME), Err(cond::INVREQ.raise(201)));
    }
}
