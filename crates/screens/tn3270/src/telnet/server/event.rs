//! The offers of the region's end, and the events on its connection.

use crate::telnet::device::DeviceType;
use crate::telnet::framing::Violation;
use crate::telnet::tn3270e::{Function, Functions, Outcome, RequestedLu};

/// The use of TLS by negotiation (option 46) on a connection that began in clear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartTls {
    /// It is never mentioned.
    #[default]
    Never,
    /// It is used with clients that can.
    Offered,
    /// Clients that refuse it are refused.
    Required,
}

/// The functions and settings that the region's end agrees to.
#[derive(Clone, Debug)]
pub struct Offer {
    /// True if TN3270E is offered; without it clients are asked for plain TN3270.
    pub tn3270e: bool,
    /// Functions of TN3270E that are agreed to when a display asks for them.
    pub functions: Functions,
    /// The same of a printer.
    pub printer_functions: Functions,
    /// TLS by negotiation.
    pub start_tls: StartTls,
    /// The name of the application in a BIND: EBCDIC, at most eight bytes.
    pub application: Vec<u8>,
}

impl Default for Offer {
    fn default() -> Self {
        Self {
            tn3270e: true,
            functions: Functions::DISPLAY,
            printer_functions: Functions::PRINTER,
            start_tls: StartTls::Never,
            application: Vec::new(),
        }
    }
}

/// A client's request for a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its device type.
    pub device: DeviceType,
    /// The name it wants, if it wants one.
    pub lu: Option<RequestedLu>,
}

/// Which protocol was agreed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionKind {
    /// TN3270: terminal type, binary, end of record.
    Plain,
    /// TN3270E with these functions.
    Enhanced(Functions),
}

impl SessionKind {
    /// Returns true if a function of TN3270E was agreed.
    pub fn has(self, function: Function) -> bool {
        matches!(self, SessionKind::Enhanced(functions) if functions.has(function))
    }
}

/// The reason why the connection has to be closed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Ending {
    /// An ordinary telnet client, or no telnet at all. It has been sent a text.
    #[error("the client is no 3270: {0}")]
    NotA3270(String),
    /// The client breaks the protocol.
    #[error(transparent)]
    Violation(#[from] Violation),
    /// The client withdraws an option that 3270 mode needs.
    #[error("the client has left 3270 mode")]
    LeftMode,
    /// The client was refused. It has been sent the text.
    #[error("refused: {0}")]
    Refused(String),
    /// The client will not use TLS. It has been sent a text.
    #[error("the client refuses TLS")]
    TlsRefused,
}

/// An event on a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// TLS begins: let it, then call [`Server::tls_established`].
    StartTls,
    /// A client asks for a terminal: answer with [`Server::assign`] or [`Server::refuse`].
    Request(Request),
    /// The session is ready: records may be sent.
    Ready(SessionKind),
    /// A record from the terminal: a 3270 data stream, AID first.
    Record(Vec<u8>),
    /// The terminal's answer to a record that asked for one.
    Response {
        /// The number that [`Server::send`] gave.
        sequence: u16,
        /// The terminal's answer to the record.
        outcome: Outcome,
    },
    /// The ATTN key.
    Attention,
    /// The SYSREQ key.
    SystemRequest,
    /// Text for the network's own service, in EBCDIC: typed between two SYSREQ keys.
    ServiceText(Vec<u8>),
    /// A printer that needed an operator can print again.
    ErrorCleared,
    /// The client is alive: its answer to [`Server::ask_timing_mark`].
    TimingMark,
    /// Nothing more will happen; send the output that is left and close.
    Ended(Ending),
}
