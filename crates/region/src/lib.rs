//! A folder with a `region.toml` becomes a running region.
//!
//! What lives here: the assembly. Configuration, CSD texts, the tool chain, the record engine and the front doors are
//! put together to a [`kernel::region::Region`]; nothing is decided here that a domain could decide.
//!
//! What never lives here: the command line, and any rule of the published interface.

mod codes;
mod definitions;
mod door;
mod doors;
mod library;
mod protection;
mod resources;
mod sockets;
mod start;
mod templates;
mod users;

pub use definitions::{check_definitions, tokens};
pub use resources::recoverable_data_sets;
pub use start::{RECORD_FOLDER, Running, Startup, open_site};
