//! The surroundings of a calculation.

use std::cell::Cell;

use crate::datetime::{DateStyle, TimeStyle, Timestamp};
use crate::order::Order;

/// The surroundings that expressions of a statement are calculated in.
#[derive(Debug)]
pub struct Setting {
    /// The order of characters.
    pub order: Order,
    /// The style of dates that become texts.
    pub date: DateStyle,
    /// The style of times that become texts.
    pub time: TimeStyle,
    /// The time of the statement: CURRENT TIMESTAMP throughout.
    pub now: Timestamp,
    /// Warnings for the program; they grow while expressions are calculated.
    pub warnings: Cell<Warnings>,
}

/// Warnings of calculations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Warnings {
    /// A text was cut, and more than blanks went (SQLWARN1, SQLSTATE 01004).
    pub is_cut: bool,
    /// A day that its month does not have became the month's last (SQLWARN6, SQLSTATE 01506).
    pub is_adjusted: bool,
}

impl Setting {
    /// The surroundings at a time, with dates and times in ISO's style and characters in a program's own order.
    pub fn at(now: Timestamp) -> Self {
        Self {
            order: Order::default(),
            date: DateStyle::default(),
            time: TimeStyle::default(),
            now,
            warnings: Cell::default(),
        }
    }

    pub(crate) fn warn_cut(&self) {
        self.warnings.set(Warnings { is_cut: true, ..self.warnings.get() });
    }

    pub(crate) fn warn_adjusted(&self) {
        self.warnings.set(Warnings { is_adjusted: true, ..self.warnings.get() });
    }
}
