//! Records that several regions share: the record server, and its engine on a region's side.
//!
//! ```text
//!  region: unit of work ──► Remote (private changes, directory) ──► link ──► Server ──► the engine below
//!          commit, lock + read, reads: an exchange each                        sessions, owners, claims
//! ```
//!
//! - [`Remote`]: an engine whose records, locks and log are the server's.
//! - [`Server`]: an engine of this process for the regions that come to it.
//! - [`Door`]: the server's socket, and its [`Port`] for regions of other machines, which find it by [`Elsewhere`].
//!
//! Never here: what a record means; definitions of files; the engine itself.

mod allowed;
mod changes;
mod door;
mod failure;
mod hello;
pub mod limits;
mod looking;
mod pairs;
mod port;
mod protocol;
mod remote;
mod server;
mod stamps;
mod status;

pub use door::{Door, socket};
pub use looking::{backup, drop_table, rotate, status};
pub use port::{NoPort, Port};
pub use protocol::PROTOCOL;
pub use remote::{Connector, Elsewhere, NotThere, Remote};
pub use server::Server;
pub use status::{RegionStatus, Status, Tally};
