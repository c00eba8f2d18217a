//! Steady state: from when on a load may be measured.

use std::collections::VecDeque;

/// Seconds that are looked at together.
const SECONDS: usize = 4;
/// The most by which their rates may differ, as a part of the lowest one.
const RATES_DIFFER: f64 = 0.1;
/// The most by which their response times may differ: the highest one as a multiple of the lowest.
const RESPONSES_DIFFER: f64 = 1.5;

/// The state of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It warms up, or has not settled yet.
    Warms,
    /// Its last seconds were alike.
    Steady,
    /// They were not, for as long as anybody waits for it.
    Restless,
}

/// A look at a load, second by second.
#[derive(Clone, Debug)]
pub struct Steady {
    /// Seconds that do not count, and seconds after which a measurement gives up.
    warm_up: u32,
    patience: u32,
    seen: u32,
    last: VecDeque<(f64, f64)>,
}

impl Steady {
    /// A look at a load that warms up for so many seconds, and has so many in all to settle.
    pub fn new(warm_up: u32, patience: u32) -> Self {
        Self { warm_up, patience, seen: 0, last: VecDeque::new() }
    }

    /// Takes a second: its rate and the mean of its response times.
    pub fn see(&mut self, rate: f64, response: f64) -> Phase {
        self.seen += 1;
        if self.seen <= self.warm_up {
            return Phase::Warms;
        }
        self.last.push_back((rate, response));
        if self.last.len() > SECONDS {
            self.last.pop_front();
        }
        match self.is_steady() {
            true => Phase::Steady,
            false if self.seen >= self.patience => Phase::Restless,
            false => Phase::Warms,
        }
    }

    fn is_steady(&self) -> bool {
        let bounds = |figure: fn(&(f64, f64)) -> f64| {
            let all = self.last.iter().map(figure);
            (all.clone().fold(f64::INFINITY, f64::min), all.fold(0.0, f64::max))
        };
        let ((slowest, fastest), (shortest, longest)) =
            (bounds(|second| second.0), bounds(|second| second.1));
        self.last.len() == SECONDS
            && slowest > 0.0
            && fastest <= slowest * (1.0 + RATES_DIFFER)
            && longest <= shortest * RESPONSES_DIFFER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The phases of a load with these seconds.
    fn phases(seconds: &[(f64, f64)]) -> Vec<Phase> {
        let mut steady = Steady::new(2, 9);
        seconds.iter().map(|(rate, response)| steady.see(*rate, *response)).collect()
    }

    #[test]
    fn a_load_is_steady_once_its_last_seconds_are_alike() {
        use Phase::{Restless, Steady, Warms};
        let alike = [(500.0, 1.0), (505.0, 1.1), (498.0, 1.3), (500.0, 0.9), (500.0, 1.0), (500.0, 1.0)];
        assert_eq!(phases(&alike), [Warms, Warms, Warms, Warms, Warms, Steady]);
        let settling = [(1.0, 9.0), (1.0, 9.0), (90.0, 9.0), (100.0, 9.0), (101.0, 4.0), (100.0, 4.0)];
        let settled = [(100.0, 4.0), (100.0, 4.0)];
        assert_eq!(phases(&[&settling[..], &settled].concat())[6..], [Warms, Steady]);
        // A rate that comes and goes, or responses that grow without end.
        let gusts: Vec<_> = (0..9).map(|at| (if at % 2 == 0 { 100.0 } else { 50.0 }, 1.0)).collect();
        assert_eq!(phases(&gusts).last(), Some(&Restless));
        let queue: Vec<_> = (0..9).map(|at| (100.0, f64::from(1 << at))).collect();
        assert_eq!(phases(&queue).last(), Some(&Restless));
        assert_eq!(phases(&[(0.0, 0.0); 9]).last(), Some(&Restless), "nothing at all is not steady");
    }
}
