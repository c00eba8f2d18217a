//! The interface that the door needs of a region.
//!
//! ```text
//! door                          region
//!  │ reserve(Wanted) ───────────► a Reservation with a netname: dropping it frees the name
//!  │ connect(Connected) ────────► a Session: the terminal, and the queue of what is for it
//!  │ Partner::receive ──────────► a key, an ATTN
//!  │ ◄───────── Session::outbound a data stream; the queue's end is the session's end
//!  │ Partner::disconnected ─────► always, exactly once, at once
//! ```

use std::net::SocketAddr;

use tn3270::datastream::Capabilities;
use tn3270::telnet::{DeviceType, Ending, Outcome, PrinterLanguage, Reject, SessionKind};
use tokio::sync::{mpsc, oneshot};

/// A region as the door sees it. It is called on the door's own thread and must not block.
pub trait Host {
    /// Gives a client a name that no other client gets until the reservation is dropped.
    fn reserve(&self, wanted: &Wanted) -> Result<Box<dyn Reservation>, Refusal>;
}

/// A terminal's name, held while the client negotiates its capabilities.
pub trait Reservation {
    /// The LU name, at most eight characters.
    fn netname(&self) -> &str;
    /// The language that a printer of this name is sent, if it can take it.
    fn language(&self) -> PrinterLanguage {
        PrinterLanguage::default()
    }
    /// The client is ready: the terminal begins. The name is the terminal's from here on.
    fn connect(self: Box<Self>, connected: Connected) -> Result<Session, Refusal>;
}

/// A client's wishes.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The name it wants; `None`: any.
    pub lu: Option<String>,
    /// The display whose printer it wants to be; it has no name of its own then.
    pub printer_of: Option<String>,
    /// Its device type.
    pub device: DeviceType,
    /// Its address, and its proved identity.
    pub caller: Caller,
}

/// The client at the other end of a connection.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Its address.
    pub peer: SocketAddr,
    /// The certificate that it has proved to be its own: its SHA-256 in hexadecimal.
    pub certificate: Option<String>,
    /// The user as whom a door before this one has signed it on.
    pub user: Option<String>,
}

/// The facts learned of the client.
#[derive(Clone, Debug)]
pub struct Connected {
    /// Its device type.
    pub device: DeviceType,
    /// Its address, and its proved identity.
    pub caller: Caller,
    /// Its capabilities, both screen sizes included.
    pub capabilities: Capabilities,
    /// TN3270, or TN3270E with which functions.
    pub kind: SessionKind,
    /// The language that it is sent if it is a printer; `None` for a display.
    pub printer: Option<PrinterLanguage>,
}

/// The reason why a client gets no terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The reason in the protocol.
    pub reason: Reject,
    /// The text for the user: one line of printing ASCII.
    pub text: String,
}

/// A session that has begun.
pub struct Session {
    /// The region's terminal.
    pub terminal: Box<dyn Partner>,
    /// The data for the client. When all senders are gone, the rest is sent, the client unbound and the connection
    /// closed.
    pub outbound: mpsc::Receiver<ToClient>,
}

impl Session {
    /// Streams that may wait for a client which reads slowly; a task that sends more waits.
    pub const OUTBOUND_MAX: usize = 16;

    /// A queue for a session: the region keeps the sender, and hands the rest over.
    pub fn queue() -> (mpsc::Sender<ToClient>, mpsc::Receiver<ToClient>) {
        mpsc::channel(Self::OUTBOUND_MAX)
    }
}

/// A region's terminal as the door calls it: on the door's own thread; it must not block.
pub trait Partner {
    /// Something came from the client. The error ends the connection.
    fn receive(&mut self, inbound: FromClient) -> Result<(), Overrun>;
    /// The client is gone, or was sent away: nothing more will come or can be sent.
    fn disconnected(&mut self, why: &Disconnect);
}

/// Too much came that no task has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overrun;

/// The form of bytes for a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A 3270 data stream, command first.
    Stream,
    /// SCS for a printer.
    Scs,
    /// No bytes: a printer's job is complete.
    EndOfJob,
}

/// Bytes for a client.
#[derive(Debug)]
pub struct ToClient {
    /// The bytes.
    pub stream: Vec<u8>,
    /// Their form.
    pub form: Form,
    /// The sender for the terminal's answer (definite response). A terminal that gives no answer counts as having taken
    /// the stream when it goes out. When the client is lost, the sender is dropped.
    pub response: Option<oneshot::Sender<Outcome>>,
}

impl ToClient {
    /// A stream that asks for no answer.
    pub fn new(stream: Vec<u8>) -> Self {
        Self { stream, form: Form::Stream, response: None }
    }

    /// The end of a printer's job.
    pub fn end_of_job() -> Self {
        Self { stream: Vec::new(), form: Form::EndOfJob, response: None }
    }

    /// A stream with its answer to come.
    pub fn with_response(stream: Vec<u8>) -> (Self, oneshot::Receiver<Outcome>) {
        Self::in_form(stream, Form::Stream)
    }

    /// Bytes of any form with the answer to come.
    pub fn in_form(stream: Vec<u8>, form: Form) -> (Self, oneshot::Receiver<Outcome>) {
        let (sender, answer) = oneshot::channel();
        (Self { stream, form, response: Some(sender) }, answer)
    }
}

/// An event from a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromClient {
    /// A record: AID first; see [`tn3270::datastream::Inbound::read`].
    Record(Vec<u8>),
    /// The ATTN key.
    Attention,
    /// The user is back from the network's own service, whose lines may have overwritten the screen.
    Returned,
    /// A printer that needed an operator can print again.
    ErrorCleared,
}

/// The reason why a connection ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Disconnect {
    /// The client closed it.
    #[error("the client has closed the connection")]
    ClientClosed,
    /// The network lost it.
    #[error("the connection is lost: {0}")]
    Lost(std::io::ErrorKind),
    /// The protocol ended it.
    #[error(transparent)]
    Protocol(#[from] Ending),
    /// The client took too long before its session began (`negotiation_max`).
    #[error("the client did not negotiate in time")]
    NegotiationTimeout,
    /// The client does not answer a timing mark (`silence_max`, `timing_mark_max`).
    #[error("the client is silent and does not answer")]
    Silent,
    /// The client does not read (`stall_max`).
    #[error("the client does not read what is sent to it")]
    Stalled,
    /// The user has typed LOGOFF after SYSREQ.
    #[error("the user has logged off")]
    LoggedOff,
    /// More came than the region would take.
    #[error("the client sent more than any task has read")]
    Overrun,
    /// The region refused it.
    #[error("refused: {0}")]
    Refused(String),
    /// The region ended the session.
    #[error("the region has ended the session")]
    RegionEnded,
    /// The door itself went away.
    #[error("the door was closed")]
    DoorClosed,
}

impl Disconnect {
    /// Returns true if the client is still there to get a message.
    pub fn can_be_told(&self) -> bool {
        !matches!(
            self,
            Disconnect::ClientClosed | Disconnect::Lost(_) | Disconnect::Stalled | Disconnect::Silent
        )
    }
}
