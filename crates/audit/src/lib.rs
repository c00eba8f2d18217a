//! Who was refused, who has signed on, who has changed what: records in files of their own, chained by their hashes.
//!
//! What never lives here: what is worth a record (whoever records knows), and who may read it (the folder's modes do).

mod chain;
mod record;
mod repeats;
mod verify;
mod writer;

pub use chain::{Head, Noted};
pub use record::{Kind, Record};
pub use verify::{Fault, Verified, export, verify};
pub use writer::{Audit, Limits, Turned};
