//! SQLCODEs: what a program sees of a statement.
//!
//! In scope: the SQLCA, which of PostgreSQL's states becomes which code, the usual state of a code, and the message of DSNTIAR.
//! Out of scope: the codes that end a task or a unit of work.

mod choose;
mod dsntiar;
mod sqlca;
mod states;
mod table;
mod texts;

pub use choose::Scope;
pub use dsntiar::{Formatted, format_message};
pub use sqlca::Sqlca;
pub use states::state;
pub use table::Doing;
pub use texts::meaning;
