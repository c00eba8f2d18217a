//! What is counted while tasks run: requests of a task and of a resource, its times, and the counters of a TCB.
//!
//! In scope: counters that cost next to nothing where they count. Out of scope: what they mean to anybody;
//! `monitoring` and `statistics` read them.

mod meter;
mod performance;
mod requests;
mod resource;

pub use meter::{Meter, Tally, Timed};
pub use performance::Performance;
pub(crate) use performance::{Account, End, Queued};
pub use requests::Requests;
pub use resource::{ResourceRequests, Share};
