//! SQLCODEs: what a program sees of a statement.
//!
//! In scope: the SQLCA, which of PostgreSQL's states becomes which code, and the message of DSNTIAR. What never
//! lives here: when a code ends a task or a unit of work.

mod choose;
mod dsntiar;
mod sqlca;
mod table;
mod texts;

pub use choose::{Doing, Scope};
pub use dsntiar::{Formatted, format_message};
pub use sqlca::Sqlca;
pub use texts::meaning;
