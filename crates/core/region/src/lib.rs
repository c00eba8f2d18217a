//! A folder with a `region.toml` becomes a running region.
//!
//! In scope: the assembly. Configuration, CSD texts, the tool chain, the record engine and the front doors are
//! put together to a [`kernel::region::Region`]; nothing is decided here that a domain could decide.
//!
//! Out of scope: the command line, and any rule of the published interface.

mod apart;
mod auditing;
mod bundle_parts;
mod capturing;
mod checks;
mod codes;
mod converted;
mod definitions;
mod directories;
mod domains;
mod doors;
mod effects;
mod engine_limits;
mod folders;
mod in_database;
mod library;
pub mod lints;
mod noted;
mod nowhere;
mod options;
mod owner;
mod profile_file;
mod protection;
mod resources;
mod running;
mod services;
mod shared;
mod sharing;
mod sql;
mod start;
mod state;
mod templates;
mod texts;
mod unless;
mod users;
mod users_file;

pub use apart::run_apart;
pub use checks::check_definitions;
pub use converted::convert_programs;
pub use definitions::{Saved, repository, tokens};
pub use domains::bring_domains;
pub use doors::Listening;
pub use folders::{AUDIT, RECORD_FOLDER};
#[doc(hidden)]
pub use intersystem::Build;
pub use protection::key_text;
pub use resources::recoverable_data_sets;
pub use running::Running;
pub use sql::{folders as server_folders, sql_settings};
pub use start::Startup;
pub use state::{check_backup, open_site, restore};
pub use unless::NotStarted;
pub use unseal::{application_of, read as read_unlocked, unlock};
pub use users_file::{NotTaken, change_users_file, with_new_password};
