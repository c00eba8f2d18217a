//! `[sockets]` and `[[conversation]]`: IP sockets of programs.

use std::net::{IpAddr, SocketAddr};
use std::ops::RangeInclusive;

use diagnostics::Diagnostic;

use crate::address::OpenListener;
use crate::names::{LONG_NAME, SHORT_NAME, resource_name};
use crate::reader::Table;
use crate::{Located, address, codes};

/// `[sockets]` and `[[conversation]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketConfig {
    /// Texts with EZACICD macros, which define listeners.
    pub listeners: Vec<Located<String>>,
    /// The address of listeners: their definitions name a port alone.
    pub address: IpAddr,
    /// The translation of a program's text by EZACIC04 and 05.
    pub text: SocketText,
    /// Conversations whose messages go to programs without a socket call.
    pub conversations: Vec<Conversation>,
}

/// The translation of a program's text by EZACIC04 and 05.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SocketText {
    /// Nothing: it is ASCII.
    #[default]
    Ascii,
    /// The translation of their tables: programs hold EBCDIC data.
    Ebcdic,
}

/// `[[conversation]]`: messages that come through a socket go to a program by LINK, and its answers back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversation {
    /// The program.
    pub program: Located<String>,
    /// The address at which messages come in.
    pub receive: Located<SocketAddr>,
    /// The address to which answers go out, if not on the socket of the message.
    pub send: Option<Located<SocketAddr>>,
    /// The transaction that receives, and runs the program.
    pub transaction: String,
    /// The transaction that sends.
    pub sender: String,
    /// The framing of messages.
    pub framing: Framing,
    /// Bytes of the program's COMMAREA: the longest message and the longest answer.
    pub commarea: u32,
    /// Bytes with which each of two sockets says to which conversation it belongs.
    pub identifier: u32,
    /// The transaction class of its tasks.
    pub class: Option<String>,
    /// The greatest number of its clients at a time; `None`: half of MXT.
    pub connections: Option<u32>,
    /// The greatest number of them from one address; `None`: half of them.
    pub connections_per_address: Option<u32>,
    /// Seconds of silence after which a client is let go; 0: never.
    pub idle_s: u32,
}

/// The framing of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Its length comes before it, in so many bytes, big-endian, not counting themselves.
    Length(u32),
    /// All have this length.
    Fixed(u32),
    /// A message is what one receive gives.
    AsReceived,
}

/// Bytes that a COMMAREA may have.
const COMMAREA: RangeInclusive<u32> = 1..=32_763;
const DEFAULT_COMMAREA: u32 = 4_096;
/// Bytes of a conversation's identifier.
const IDENTIFIER: RangeInclusive<u32> = 1..=64;
const DEFAULT_IDENTIFIER: u32 = 8;
/// Clients that a conversation may have.
const CONNECTIONS: RangeInclusive<u32> = 1..=32_000;
/// Seconds that a client may be silent.
const IDLE_S: RangeInclusive<u32> = 0..=86_400;
const DEFAULT_IDLE_S: u32 = 600;
const DEFAULT_RECEIVER: &str = "CSKR";
const DEFAULT_SENDER: &str = "CSKS";

impl Default for SocketConfig {
    fn default() -> Self {
        Self {
            listeners: Vec::new(),
            address: address::HERE,
            text: SocketText::default(),
            conversations: Vec::new(),
        }
    }
}

impl SocketConfig {
    pub(crate) fn read(section: Option<Table<'_>>, conversations: Vec<Table<'_>>) -> Self {
        let conversations = conversations.into_iter().filter_map(Conversation::read).collect();
        let Some(table) = section else { return Self { conversations, ..Self::default() } };
        let words = [("ascii", SocketText::Ascii), ("ebcdic", SocketText::Ebcdic)];
        let config = Self {
            listeners: table.strings("listeners").unwrap_or_default(),
            address: address::of_machine(&table, "address").unwrap_or(address::HERE),
            text: table.choice("text", &words).unwrap_or_default(),
            conversations,
        };
        table.finish();
        config
    }
}

impl Conversation {
    fn read(table: Table<'_>) -> Option<Self> {
        let name = |key, what, longest, default: &str| match table.string(key) {
            Some(name) => resource_name(&table, what, &name, longest),
            None => default.to_owned(),
        };
        let address = |text| address::listener(&table, text, OpenListener::Messages);
        let program = table.required_string("program", "CUSTPGM");
        let receive = table.required_string("receive", "127.0.0.1:5001").and_then(address);
        let send = table.string("send").and_then(address);
        let transaction = name("transaction", "a transaction", SHORT_NAME, DEFAULT_RECEIVER);
        let sender = name("sender", "a transaction", SHORT_NAME, DEFAULT_SENDER);
        let framing = Framing::read(&table);
        let commarea = table.number("commarea", COMMAREA).unwrap_or(DEFAULT_COMMAREA);
        let identifier = table.number("identifier", IDENTIFIER).unwrap_or(DEFAULT_IDENTIFIER);
        let program = program.map(|program| {
            let name = resource_name(&table, "a program", &program, LONG_NAME);
            program.map(|_| name)
        });
        let class = table.string("class");
        let class = class.map(|class| resource_name(&table, "a transaction class", &class, LONG_NAME));
        let connections = table.number("connections", CONNECTIONS);
        let connections_per_address = table.number("connections-per-address", CONNECTIONS);
        let idle_s = table.number("idle", IDLE_S).unwrap_or(DEFAULT_IDLE_S);
        table.finish();
        Some(Self {
            program: program?,
            receive: receive?,
            send,
            transaction,
            sender,
            framing,
            commarea,
            identifier,
            class,
            connections,
            connections_per_address,
            idle_s,
        })
    }
}

impl Framing {
    fn read(table: &Table<'_>) -> Self {
        let words = [
            ("length-2", Self::Length(2)),
            ("length-4", Self::Length(4)),
            ("fixed", Self::Fixed(0)),
            ("as-received", Self::AsReceived),
        ];
        let framing = table.choice("framing", &words).unwrap_or(Self::Length(2));
        match (framing, table.number("length", COMMAREA)) {
            (Self::Fixed(_), Some(length)) => Self::Fixed(length),
            (Self::Fixed(_), None) => {
                let message = Diagnostic::error(codes::MISSING, "messages of a fixed length need `length`");
                table.report(message.at(table.place()).help("add a line such as: length = 100"));
                framing
            }
            (framing, _) => framing,
        }
    }
}
