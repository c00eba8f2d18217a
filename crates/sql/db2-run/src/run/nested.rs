//! Queries inside of others: in FROM, or as subqueries.
//!
//! A query is made of loops over sources, and a source or a condition of a loop may hold a query again. The loops (`core`) and the
//! subqueries (`slot`) know such a query by this trait alone; `query`, which stands above them, implements it. Loops have the type of
//! their queries as a parameter, so that a row costs no more than with the type itself.

use db2_values::Value;

use super::{Pause, RunState, Scope};
use crate::plan::Query;
use crate::rows::Rows;

/// A query on its way.
pub(super) trait Nested {
    /// A place among the rows of a table.
    type Cursor;

    fn new(query: &Query) -> Self;

    /// Goes to the next row. False: there are no more.
    fn step<R: Rows<Cursor = Self::Cursor>>(
        &mut self,
        query: &Query,
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<bool, Pause<R::Failure>>;

    /// The row that the last step has found. Its values may be taken out.
    fn row(&mut self) -> &mut Vec<Value>;

    /// Adds the cursors that are open.
    fn cursors<'r>(&'r mut self, found: &mut Vec<&'r mut Self::Cursor>);

    /// Ends it: it gives back what it took.
    fn close<R: Rows<Cursor = Self::Cursor>>(&mut self, state: &mut RunState, rows: &mut R);
}
