//! Cursors that go forward and back. PostgreSQL's are on one row, Db2's on a rowset: so the number of the rowset's first row
//! is kept here, and every place is counted from the beginning of the result, which does not change.

use super::Cursor;
use crate::answer::Rows;
use crate::codes::Sqlca;
use crate::failure::Failure;
use crate::unit::Unit;

/// Which row, or the rowset from which row on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// NEXT, NEXT ROWSET: what follows the last row.
    Next,
    /// PRIOR, PRIOR ROWSET: what stands before the first row.
    Prior,
    /// FIRST.
    First,
    /// LAST: the last rows.
    Last,
    /// CURRENT: the same once more.
    Current,
    /// BEFORE: in front of the first row.
    Before,
    /// AFTER: behind the last row.
    After,
    /// ABSOLUTE: from the beginning, or backwards from the end.
    Absolute(i64),
    /// RELATIVE: from the first row of the rowset.
    Relative(i64),
}

/// Position of a cursor among its rows.
#[derive(Debug, Default)]
pub(super) struct Position {
    /// The number of the first row of the rowset, from 1; without a rowset 0 in front of all rows, one more than all behind.
    first: i64,
    /// Number of rows, once it is known.
    total: Option<i64>,
}

impl Cursor {
    /// Fetches up to so many rows.
    pub(super) async fn scroll(&mut self, unit: &mut Unit, to: To, count: u32) -> Result<usize, Failure> {
        let (first, size) = (self.position.first, self.size as i64);
        let mut count = i64::from(count);
        let start = match to {
            To::Next => (first + size).max(1),
            To::Prior if first > 1 && first <= count => {
                // What there is before it, and no more.
                count = first - 1;
                1
            }
            To::Prior => first - count,
            To::First => 1,
            To::Last => (self.total(unit).await? - count + 1).max(1),
            To::Current if size == 0 => return Err(Sqlca::error(-231, b"22006").into()),
            To::Current => first,
            To::Before => 0,
            To::After => self.total(unit).await? + 1,
            To::Absolute(row) if row < 0 => self.total(unit).await?.saturating_add(row).saturating_add(1),
            To::Absolute(row) => row,
            To::Relative(rows) => first.saturating_add(rows),
        };
        let answer = match start {
            ..1 => self.in_words(unit, "MOVE ABSOLUTE 0").await?,
            _ if count == 1 => self.in_words(unit, &format!("FETCH ABSOLUTE {start}")).await?,
            _ => {
                self.in_words(unit, &format!("MOVE ABSOLUTE {}", start - 1)).await?;
                self.in_words(unit, &format!("FETCH FORWARD {count}")).await?
            }
        };
        self.rows = Rows::default();
        self.rows.append(&answer.rows, answer.part(0).rows);
        self.next = self.rows.len();
        let fetched = self.rows.len() as i64;
        if fetched > 0 && fetched < count {
            self.position.total = Some(start + fetched - 1);
        }
        self.position.first = match (start, fetched) {
            (..1, _) => 0,
            (_, 0) => self.total(unit).await? + 1,
            _ => start,
        };
        Ok(self.rows.len())
    }

    /// Number of rows; counting them moves the server's cursor.
    async fn total(&mut self, unit: &mut Unit) -> Result<i64, Failure> {
        if let Some(total) = self.position.total {
            return Ok(total);
        }
        self.in_words(unit, "MOVE ABSOLUTE 0").await?;
        let answer = self.in_words(unit, "MOVE FORWARD ALL").await?;
        let total = i64::try_from(answer.part(0).count).unwrap_or(i64::MAX - 1);
        self.position.total = Some(total);
        Ok(total)
    }
}
