//! A job stream that is run: every statement read, procedures expanded, symbols replaced, references resolved, and what is not built
//! refused by its place before anything is done.
//!
//! Out of scope: running a job.

mod check;
mod codes;
mod condition;
mod dd;
mod events;
mod exec;
mod model;
mod operands;
mod overriding;
mod read;
mod supplied;
mod symbols;
mod text;

pub use condition::{Cond, End, Expression, Past, Relation, StepName, Test};
pub use model::{Data, Dd, Disposition, Fate, Format, Job, Part, Status, Step, What};
pub use read::{Finder, Jobs, jobs};
pub use symbols::Symbols;
