//! IP sockets: `[sockets]` and its listener texts for the sockets crate.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ::sockets::{ClientLimits, Conversation, Framing, Listener, Sockets, Text, read_listeners};
use config::{RegionConfig, SocketText};
use diagnostics::{Diagnostic, any_error};
use kernel::name::{Name8, TransactionName};

use crate::codes;
use crate::definitions::source;

/// The sockets of a region.
pub(crate) fn open(config: &RegionConfig) -> Arc<Sockets> {
    let text = match config.sockets.text {
        SocketText::Ascii => Text::Ascii,
        SocketText::Ebcdic => Text::Ebcdic,
    };
    Arc::new(Sockets::new(Name8::from(config.applid.as_str()), text))
}

/// The conversations of the configuration.
pub(crate) fn conversations(config: &RegionConfig) -> Vec<Conversation> {
    // Each connection is a task: those of one conversation leave room for others.
    let half = |of: u32| (of / 2).max(1);
    let limits = |from: &config::Conversation| {
        let connections = from.connections.unwrap_or(half(config.sit.mxt));
        let per_address = from.connections_per_address.unwrap_or(half(connections));
        ClientLimits {
            connections: connections as usize,
            per_address: per_address as usize,
            idle: Duration::from_secs(from.idle_s.into()),
        }
    };
    let conversation = |from: &config::Conversation| Conversation {
        program: Name8::from(from.program.as_str()),
        receive: from.receive.value,
        send: from.send.as_ref().map(|address| address.value),
        receiver: TransactionName::from(from.transaction.as_str()),
        sender: TransactionName::from(from.sender.as_str()),
        framing: match from.framing {
            config::Framing::Length(bytes) => Framing::Length(bytes as usize),
            config::Framing::Fixed(length) => Framing::Fixed(length as usize),
            config::Framing::AsReceived => Framing::AsReceived,
        },
        commarea: from.commarea as usize,
        identifier: from.identifier as usize,
        class: from.class.as_deref().map_or(Name8::BLANK, Name8::from),
        limits: limits(from),
    };
    config.sockets.conversations.iter().map(conversation).collect()
}

/// An address that a conversation cannot have.
pub(crate) fn taken(config: &RegionConfig, address: SocketAddr, errno: i32) -> Vec<Diagnostic> {
    let message = format!("a conversation cannot listen on {address}: ERRNO {errno}");
    let written = config.sockets.conversations.iter().flat_map(|c| [Some(&c.receive), c.send.as_ref()]);
    let place = written.flatten().find(|written| written.value == address).and_then(|w| w.place.clone());
    let message = Diagnostic::error(codes::ADDRESS, message);
    let message = message.help("another program may use this port: choose another one, or end that program");
    vec![match place {
        Some(place) => message.at(place),
        None => message,
    }]
}

/// The listeners of the configuration's texts, and warnings.
///
/// # Errors
/// What is wrong with the texts.
pub(crate) fn listeners(
    root: &Path,
    config: &RegionConfig,
) -> Result<(Vec<Listener>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (mut listeners, mut messages) = (Vec::new(), Vec::new());
    for pattern in &config.sockets.listeners {
        for path in toolchain::files(root, pattern).map_err(|message| vec![message])? {
            let (found, told) = read_listeners(&source(root, &path)?, &config.applid);
            listeners.extend(found);
            messages.extend(told);
        }
    }
    if any_error(&messages) { Err(messages) } else { Ok((listeners, messages)) }
}
