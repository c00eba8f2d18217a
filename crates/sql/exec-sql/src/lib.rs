//! EXEC SQL of a region's tasks: a domain of the kernel above it.
//!
//! - [`Attachment`]: what a region has of SQL: its connection to a server, the packages of its programs.
//! - [`ExecSql`]: the services `DFHSQL`, which a translated program CALLs for each statement, DSNTIAR and DSNTIAC.
//! - [`Client`]: statements that a person types or a file holds, on the same database.
//! - [`known`]: what scripts define, and objections to programs by it, without a region.
//! - [`Held`]: the tables of a region that runs, for a backup.
//! - [`Outside`]: EXEC SQL of batch programs, and the statements of steps with DSNTIAD, on the same database.
//! - [`StandIn`]: answers of a test, in the place of servers.
//! - [`Table`]: rows for people.
//! - [`DOMAIN`]: the row of the kernel's catalogue.
//!
//! Out of scope: how a statement runs (`attachment`), the protocol and the codes (`sql`), Db2's words (`db2`).

mod arguments;
mod at_once;
mod client;
mod connection;
mod database;
mod db2conn;
mod declared;
mod dsnc;
mod dsntiar;
mod exits;
mod held;
mod here;
mod home;
mod limits;
mod lines;
mod messages;
mod noted;
mod outside;
mod own;
mod own_outside;
mod own_tables;
mod packages;
mod pairs;
mod patterns;
mod processor;
mod region;
mod resources;
mod rollback;
mod scripts;
mod service;
mod settings;
mod stand_in;
mod statistics;
mod table;
mod task;
#[cfg(test)]
mod tests;
mod traced;
mod waits;

use std::sync::Arc;

use kernel::catalog::Domain;
use kernel::exec::value::Value;
use spec::opt;

use resources::{Resources, db2entry, db2tran};

pub use arguments::CallArguments;
pub use attachment::{Known, Objection};
pub use client::{Client, Commits, Done, Refused, Show};
pub use held::Held;
pub use outside::Outside;
pub use own_outside::{OwnCall, OwnEnd, came_to, done, unanswered};
pub use own_tables::{Doubtful, known, now, open_tables};
pub use packages::Packages;
pub use processor::PROCESSORS;
pub use region::Attachment;
pub use service::ExecSql;
pub use settings::{Engine, Named, Script, ServerPlace, Settings};
pub use stand_in::{Given, StandIn, state};
pub use table::Table;

/// This domain, for [`kernel::catalog::add`].
pub static DOMAIN: Domain = Domain {
    commands: &[db2conn::HANDLERS, db2entry::HANDLERS, db2tran::HANDLERS, exits::HANDLERS],
    kinds: &[&db2conn::KIND, &db2entry::KIND, &db2tran::KIND, &exits::KIND],
    transactions: &[dsnc::DSNC],
    waits: &[&waits::ANSWER, &waits::THREAD, &waits::CONNECTION],
    of_tasks: &[(opt::DB2PLAN, |region, task| Value::padded(&Resources::of(region).plan(task), 8))],
    begin: |parts, _| {
        let attachment = Attachment::default();
        parts.put(Arc::clone(&attachment.resources));
        parts.put(attachment);
    },
    ..Domain::named("exec sql")
};
