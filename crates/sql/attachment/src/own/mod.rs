//! EXEC SQL over the region's own tables: the other engine behind a program's statements, in the task's own unit of work.

mod alter;
mod call;
mod codes;
mod cursors;
mod define;
mod describe;
mod doubts;
mod dynamic;
mod execute;
mod hosts;
mod known;
mod locks;
mod many;
mod open;
mod places;
mod plans;
mod prepared;
mod registers;
mod rowsets;
mod script;
mod steps;
mod tables;
mod task;
mod texts;
mod typed;
mod words;

pub use known::{Known, Objection};
pub use script::CannotRun;
pub use tables::{OwnTables, Rules};
pub use task::{Asked, OwnThread};
pub use typed::{Came, Refused, TextColumn, TextQuery};
