//! PostgreSQL, as a region uses it.
//!
//! - [`Session`], [`Reader`]: sessions with a server, one for a task and one for many; [`Statement`]s are prepared once in
//!   each. [`Readers`]: those that the tasks of a thread share.
//! - [`Unit`]: units of work on a session, in which a statement that fails is undone alone; [`Cursor`]; [`resolve`]: what
//!   became of one whose session is gone.
//! - [`value`]: host variables to and from PostgreSQL's binary formats.
//! - [`server`]: a private server, made, started, adopted and stopped; [`schema`]: what a database needs for Db2's SQL.
//! - [`codes`]: SQLCODE, SQLSTATE, the SQLCA, DSNTIAR's message.
//!
//! Out of scope: EXEC CICS, a COBOL program, a task. Db2's SQL comes here as PostgreSQL's: `db2` rewrites it.

mod address;
mod answer;
pub mod codes;
mod cursor;
pub mod ended;
mod failure;
pub mod limits;
mod literals;
pub mod oid;
mod reader;
mod readers;
mod request;
pub mod resolve;
pub mod schema;
pub mod server;
mod session;
mod statement;
mod unit;
pub mod value;
mod wire;

pub use address::{Address, BadAddress, ListenPlace, Tls};
pub use answer::{Answer, Column, Described, Part, Rows, Status, Values, Verb};
pub use cursor::{Current, Cursor, Kind as CursorKind, Opening, PLACE, To};
pub use failure::{Failure, Lost};
pub use reader::{Driver, NotRead, Reader};
pub use readers::Readers;
pub use session::{Canceller, Session};
pub use statement::{Local, Locals, Statement};
pub use unit::{Ended, Isolation, Leaves, Unit, one_row};
pub use wire::{CannotConnect, ServerFault, Settings};
