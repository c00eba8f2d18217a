//! IP sockets: `[sockets]`, its listener texts and its conversations.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ::sockets::{ClientLimits, Conversation, Framing, Listener, Sockets, Text, read_listeners};
use config::{Located, RegionConfig, SocketText};
use diagnostics::{Diagnostic, any_error};
use kernel::name::{Name8, TransactionName};
use kernel::region::Region;
use kernel::services::Service;

use super::{Door, Inside, Listening, Step, WithWarnings, cannot_listen};
use crate::texts::source;

/// The door that `[sockets]` describes, and warnings.
///
/// # Errors
/// The mistakes in the texts.
pub(super) fn read(root: &Path, config: &RegionConfig) -> Result<WithWarnings, Vec<Diagnostic>> {
    let (listeners, messages) = listeners(root, config)?;
    let text = match config.sockets.text {
        SocketText::Ascii => Text::Ascii,
        SocketText::Ebcdic => Text::Ebcdic,
    };
    let written = config.sockets.conversations.iter();
    let door = IpSockets {
        sockets: Arc::new(Sockets::new(Name8::from(config.applid.as_str()), text, config.sockets.address)),
        listeners,
        conversations: conversations(config),
        asked: written.flat_map(|c| [Some(c.receive.clone()), c.send.clone()]).flatten().collect(),
    };
    Ok((Box::new(door), messages))
}

/// The door.
struct IpSockets {
    sockets: Arc<Sockets>,
    /// Until they are installed.
    listeners: Vec<Listener>,
    conversations: Vec<Conversation>,
    /// The addresses that conversations ask for.
    asked: Vec<Located<SocketAddr>>,
}

impl Door for IpSockets {
    fn services(&self) -> Vec<Arc<dyn Service>> {
        vec![Arc::clone(&self.sockets) as Arc<dyn Service>]
    }

    fn install(&mut self, region: &Region) {
        let conversations = std::mem::take(&mut self.conversations);
        self.sockets.install(region, std::mem::take(&mut self.listeners), conversations);
    }

    /// A listener without its port is only told: an operator may start it later.
    fn open<'a>(&'a mut self, inside: &'a Inside<'_>) -> Step<'a, Result<(), Vec<Diagnostic>>> {
        Box::pin(async {
            if let Some(sharing) = inside.sharing {
                self.sockets.share_ports(sharing);
            }
            self.sockets.start(inside.region).await.map_err(|why| {
                let asked = self.asked.iter().find(|asked| asked.value == why.address).cloned();
                let asked = asked.unwrap_or_else(|| Located::default_value(why.address));
                cannot_listen("a conversation", &why, &asked)
            })
        })
    }

    fn listening(&self) -> Vec<Listening> {
        let listeners = self.sockets.listeners().into_iter();
        let listeners = listeners.map(|(name, address)| ("listener", name.to_string(), address));
        let conversations = self.sockets.conversations().into_iter();
        let conversations = conversations.map(|(name, address)| ("conversation", name.to_string(), address));
        let all = listeners.chain(conversations);
        all.map(|(door, name, address)| Listening { door, name, address }).collect()
    }

    fn close(&mut self) -> Step<'_> {
        self.sockets.close();
        Box::pin(async {})
    }

    /// Its connections are tasks, and have ended with them.
    fn stop(&mut self) -> Step<'_> {
        Box::pin(async {})
    }
}

/// The conversations of the configuration.
fn conversations(config: &RegionConfig) -> Vec<Conversation> {
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
        program: Name8::from(from.program.value.as_str()),
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

/// The listeners of the configuration's texts, and warnings.
///
/// # Errors
/// The mistakes in the texts.
fn listeners(
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
