//! Counts while tasks run: requests of a task and of a resource, its times, and the counters of a TCB.
//!
//! In scope: counters that cost next to nothing where they count. Out of scope: what they mean to anybody;
//! `monitoring` and `statistics` read them.

mod accounts;
mod columns;
mod figures;
mod meter;
mod performance;
mod process;
mod requests;
mod resource;
mod trace;
mod used;
mod user;
mod work;
mod workload;

pub use accounts::{Account as ProcessAccount, Machine, Spent, family, machine};
pub(crate) use columns::columns;
pub use figures::Figure;
pub use meter::{Meter, Tally, Timed};
pub(crate) use performance::{Account, End, Exception, Queued};
pub use performance::{Classes, Performance, Stopwatch};
pub use process::{process_ns, threads};
pub use requests::Requests;
pub use resource::{ResourceRequests, Share};
pub use trace::{TraceEntry, TraceTable, Traced};
pub(crate) use used::Used;
pub use used::{UsedFigure, UsedKind, UsedLimits, UsedName};
pub use work::{RESPONSE_BOUNDS_US, ResponseTimes, Work, WorkSums};
pub use workload::WorkRule;
pub(crate) use workload::{Surroundings, Tasks};
