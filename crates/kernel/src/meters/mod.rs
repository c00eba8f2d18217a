//! What is counted while tasks run: requests of a task and of a resource, and the counters of a TCB.
//!
//! What lives here: counters that cost next to nothing where they count. What never lives here: what they mean to anybody;
//! `monitoring` and `statistics` read them.

mod meter;
mod requests;
mod resource;

pub use meter::{Meter, Tally, Timed};
pub use requests::Requests;
pub use resource::{ResourceRequests, Share};
