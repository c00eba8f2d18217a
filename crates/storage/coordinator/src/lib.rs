//! Two-phase commit: one end for a unit of work that has changes in several places.
//!
//! In scope: the coordinator's side of it. The protocol as a state machine without I/O, the participants as it sees
//! them, its decisions, and how what was left in doubt is resolved. Out of scope: what a task is (`kernel`), how
//! a log is written (`records`), how a participant is reached (its own crate).

mod coordinator;
mod decisions;
mod ending;
mod gate;
mod last;
mod news;
mod participant;
mod protocol;
mod refusing;
mod results;
mod resynchronise;
mod subordinate;
mod together;

pub use coordinator::{Coordinator, Limits};
pub use decisions::Decided;
pub use ending::{Cause, Ending, Outcome};
pub use gate::Still;
pub use participant::{Answered, Fate, OnePhase, Participant, UnitName, Vote};
pub use refusing::Refusing;
pub use results::Resynchronised;
pub use subordinate::Voters;
