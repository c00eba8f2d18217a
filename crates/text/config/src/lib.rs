//! The files that a person configures: `region.toml`, `users.toml` and `security.toml`, as typed values.
//!
//! Text in, values and [`Diagnostic`]s out. Every message shows the user's own line; one pass reports everything that
//! is wrong. The reference of all keys is this crate's README.
//!
//! Out of scope: files (the reader of the text expands globs, opens what is named and complains about what is
//! absent, at the [`Located`] place), randomness, and the meaning of the values for a running region.

mod address;
mod brought;
mod codes;
mod console;
mod direct;
mod directories;
mod edit;
mod events;
mod links;
mod lints;
mod located;
mod monitoring;
mod names;
mod opentelemetry;
mod ports;
mod profiles;
mod reader;
mod records;
mod region;
mod secret;
mod sections;
mod settings;
mod sit;
mod sockets;
mod sql;
mod topology;
mod users;
mod web;

use std::sync::Arc;

use diagnostics::{Diagnostic, Source};
use security::{Classes, Profiles};

pub use console::ConsoleConfig;
pub use direct::{DirectConfig, Identity, Reached, Scenario};
pub use directories::{ALGORITHMS, LdapConfig, OidcConfig};
pub use edit::{Damaged, with_user, without_user};
pub use events::EventConfig;
pub use links::{AffinityConfig, AffinityLifetime, AffinityRelation, LinkConfig};
pub use lints::{LINTS, Lint, LintConfig};
pub use located::{Located, at};
pub use monitoring::{MonitoringConfig, WorkClass};
pub use opentelemetry::OpenTelemetryConfig;
pub use ports::{PortConfig, SharedPorts};
pub use records::{FarRecords, RecordDatabase, RecordFiles, RecordPort};
pub use region::{
    AuditConfig, BoundLu, CompileConfig, DataConfig, DataLimits, DefinitionConfig, ListenConfig, Load,
    LoadFormat, LogConfig, LogFormat, LogLevel, PasswordConfig, QueueFile, RegionConfig, SecurityConfig,
    SourceConfig, TerminalConfig, TerminalModel, UpperCase,
};
pub use secret::{CREDENTIALS, Secret};
pub use sections::DEFAULT_APPLID;
pub use settings::Setting;
pub use sit::{DateForm, PltSecurity, SecuritySit, Sit, StartType, TlsLevel};
pub use sockets::{Conversation, Framing, SocketConfig, SocketText};
pub use sql::{InClear, NamedServer, Server, SqlConfig, SqlEngine};
pub use topology::{Part, RecordServer, TOPOLOGY_FILE, Topology, TopologyRegion, topology};
pub use users::{ANY_USER, RIGHTS, Right, Shown, User, Users, day_number};
pub use web::{PageOrigins, WebConfig};

/// The name of the file that makes a folder an application.
pub const REGION_FILE: &str = "region.toml";

/// Reads a `region.toml`: the configuration as far as it could be read, and everything that is wrong with it.
///
/// Use the configuration only if no message is an error ([`diagnostics::any_error`]).
pub fn region(source: &Arc<Source>) -> (RegionConfig, Vec<Diagnostic>) {
    region_with(source, &[])
}

/// The same with settings from outside the file: each counts before what the file says, a later one before an earlier.
pub fn region_with(source: &Arc<Source>, settings: &[Setting]) -> (RegionConfig, Vec<Diagnostic>) {
    let lines = settings::lines(settings, &sections(), source.text.len());
    let mut reader = reader::Reader::new(source);
    let mut root = reader.parse();
    settings::apply(&mut reader, &mut root, &lines);
    let config = RegionConfig::read(reader::Table::root(&reader, &root));
    (config, told(reader.into_messages()))
}

/// The names of the sections of a `region.toml`: those that are asked for where there are none.
fn sections() -> Vec<&'static str> {
    let nothing = Source::new(REGION_FILE, "");
    let reader = reader::Reader::new(&nothing);
    let root = reader.parse();
    let _ = RegionConfig::read(reader::Table::root(&reader, &root));
    reader.sections()
}

/// Reads a `users.toml`: the users as far as they could be read, and everything that is wrong with them.
pub fn users(source: &Arc<Source>) -> (Users, Vec<Diagnostic>) {
    let reader = reader::Reader::new(source);
    let root = reader.parse();
    let users = Users::read(reader::Table::root(&reader, &root));
    (users, told(reader.into_messages()))
}

/// Reads a `security.toml`: the profiles as far as they could be read, and everything that is wrong with them.
pub fn profiles(source: &Arc<Source>, classes: &Classes) -> (Profiles, Vec<Diagnostic>) {
    let reader = reader::Reader::new(source);
    let root = reader.parse();
    let profiles = profiles::read(reader::Table::root(&reader, &root), classes);
    (profiles, told(reader.into_messages()))
}

/// The messages, in the order of the text; and where the text is not TOML, only that, since the rest follows from it.
fn told(mut messages: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if messages.iter().any(|message| message.code == codes::SYNTAX) {
        messages.retain(|message| message.code == codes::SYNTAX);
    }
    messages.sort_by_key(|message| {
        let place = message.place.as_ref();
        place.map(|place| (place.source.name != REGION_FILE, place.line, place.column))
    });
    messages
}
