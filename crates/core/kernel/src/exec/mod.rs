//! The one way in: every EXEC CICS command passes through here, from every caller.
//!
//! A program asks for a command, or another caller fills a [`Parcel`]; its descriptor names the command; the table of
//! handlers (one function for each command) answers it; the outcome goes into the EIB, into RESP and RESP2 if the command
//! has them, or to the program's HANDLE label, or becomes an abend.
//!
//! Out of scope: what a command does. That is its domain's.

mod argument;
mod by_option;
mod bytes;
pub mod call;
mod cell;
mod checks;
mod copied;
mod elsewhere;
mod handlers;
mod issue;
mod meant;
mod outcome;
pub mod parcel;
mod placed;
mod program_call;
mod shipped;
mod short;
mod unhandled;
pub mod value;
mod watch;

pub use by_option::ByOption;
pub use call::Call;
pub(crate) use cell::Cell;
pub use checks::{is_allowed, may_run_program};
pub use elsewhere::{
    FOLLOWS, Followed, Leads, OtherSystem, Routed, Routing, Shipper, Ships, SystemReason, leads, leave_here,
    routed, runs_here, ship,
};
pub use handlers::at_once;
pub(crate) use handlers::of as known;
pub use handlers::{Answers, Commands, Flow, Handler, Link, Waiting};
pub use issue::issue;
pub(crate) use outcome::{Came, Next, came_back, execute, execute_known, link_known, linked_known};
pub use outcome::{NOT_IN_SUBSET, interface_behind};
pub use parcel::{Content, Parcel};
pub(crate) use placed::Places;
pub(crate) use program_call::{Held, ProgramCall, Stand, number_of_characters};
pub use watch::{ServiceSeen, Wants, Watcher, Watchers};
pub(crate) use watch::{
    begins_are_watched, is_watched, look_at_answer, look_at_begin, look_at_service, services_are_watched,
};
