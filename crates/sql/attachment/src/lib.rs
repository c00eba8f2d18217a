//! EXEC SQL of tasks.
//!
//! - [`Tcb`]: what the tasks of one thread share: the reading session, sessions that are free, statements.
//! - [`Thread`]: what one task has: its unit of work, its cursors; [`Thread::execute`] runs a statement of a program's package.
//! - [`OwnTables`], [`OwnThread`]: the same over the region's own tables, in the task's own unit of work.
//! - [`Server`]: a server as a participant of a two-phase commit.
//! - [`give`]: a row that a test gives in the place of a database.
//! - [`Arguments`]: the parameters of the CALL, as the caller can reach them; [`Reach`]: what an SQLDA among them leads to.
//!
//! Out of scope: Db2's words (`db2`), the protocol and the codes (`sql`), COBOL.

mod arguments;
mod conditions;
mod diagnostics;
mod execute;
mod form;
mod given;
mod own;
mod participant;
mod prepared;
mod registers;
mod rowset;
mod sqlda;
mod statements;
mod tcb;
mod thread;
mod trouble;

pub use arguments::Arguments;
pub use given::give;
pub use own::{
    Asked, Came, CannotRun, Known, Objection, OwnTables, OwnThread, Refused, Rules, TextColumn, TextQuery,
};
pub use participant::{Home, Server};
pub use sqlda::Reach;
pub use tcb::Tcb;
pub use thread::{Done, Failed, Thread};
pub use trouble::Unreachable;
