//! Number of log lines that a program may cause: one that repeats itself without end must not fill a disk, nor hide
//! the lines of others. Lines are counted by program ([`Lines`]), and by their text if no program is known
//! ([`Site`]).

use std::time::{Duration, Instant};

use foldhash::HashMap;
use parking_lot::Mutex;

use crate::limits::LOG_LINES_PER_SECOND;
use crate::name::Name8;

/// The time that a limit is for.
const SECOND: Duration = Duration::from_secs(1);

/// The lines of a region's programs.
#[derive(Default)]
pub struct Lines(Mutex<HashMap<Name8, Second>>);

/// One second of a program.
struct Second {
    began: Instant,
    lines: u32,
}

impl Second {
    fn left_out(&self) -> u32 {
        self.lines.saturating_sub(LOG_LINES_PER_SECOND)
    }
}

impl Lines {
    /// Returns true if a program may have another line now. The number of those left out is logged once that second
    /// is over.
    pub fn may_write(&self, program: Name8, now: Instant) -> bool {
        let mut table = self.0.lock();
        let second = table.entry(program).or_insert(Second { began: now, lines: 0 });
        if now - second.began >= SECOND {
            tell(program, second.left_out());
            *second = Second { began: now, lines: 0 };
        }
        second.lines = second.lines.saturating_add(1);
        second.lines <= LOG_LINES_PER_SECOND
    }

    /// Tells what was left out of seconds that are over, and forgets them.
    pub fn settle(&self, now: Instant) {
        self.0.lock().retain(|program, second| {
            let is_over = now - second.began >= SECOND;
            if is_over {
                tell(*program, second.left_out());
            }
            !is_over
        });
    }
}

/// The lines of one place in the region's own code, whichever program causes them.
#[derive(Default)]
pub struct Site(Mutex<Option<Second>>);

impl Site {
    /// None so far.
    pub const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// True if there may be another line now; and the number left out in the last second that had any.
    pub fn may_write(&self, now: Instant) -> (bool, u32) {
        let mut second = self.0.lock();
        let over = second.take_if(|second| now - second.began >= SECOND).map_or(0, |over| over.left_out());
        let second = second.get_or_insert(Second { began: now, lines: 0 });
        second.lines = second.lines.saturating_add(1);
        (second.lines <= LOG_LINES_PER_SECOND, over)
    }
}

/// A line of the log that a program may cause as often as it likes: `often!(warn, target: "TD", "queue {name} …")`.
#[macro_export]
macro_rules! often {
    ($level:ident, target: $target:literal, $($line:tt)+) => {{
        static SITE: $crate::lines::Site = $crate::lines::Site::new();
        let (may_write, left_out) = SITE.may_write(std::time::Instant::now());
        if left_out > 0 {
            tracing::warn!(target: $target, "{left_out} lines like the next were left out");
        }
        if may_write {
            tracing::$level!(target: $target, $($line)+);
        }
    }};
}
pub use often;

fn tell(program: Name8, left_out: u32) {
    if left_out > 0 {
        tracing::warn!(
            target: "AP",
            "program {program}: {left_out} lines are left out: it has caused more than {LOG_LINES_PER_SECOND} in a second"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_a_limit_by_program_and_second() {
        let (lines, begin) = (Lines::default(), Instant::now());
        let written = |program: &str, now| {
            let tries = 0..2 * LOG_LINES_PER_SECOND;
            tries.filter(|_| lines.may_write(program.into(), now)).count() as u32
        };
        assert_eq!(written("LOUD", begin), LOG_LINES_PER_SECOND);
        assert_eq!(written("LOUD", begin + SECOND / 2), 0);
        assert_eq!(written("OTHER", begin + SECOND / 2), LOG_LINES_PER_SECOND);
        assert_eq!(written("LOUD", begin + SECOND), LOG_LINES_PER_SECOND);
        lines.settle(begin + 3 * SECOND);
        assert!(lines.0.lock().is_empty());
    }

    #[test]
    fn a_place_of_the_code_tells_what_it_has_left_out_when_it_goes_on() {
        let (site, begin) = (Site::new(), Instant::now());
        let told: Vec<_> = (0..LOG_LINES_PER_SECOND + 5).map(|_| site.may_write(begin)).collect();
        assert_eq!(told.iter().filter(|(may_write, _)| *may_write).count() as u32, LOG_LINES_PER_SECOND);
        assert_eq!(site.may_write(begin + SECOND), (true, 5));
        assert_eq!(site.may_write(begin + SECOND), (true, 0));
    }
}
