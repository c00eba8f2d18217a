//! The century of a year of two digits.

use crate::feedback::Feedback;

/// The hundred years of two-digit years.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CenturyWindow {
    first: i32,
}

/// The number of years before this one at which the window starts, unless CEESCEN sets another.
pub(crate) const CENTURY_START: i32 = 80;

impl CenturyWindow {
    /// The window that starts 80 years before a year.
    pub const fn around(this_year: i32) -> Self {
        Self { first: this_year - CENTURY_START }
    }

    /// The year that two digits mean.
    pub(crate) const fn year(self, two_digits: i32) -> i32 {
        self.first + (two_digits - self.first).rem_euclid(100)
    }
}

/// CEESCEN: a window that starts `start` years before this one.
pub fn set_century(this_year: i32, start: i32) -> Result<CenturyWindow, Feedback> {
    if !(0..=100).contains(&start) {
        return Err(Feedback::CENTURY);
    }
    Ok(CenturyWindow { first: this_year - start })
}
