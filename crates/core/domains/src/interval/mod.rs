//! Interval control: the clock, delays, started tasks.
//!
//! States of a START: *pending* (its time has not come) → *due* → its task is attached: at once, or with TERMID when
//! the terminal is free. CANCEL takes a pending one out.
//!
//! A START with PROTECT belongs to its unit of work and survives a crash until its task has committed; one without
//! survives an orderly end of the region.
//!
//! Invariant: a protected START whose unit of work has committed is given up only by CANCEL, by a task of it that fails
//! through its own fault, or by a terminal that does not come in a day. Whatever else keeps its task from beginning
//! or committing leaves its record, and the START is tried again, or waits for the region's next start.

mod again;
mod alarms;
mod asked;
mod convert;
mod delay;
mod kept;
mod post;
mod record;
mod requests;
mod start;
mod time;

pub use asked::{Start, StartData};
pub use kept::KeptStart;
pub use record::user as known_user;
pub use requests::{IntervalControl, Pending};
pub use time::DateForm;

use kernel::dispatcher::Follower;
use kernel::exec::Answers;
use kernel::keeper::Keeper;

/// This domain's commands.
pub(crate) const HANDLERS: &[Answers] =
    &[time::HANDLERS, convert::HANDLERS, delay::HANDLERS, start::HANDLERS, post::HANDLERS];

/// The handling of a START whose task fails or does not begin.
pub(crate) static FOLLOWER: Follower =
    Follower { failed: again::failed, ended: |_, _, _| None, refused: requests::refused };

/// STARTs outlive the region: protected ones always, others an orderly end.
pub(crate) static KEEPER: Keeper = Keeper {
    letter: b'I',
    store: Some(|stores| stores.starts),
    recover: |region, key, record| IntervalControl::of(region).recover(region, key, record),
    doubtful: |region, key, record| IntervalControl::of(region).doubtful(key, record),
    resumed: |region, resolved| IntervalControl::of(region).resumed(region, resolved),
    keypoint: |region| IntervalControl::of(region).keypoint(),
    restore: |region, key, record| IntervalControl::of(region).restore(region, key, record),
    count: Some(("STARTs", |region| IntervalControl::of(region).held())),
    release: |region| IntervalControl::of(region).release(region),
    ..Keeper::NOTHING
};
