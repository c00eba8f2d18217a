//! Commands for other regions, and commands of other regions.
//!
//! ```text
//!  a task of this region                                     a mirror task at the partner
//!  ask ─► conversation ─► line ─► link ═══════════► host ─► mirrors ─► mirror ─► the command's own handler
//!   ▲                                                                    │
//!   └──────────── results, RESP, RESP2 ◄══════════════ answer ◄──────────┘
//!  end of the unit of work: away (a participant of the coordinator) ─► prepare, commit, backout
//! ```
//!
//! A *conversation* is what one unit of work of a task here has at one partner: at most one mirror task, which stays as long as it
//! holds something for the unit of work, and one session.
//!
//! Out of scope: what a command does; how a unit of work is decided (`coordinator`).

mod ask;
mod away;
mod code;
mod doubts;
pub mod external;
mod linked;
mod mirror;
mod mirrors;
mod operator;
mod users;
pub(crate) mod waits;

pub(crate) use ask::{NO_SUCH_SYSTEM, NotTaken};
pub(crate) use away::{AllAway, Away};
pub(crate) use linked::commarea_length;
pub(crate) use mirror::TRANSACTIONS;
pub(crate) use mirrors::Mirrors;
pub(crate) use operator::{act, impose, is_pending, no_recovery, not_pending, watch_overdue};
pub(crate) use users::of as user_of;
pub(crate) use waits::ALL as WAITS;

use kernel::exec::{Call, Leads};
use kernel::raise::Outcome;
use kernel::task::Task;
use spec::cmd;

/// Has a command answered by the region to which it leads.
pub(crate) async fn ship(task: &mut Task, call: &Call<'_>, to: &Leads) -> Outcome {
    match call.command() {
        cmd::LINK => linked::ship(task, call, to).await,
        _ => ask::ship(task, call, to).await,
    }
}
