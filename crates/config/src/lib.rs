//! What a person configures: `region.toml` and `users.toml`, as typed values.
//!
//! Text in, values and [`Diagnostic`]s out. Every message shows the user's own line; one pass reports everything that
//! is wrong. The reference of all keys is this crate's README.
//!
//! What never lives here: files (whoever read the text expands globs, opens what is named and complains about what is
//! absent, at the [`Located`] place), randomness, and the meaning of the values for a running region.

mod address;
mod codes;
mod edit;
mod located;
mod names;
pub mod password;
mod reader;
mod region;
mod sections;
mod sit;
mod sockets;
mod users;

use std::sync::Arc;

use diagnostics::{Diagnostic, Source};

pub use edit::{with_user, without_user};
pub use located::{Located, at};
pub use region::{
    BoundLu, CompileConfig, DataConfig, DataLimits, DefinitionConfig, KeySource, ListenConfig, Load,
    LoadFormat, LogConfig, LogLevel, QueueFile, RegionConfig, SecurityConfig, SourceConfig, TerminalConfig,
    TerminalModel, UpperCase,
};
pub use sit::{DateForm, Sit, StartType};
pub use sockets::{Conversation, Framing, SocketConfig, SocketText};
pub use users::{ANY_USER, RIGHTS, Right, User, Users};

/// The name of the file that makes a folder an application.
pub const REGION_FILE: &str = "region.toml";

/// Reads a `region.toml`: the configuration as far as it could be read, and everything that is wrong with it.
///
/// Use the configuration only if no message is an error ([`diagnostics::any_error`]).
pub fn region(source: &Arc<Source>) -> (RegionConfig, Vec<Diagnostic>) {
    let reader = reader::Reader::new(source);
    let root = reader.parse();
    let config = RegionConfig::read(reader::Table::root(&reader, &root));
    (config, told(reader.into_messages()))
}

/// Reads a `users.toml`: the users as far as they could be read, and everything that is wrong with them.
pub fn users(source: &Arc<Source>) -> (Users, Vec<Diagnostic>) {
    let reader = reader::Reader::new(source);
    let root = reader.parse();
    let users = Users::read(reader::Table::root(&reader, &root));
    (users, told(reader.into_messages()))
}

/// What is told: in the order of the text; and where the text is not TOML, only that, since the rest follows from it.
fn told(mut messages: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if messages.iter().any(|message| message.code == codes::SYNTAX) {
        messages.retain(|message| message.code == codes::SYNTAX);
    }
    messages.sort_by_key(|message| message.place.as_ref().map(|place| (place.line, place.column)));
    messages
}
