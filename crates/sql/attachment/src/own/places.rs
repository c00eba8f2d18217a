//! The rows of a SCROLL cursor, all of them as they were at its OPEN, and the place among them.

use std::ops::Range;

use db2_values::Value;
use sql::To;
use sql::codes::Sqlca;

/// Bytes of memory that the rows of a SCROLL cursor may take.
const BYTES_MAX: usize = 64 << 20;

/// The rows of a SCROLL cursor.
#[derive(Default)]
pub(super) struct Scroll {
    rows: Vec<Box<[Value]>>,
    bytes: usize,
    /// The number of the first row of the rowset, from 1; without a rowset 0 in front of all rows, one more than all behind.
    first: i64,
    /// Number of rows in the rowset that it is on.
    size: i64,
}

impl Scroll {
    /// Adds a row, behind the others.
    pub(super) fn add(&mut self, row: &[Value]) -> Result<(), Sqlca> {
        let of_texts: usize =
            row.iter().map(|value| if let Value::Text(text) = value { text.len() } else { 0 }).sum();
        self.bytes += size_of::<Box<[Value]>>() + size_of_val(row) + of_texts;
        if self.bytes > BYTES_MAX {
            return Err(Sqlca::error(-904, b"57011").token("SCROLL_BYTES"));
        }
        self.rows.push(row.into());
        Ok(())
    }

    /// Goes to a row, or to a rowset of so many rows. Returns the places of its rows.
    ///
    /// # Errors
    /// -231: it is on no row, and is to stay there.
    pub(super) fn go(&mut self, to: To, count: u32) -> Result<Range<usize>, Sqlca> {
        let (total, mut count) = (self.rows.len() as i64, i64::from(count));
        let start = match to {
            To::Next => (self.first + self.size).max(1),
            To::Prior if self.first > 1 && self.first <= count => {
                // What there is before it, and no more.
                count = self.first - 1;
                1
            }
            To::Prior => self.first - count,
            To::First => 1,
            To::Last => (total - count + 1).max(1),
            To::Current if self.size == 0 => return Err(Sqlca::error(-231, b"22006")),
            To::Current => self.first,
            To::Before => 0,
            To::After => total + 1,
            To::Absolute(row) if row < 0 => total.saturating_add(row).saturating_add(1),
            To::Absolute(row) => row,
            To::Relative(rows) => self.first.saturating_add(rows),
        };
        let from = (start.max(1) - 1).min(total);
        let behind = if start < 1 { from } else { from.saturating_add(count).min(total) };
        self.size = behind - from;
        self.first = match (start, self.size) {
            (..1, _) => 0,
            (_, 0) => total + 1,
            _ => start,
        };
        Ok(from as usize..behind as usize)
    }

    /// The values of a row, by its place.
    pub(super) fn row(&self, at: usize) -> &[Value] {
        self.rows.get(at).map_or(&[], |row| row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_to_any_row_and_stops_at_both_ends() {
        let mut scroll = Scroll::default();
        (1..=8).for_each(|number| scroll.add(&[Value::Whole(number)]).unwrap());
        for (to, count, expected) in [
            (To::First, 3, 0..3),
            (To::Next, 2, 3..5),
            (To::Current, 2, 3..5),
            (To::Prior, 5, 0..3),
            (To::Last, 2, 6..8),
            (To::Relative(-3), 2, 3..5),
            (To::Absolute(-2), 5, 6..8),
            (To::Absolute(5), 1, 4..5),
            (To::Prior, 1, 3..4),
            (To::After, 1, 8..8),
            (To::Prior, 1, 7..8),
            (To::Relative(1), 1, 8..8),
            (To::Next, 1, 8..8),
            (To::Absolute(i64::MIN), 1, 0..0),
            (To::Next, 1, 0..1),
            (To::Relative(i64::MAX), 1, 8..8),
            (To::Before, 1, 0..0),
        ] {
            assert_eq!(scroll.go(to, count).unwrap(), expected, "{to:?} {count}");
        }
        assert_eq!(scroll.go(To::Current, 1).unwrap_err().code, -231);
    }
}
