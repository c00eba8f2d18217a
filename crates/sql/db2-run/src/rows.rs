//! The border to rows: what a statement asks of a table.
//!
//! Rows are the bytes of `db2_values::row`, keys those of `db2_values::key`. Every call either is done, or says [`Stop::Later`] and
//! has done nothing: the caller waits, and makes it once more.

use std::ops::Bound;

use db2_syntax::tree::Isolation;

/// The number of a row, which stays its own as long as there is the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rid(pub u64);

/// Ways to the rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// All of them, in any order.
    Scan,
    /// By the index of the primary key.
    Key,
    /// By an index, by its number in the table.
    Index(usize),
}

/// A part of an index; of a scan it is everything. Bounds are beginnings of keys: `Included(p)` has every key that begins with p,
/// `Excluded(p)` none of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// Its beginning.
    pub low: Bound<Vec<u8>>,
    /// Its end.
    pub high: Bound<Vec<u8>>,
    /// True if the greatest key comes first.
    pub is_backward: bool,
}

/// The way in which rows are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wish {
    /// WITH UR and its like; `None`: the package's.
    pub isolation: Option<Isolation>,
    /// True if they will be changed.
    pub for_update: bool,
    /// True if rows that would be waited for are passed over.
    pub skips_locked: bool,
}

impl Wish {
    /// A wish to read with the package's isolation.
    pub const READS: Self = Self { isolation: None, for_update: false, skips_locked: false };
}

/// A number that a sequence gives, or has given to the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberOf<'n> {
    /// The next of a sequence, by its name.
    Next(&'n str),
    /// The next of a table's identity column; true: it is what [`NumberOf::LastIdentity`] is from then on.
    Identity(&'n str, bool),
    /// The last that the task got of a sequence.
    Previous(&'n str),
    /// The last that an identity column got in a row of the task's; there may be none.
    LastIdentity,
}

/// Reasons why a call was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop<F> {
    /// A lock of another unit of work, a page that is not in memory.
    Later,
    /// A failure.
    Failed(F),
}

/// The outcome of a call.
pub type Tried<T, F> = Result<T, Stop<F>>;

/// Rows of tables, in a unit of work.
pub trait Rows {
    /// A place among rows. It stays behind a key, not at a place in memory.
    type Cursor;
    /// A failure of rows: a duplicate key, a deadlock, an engine's error.
    type Failure;

    /// Opens a cursor before the first row of a range.
    fn open(
        &mut self,
        table: &str,
        path: Path,
        range: Range,
        wish: Wish,
    ) -> Tried<Self::Cursor, Self::Failure>;

    /// Goes to the next row and puts its bytes into `row`; `None`: there are no more.
    fn next(&mut self, cursor: &mut Self::Cursor, row: &mut Vec<u8>) -> Tried<Option<Rid>, Self::Failure>;

    /// Says that the row of a cursor is not one that was looked for: its lock may go.
    fn refuse(&mut self, cursor: &mut Self::Cursor);

    /// Closes a cursor.
    fn close(&mut self, cursor: Self::Cursor);

    /// Puts the bytes of a row into `row`. False: there is no such row any more.
    fn row(&mut self, table: &str, rid: Rid, wish: Wish, row: &mut Vec<u8>) -> Tried<bool, Self::Failure>;

    /// Adds a row.
    fn insert(&mut self, table: &str, row: &[u8]) -> Tried<Rid, Self::Failure>;

    /// Changes a row. False: there is no such row any more.
    fn update(&mut self, table: &str, rid: Rid, row: &[u8]) -> Tried<bool, Self::Failure>;

    /// Deletes a row. False: there is no such row any more.
    fn delete(&mut self, table: &str, rid: Rid) -> Tried<bool, Self::Failure>;

    /// A number of a sequence; `None`: there is none yet.
    fn number(&mut self, of: NumberOf<'_>) -> Tried<Option<i64>, Self::Failure>;

    /// Begins a statement that changes rows.
    fn begin_statement(&mut self);

    /// Ends it: keys are unique and references hold, or it fails.
    fn end_statement(&mut self) -> Tried<(), Self::Failure>;

    /// Puts back what the statement has changed.
    fn undo_statement(&mut self) -> Tried<(), Self::Failure>;
}
