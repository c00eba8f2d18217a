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

pub(crate) use ask::{NotTaken, ship};
pub(crate) use away::{AllAway, Away};
pub(crate) use linked::{NO_SUCH_SYSTEM, commarea_length};
pub(crate) use mirror::TRANSACTIONS;
pub(crate) use mirrors::Mirrors;
pub(crate) use operator::{act, impose, is_pending, no_recovery, not_pending, watch_overdue};
pub(crate) use users::of as user_of;
pub(crate) use waits::ALL as WAITS;
