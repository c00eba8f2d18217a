//! The verification of a code: it must be the card's, and new.

use crate::digits::{number, power_of_ten};
use crate::ftsc::{Card, CardKey, Moment, SubFields};

/// Code values computed at most in each direction: a bound on the cost of one request if the counter block is left out
/// or short.
pub const SEARCH_MAX: usize = 100;

/// The issuer's knowledge of the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The counter of the last code that was accepted; 0 before the first.
    pub last_counter: u32,
    /// The most by which the counter may have gone on since, and the distance back at which a replay is recognised.
    pub window: u32,
    /// The time block now.
    pub time: u32,
    /// The most by which the card's clock may differ from it, in time units.
    pub tolerance: u32,
}

/// The verdict on a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The card made it for this counter, which is new.
    Authentic {
        /// The counter that is to be kept.
        counter: u32,
        /// The time block of the card; 0 if it has none.
        time: u32,
    },
    /// Not made by this card, or for another moment than it says.
    Wrong,
    /// The card made it for this counter, which has been used or passed by.
    Replayed {
        /// The counter of the code.
        counter: u32,
    },
    /// The counter it names is neither in the window ahead nor a known earlier one.
    OutsideWindow,
    /// Its time is too far from the issuer's.
    OutsideTime,
}

/// Judges a code.
pub fn verify(key: &CardKey, card: &Card, received: &SubFields, expected: &Expected) -> Verdict {
    let (Some(status), Some(time)) = (small_number(&received.sib), time(&received.tib, expected)) else {
        return Verdict::Wrong;
    };
    if received.cv.is_empty() || small_number(&received.tcb).is_none() {
        return Verdict::Wrong;
    }
    if !received.tib.is_empty() && time.abs_diff(expected.time) > expected.tolerance {
        return Verdict::OutsideTime;
    }
    let made = |counter: &u32| {
        let moment = Moment { counter: *counter, time, status };
        key.code_value(card, &moment, received.cv.len()) == received.cv
    };
    let Expected { last_counter: last, window, .. } = *expected;
    let ahead = || candidates(&received.tcb, last.saturating_add(1), last.saturating_add(window));
    if last < u32::MAX
        && let Some(counter) = ahead().find(made)
    {
        return Verdict::Authentic { counter, time };
    }
    let mut behind = candidates(&received.tcb, last.saturating_sub(window).saturating_add(1), last);
    if let Some(counter) = behind.find(made) {
        return Verdict::Replayed { counter };
    }
    if ahead().next().is_none() { Verdict::OutsideWindow } else { Verdict::Wrong }
}

/// The counters from `first` to `last` that end with the digits of a counter block.
fn candidates(block: &str, first: u32, last: u32) -> impl Iterator<Item = u32> {
    let step = power_of_ten(block.len());
    let ending = number(block).unwrap_or(0);
    let first = u64::from(first);
    let start = first + (ending + step - first % step) % step;
    (start..=u64::from(last))
        .step_by(usize::try_from(step).unwrap_or(usize::MAX))
        .take(SEARCH_MAX)
        .filter_map(|counter| u32::try_from(counter).ok())
}

/// The time block whose last digits were received: the one nearest to the issuer's. 0 for a block that is left out.
fn time(block: &str, expected: &Expected) -> Option<u32> {
    if block.is_empty() {
        return Some(0);
    }
    let ending = u64::from(small_number(block)?);
    let step = power_of_ten(block.len());
    let now = u64::from(expected.time);
    let same_decade = now - now % step + ending;
    [same_decade.checked_sub(step), Some(same_decade), same_decade.checked_add(step)]
        .into_iter()
        .flatten()
        .filter_map(|time| u32::try_from(time).ok())
        .min_by_key(|time| time.abs_diff(expected.time))
}

/// A sub-field as a number; `None` for other characters than digits.
fn small_number(digits: &str) -> Option<u32> {
    number(digits).and_then(|number| u32::try_from(number).ok())
}
