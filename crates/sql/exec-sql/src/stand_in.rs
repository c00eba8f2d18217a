//! Statements that a test answers: no server is asked, and none is started.
//!
//! The program sees the SQLCA and the row that a server would have brought about, and -911 takes its unit of work back as there.

use attachment::give;
use db2::package::{Package, Statement};
use kernel::raise::{Outcome, Raise};
use kernel::task::Task;
use sql::codes::Sqlca;

use crate::arguments::{Called, InPlace};
use crate::here;
use crate::rollback;

/// Answers statements in the place of servers.
pub trait StandIn: Send + Sync {
    /// The answer to a statement of a program; `None`: a server has it.
    fn answer(&self, program: &str, statement: &Statement) -> Option<Given>;
}

/// An answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// SQLCODE.
    pub code: i32,
    /// SQLSTATE.
    pub state: [u8; 5],
    /// SQLERRD(3): the rows that were changed or fetched; `None`: the rows that are given.
    pub count: Option<u32>,
    /// Rows for the statement's host variables: several for a rowset, `None` is NULL.
    pub rows: Vec<Vec<Option<String>>>,
}

/// The SQLSTATE that mostly comes with a code.
pub fn state(code: i32) -> Option<[u8; 5]> {
    sql::codes::state(code).copied()
}

/// The unit of work was backed out before the program sees this code.
const BACKED_OUT: i32 = -911;

/// Answers a statement as a test says; `None` if it has no answer to it.
///
/// # Errors
/// The abend of a program whose host variables are not its own.
pub(crate) async fn answer(
    stand_in: &dyn StandIn,
    task: &mut Task,
    call: &Called<'_>,
    package: &Package,
    number: u16,
) -> Outcome<Option<Sqlca>> {
    let Some(statement) = package.statement(number) else { return Ok(None) };
    let Some(given) = stand_in.answer(&package.program, statement) else { return Ok(None) };
    let sqlca = put(&given, call, statement)?;
    if sqlca.code == BACKED_OUT {
        rollback::back_out(task).await?;
        here::back_out(task.number).await;
    }
    Ok(Some(sqlca))
}

/// Gives the rows; a value that does not fit has a code of its own, as a database's has.
fn put(given: &Given, call: &Called<'_>, statement: &Statement) -> Outcome<Sqlca> {
    let mut sqlca = Sqlca::error(given.code, &given.state);
    if given.code >= 0 {
        sqlca.detector = Sqlca::default().detector;
    }
    for (element, row) in (0..).zip(&given.rows) {
        let put = give(statement, element, row, &mut InPlace(call)).map_err(|_| Raise::abend("ASRA"))?;
        if put.code != 0 {
            return Ok(put);
        }
        for (all, this) in sqlca.warnings.iter_mut().zip(put.warnings) {
            *all = (*all).max(this);
        }
        if given.code == 0 && put.state != Sqlca::default().state {
            sqlca.state = put.state;
        }
    }
    let count = given.count.unwrap_or(given.rows.len() as u32);
    Ok(sqlca.counting(count))
}
