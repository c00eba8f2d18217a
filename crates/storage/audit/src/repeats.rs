//! The same record again and again: counted, and let through once a second.

use std::time::{Duration, Instant};

use foldhash::{HashMap, HashMapExt};

use crate::Record;

/// The time within which an equal record is not written again.
const AGAIN_AFTER: Duration = Duration::from_secs(1);
/// The number of different records that are remembered.
const KEPT_MAX: usize = 1_000;

/// The last records.
pub(crate) struct Repeats(HashMap<Record, (Instant, u64)>);

impl Repeats {
    pub(crate) fn new() -> Self {
        Self(HashMap::new())
    }

    /// Returns `Some` if a record must be written, with the number of equal ones left out since the last that was
    /// written.
    pub(crate) fn admits(&mut self, record: &Record, now: Instant) -> Option<u64> {
        if let Some((written, left_out)) = self.0.get_mut(record) {
            if now.duration_since(*written) < AGAIN_AFTER {
                *left_out += 1;
                return None;
            }
            *written = now;
            return Some(std::mem::take(left_out));
        }
        if self.0.len() >= KEPT_MAX {
            // One that was counted is written with its count when it comes again, or never: it was written once.
            self.0.clear();
        }
        self.0.insert(record.clone(), (now, 0));
        Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    #[test]
    fn the_same_is_written_once_a_second_with_its_count() {
        let mut repeats = Repeats::new();
        let (begin, record) = (Instant::now(), Record::new(Kind::Refused).with("user", "ANNA"));
        assert_eq!(repeats.admits(&record, begin), Some(0));
        for _ in 0..5 {
            assert_eq!(repeats.admits(&record, begin), None);
        }
        assert_eq!(repeats.admits(&Record::new(Kind::Refused).with("user", "BOB"), begin), Some(0));
        assert_eq!(repeats.admits(&record, begin + AGAIN_AFTER), Some(5));
        for number in 0..5_000 {
            repeats.admits(&Record::new(Kind::Refused).with("user", &number.to_string()), begin);
        }
        assert!(repeats.0.len() <= KEPT_MAX);
    }
}
