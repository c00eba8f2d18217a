//! Records of refusals, sign-ons and changes: in files of their own, chained by their hashes.
//!
//! Out of scope: the choice of events to record (the caller's), and the right to read the records (the
//! folder's modes).

mod chain;
mod record;
mod repeats;
mod verify;
mod writer;

pub use chain::{Head, Noted};
pub use record::{Kind, Record};
pub use verify::{AuditFault, Verified, export, verify};
pub use writer::{Audit, Limits, Turned};
