//! How many lines of the log a program may cause: one that says the same without end must not fill a disk, nor hide what
//! others say.

use std::time::{Duration, Instant};

use foldhash::HashMap;
use parking_lot::Mutex;

use crate::limits::LOG_LINES_PER_SECOND;
use crate::name::Name8;

/// The time that a limit is for.
const SECOND: Duration = Duration::from_secs(1);

/// The lines of a region's programs.
#[derive(Default)]
pub(crate) struct Lines(Mutex<HashMap<Name8, Second>>);

/// One second of a program.
struct Second {
    began: Instant,
    lines: u32,
}

impl Lines {
    /// Whether a program may have another line now. What was left out is told once that second is over.
    pub fn may_write(&self, program: Name8, now: Instant) -> bool {
        let mut table = self.0.lock();
        let second = table.entry(program).or_insert(Second { began: now, lines: 0 });
        if now - second.began >= SECOND {
            tell(program, second.lines);
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
                tell(*program, second.lines);
            }
            !is_over
        });
    }
}

fn tell(program: Name8, lines: u32) {
    let left_out = lines.saturating_sub(LOG_LINES_PER_SECOND);
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
}
