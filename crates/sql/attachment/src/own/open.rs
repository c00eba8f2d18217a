//! An open cursor.

use db2_rows::Work;
use db2_run::rows::Rid;
use db2_values::Type;
use records::UnitOfWork;
use sql::codes::Sqlca;

use super::codes::Trouble;
use super::places::Scroll;
use super::steps::Statement;

/// An open cursor.
pub(super) struct Open {
    pub(super) statement: Statement,
    pub(super) kinds: Vec<Type>,
    pub(super) is_held: bool,
    pub(super) is_changed: bool,
    /// WITH ROWSET POSITIONING.
    pub(super) is_rowset: bool,
    /// The rows that it is on: one, or a rowset. One that was deleted is none any more.
    pub(super) rows: Vec<Option<Rid>>,
    /// Number of rows that the last FETCH wanted.
    pub(super) asked: u32,
    /// It has given its last row.
    pub(super) is_over: bool,
    /// SCROLL.
    pub(super) is_scrollable: bool,
    /// All its rows, of SCROLL and of a query over the rows of a change.
    pub(super) scroll: Option<Scroll>,
}

impl Open {
    /// The unit of work has committed. Returns false if it is closed with it.
    pub(super) fn stays(&mut self) -> bool {
        self.rows.clear();
        if self.is_held {
            self.statement.run.cursors().into_iter().for_each(|cursor| cursor.over_commit());
        }
        self.is_held
    }

    /// Goes on to the next row of its query. False: there are no more.
    pub(super) async fn next(&mut self, work: &mut Work, unit: &mut dyn UnitOfWork) -> Result<bool, Trouble> {
        if self.is_over {
            return Ok(false);
        }
        match self.statement.next(work, unit).await {
            Ok(is_there) => {
                self.is_over = !is_there;
                Ok(is_there)
            }
            // It does not go on behind a row that it could not have.
            Err(Trouble::Stale) => Err(not_open().into()),
            Err(trouble) => Err(trouble),
        }
    }
}

/// The code of a cursor that is not open.
pub(super) fn not_open() -> Sqlca {
    Sqlca::error(-501, b"24501")
}
