//! Named counters: numbers of which every draw gives another, whichever task draws.
//!
//! A pool (a name of eight characters, blank is one too) holds counters by name; a counter is its next number between
//! its bounds. States: *has numbers* → *at its limit* (the highest was drawn) → has numbers again by WRAP, REWIND or
//! UPDATE.
//!
//! Regions on a record server share all counters: a draw of one is behind the draws of all others.
//!
//! Invariant: a draw is a unit of work of its own, durable before the program has the number: what was drawn stays drawn
//! when its task is backed out and when the region ends in whatever way. No start of a region touches a counter.

mod commands;

use std::sync::atomic::{AtomicUsize, Ordering};

use records::Wait;
use spec::cond;

pub(crate) use commands::HANDLERS;

use kernel::keeper::Keeper;
use kernel::limits::COUNTERS_MAX;
use kernel::name::{Name8, Name16};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::recovery::{self, UnitOfWork};
use kernel::region::Region;
use kernel::task::{Task, WaitKind};

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

/// Counters outlive the region; no start touches them.
pub(crate) static KEEPER: Keeper = Keeper {
    letter: b'C',
    survives: |_| true,
    store: Some(|stores| stores.counters),
    recover: |region, _, _| Counters::of(region).found(),
    ..Keeper::NOTHING
};

/// The place of a counter: its pool and its name in it.
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
    /// Returns true if the value is in the range. If the minimum is above the maximum, either bound is enough.
    fn holds(self, value: i128) -> bool {
        let above = self.minimum.is_none_or(|minimum| value >= minimum);
        let below = self.maximum.is_none_or(|maximum| value <= maximum);
        match (self.minimum, self.maximum) {
            (Some(minimum), Some(maximum)) if minimum > maximum => above || below,
            _ => above && below,
        }
    }
}

/// The request of a GET.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    /// The number of numbers.
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

impl Counter {
    fn to_bytes(self) -> Vec<u8> {
        [self.value, self.minimum, self.maximum].iter().flat_map(|number| number.to_be_bytes()).collect()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (numbers, _) = bytes.as_chunks();
        let [value, minimum, maximum] = *numbers else { return None };
        let number = i128::from_be_bytes;
        Some(Self { value: number(value), minimum: number(minimum), maximum: number(maximum) })
    }
}

/// The counters of a region: how many there are, as far as this region knows.
#[derive(Default)]
pub struct Counters {
    count: AtomicUsize,
}

impl Counters {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// A counter of an earlier run.
    pub fn found(&self) {
        self.count.fetch_add(1, Ordering::Relaxed);
    }
}

/// DEFINE.
///
/// # Errors
/// INVREQ: the number is not between the bounds, there is such a counter already, or there are too many.
async fn define(task: &Task, name: CounterName, counter: Counter) -> Outcome {
    if !(counter.minimum..=counter.maximum + 1).contains(&counter.value) {
        return Err(cond::INVREQ.raise(refusal::VALUE));
    }
    let counters = Counters::of(&task.region);
    change(task, name, |present| match present {
        Some(_) => Err(cond::INVREQ.raise(refusal::DUPLICATE)),
        None if counters.count.load(Ordering::Relaxed) >= COUNTERS_MAX => {
            Err(cond::INVREQ.raise(refusal::POOL_FULL))
        }
        None => Ok(((), Some(counter))),
    })
    .await?;
    counters.found();
    Ok(())
}

/// GET, UPDATE and REWIND: what `action` makes of the counter.
///
/// # Errors
/// INVREQ: no such counter; and what the action says.
async fn use_counter<T>(
    task: &Task,
    name: CounterName,
    action: impl FnOnce(&mut Counter) -> Outcome<T>,
) -> Outcome<T> {
    change(task, name, |present| {
        let mut counter = present.ok_or_else(not_found)?;
        let outcome = action(&mut counter)?;
        Ok((outcome, Some(counter)))
    })
    .await
}

/// DELETE.
///
/// # Errors
/// INVREQ: no such counter.
async fn delete(task: &Task, name: CounterName) -> Outcome {
    change(task, name, |present| present.map(|_| ((), None)).ok_or_else(not_found)).await?;
    // It may be one that another region has made since the start.
    let less = |count: usize| Some(count.saturating_sub(1));
    let _ = Counters::of(&task.region).count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    Ok(())
}

/// Changes a counter in a unit of work of its own; no other task can change it meanwhile.
async fn change<T>(
    task: &Task,
    name: CounterName,
    action: impl FnOnce(Option<Counter>) -> Outcome<(T, Option<Counter>)>,
) -> Outcome<T> {
    let (store, key) = (task.region.stores.counters, key(name));
    let change = async |own: &mut UnitOfWork| {
        let mut record = Vec::new();
        own.lock_and_get(store, &key, (Wait::Forever, WaitKind::COUNTER), &mut record).await?;
        let present = Counter::from_bytes(&record);
        let (outcome, counter) = action(present)?;
        match counter {
            counter if counter == present => {}
            Some(counter) => own.put(store, &key, &counter.to_bytes()).await?,
            None => own.delete(store, &key).await?,
        }
        Ok(outcome)
    };
    recovery::apart(&task.region, &task.control, change).await
}

fn key((pool, counter): CounterName) -> Vec<u8> {
    [pool.as_ref(), counter.as_ref()].concat()
}

fn not_found() -> Raise {
    cond::INVREQ.raise(refusal::NOT_FOUND)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Draw =
        Draw { increment: 1, wrap: false, reduce: false, range: Range { minimum: None, maximum: None } };

    /// A counter of 1 to 10 whose value is `value`.
    fn counter(value: i128) -> Counter {
        Counter { value, minimum: 1, maximum: 10 }
    }

    #[test]
    fn the_highest_number_is_drawn_once_and_then_the_counter_is_at_its_limit() {
        let mut counter = counter(9);
        assert_eq!(counter.draw(&PLAIN), Ok(9));
        assert_eq!(counter.draw(&PLAIN), Ok(10));
        assert_eq!(counter.draw(&PLAIN), Err(cond::SUPPRESSED.raise(101)));
        assert_eq!(counter.draw(&Draw { wrap: true, ..PLAIN }), Ok(1));
        assert_eq!(counter.draw(&PLAIN), Ok(2));
    }

    #[test]
    fn a_block_that_is_not_left_is_refused_reduced_or_begins_again() {
        let four = Draw { increment: 4, ..PLAIN };
        assert_eq!(counter(8).draw(&four), Err(cond::SUPPRESSED.raise(101)));
        assert_eq!(counter(8).draw(&Draw { wrap: true, ..four }), Ok(1));
        let mut reduced = counter(8);
        assert_eq!(reduced.draw(&Draw { reduce: true, ..four }), Ok(8));
        assert_eq!(reduced.value, 11);
        assert_eq!(counter(7).draw(&four), Ok(7));
        assert_eq!(counter(1).draw(&Draw { increment: 11, ..PLAIN }), Err(cond::INVREQ.raise(406)));
    }

    #[test]
    fn a_range_lets_a_draw_through_or_suppresses_it() {
        let within = |minimum, maximum| Draw { range: Range { minimum, maximum }, ..PLAIN };
        assert_eq!(counter(5).draw(&within(Some(5), Some(5))), Ok(5));
        assert_eq!(counter(5).draw(&within(Some(6), None)), Err(cond::SUPPRESSED.raise(103)));
        assert_eq!(counter(5).draw(&within(None, Some(4))), Err(cond::SUPPRESSED.raise(103)));
        assert_eq!(counter(2).draw(&within(Some(8), Some(3))), Ok(2));
    }

    #[test]
    fn rewind_wants_the_limit_and_update_the_bounds() {
        let mut counter = counter(8);
        assert_eq!(counter.rewind(0), Err(cond::SUPPRESSED.raise(102)));
        assert_eq!(counter.rewind(3), Ok(()));
        assert_eq!(counter.value, 1);
        assert_eq!(counter.update(12, Range::default()), Err(cond::INVREQ.raise(405)));
        assert_eq!(counter.update(11, Range::default()), Ok(()));
        assert_eq!(counter.rewind(0), Ok(()));
    }

    #[test]
    fn a_record_is_the_counter_again() {
        let wide = Counter { value: i128::from(u64::MAX) + 1, minimum: -1, maximum: u64::MAX.into() };
        assert_eq!(Counter::from_bytes(&wide.to_bytes()), Some(wide));
        assert_eq!(Counter::from_bytes(b""), None);
    }
}
