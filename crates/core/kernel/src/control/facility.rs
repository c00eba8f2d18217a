//! The principal facility of a task: for whom it works.
//!
//! A front door names the facility of the tasks that it attaches. One of a new kind (another region) is a variant of
//! [`Facility`] and an arm in each function here; nothing else in the kernel looks into it. A request that a domain above this
//! crate knows how to read and to answer is a [`Request`].

use std::any::Any;
use std::net::SocketAddr;
use std::sync::Arc;

use super::TaskControl;
use crate::name::{Name8, TerminalName};
use crate::spans::Attribute;
use crate::terminals::{Occupant, Terminal};

/// The principal facility of a task.
#[derive(Clone, Default)]
pub enum Facility {
    /// None: another task has started it, or the region itself.
    #[default]
    None,
    /// A terminal.
    Terminal(Arc<Terminal>),
    /// A client that came through a socket.
    Socket(Connection),
    /// A request that is answered when the task has ended: of the web. Its domain hears of that end by what it keeps for the task.
    Request(Arc<dyn Request>),
}

/// A request for which a task works. Its domain finds its own type in it by [`Any`].
pub trait Request: Any + Send + Sync {
    /// The connection it came through.
    fn connection(&self) -> Connection;

    /// Measures of it and of its task's commands, for monitoring.
    fn measured(&self) -> RequestMeasures;

    /// The operation of a web service that it is for is known.
    fn has_operation(&self, _: &str) {}

    /// Tells more of it, for the span of its task.
    fn described(&self, _: &mut Vec<Attribute>) {}
}

/// Measures of a request.
#[derive(Clone, Debug, Default)]
pub struct RequestMeasures {
    /// Its URI map, and the pipeline of that.
    pub map: Name8,
    /// See above.
    pub pipeline: Name8,
    /// The web service that it is a message for.
    pub service: String,
    /// The operation of that service.
    pub operation: String,
    /// The program that answers.
    pub program: Name8,
    /// The version of TLS, as `TLS13`.
    pub tls: String,
    /// The cipher suite.
    pub cipher: String,
    /// True if it is the first of its connection.
    pub first: bool,
    /// Receives of its body, and their bytes.
    pub receives: u64,
    /// See above.
    pub received_bytes: u64,
    /// Sends of its answer, and their bytes.
    pub sends: u64,
    /// See above.
    pub sent_bytes: u64,
    /// Headers, fields and parameters that were read by name, and headers that were written.
    pub reads: u64,
    /// See above.
    pub writes: u64,
    /// Commands of browses.
    pub browses: u64,
    /// Bytes of bodies that were encrypted, and decrypted.
    pub encrypted: u64,
    /// See above.
    pub decrypted: u64,
    /// Nanoseconds of processor time of TLS on its connection since the record before; `None`: without TLS.
    pub tls_ns: Option<u64>,
}

/// The connection of a client that came through a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// The listener or conversation that has let it in.
    pub door: Name8,
    /// Address of the client.
    pub client: SocketAddr,
    /// Address that it came to.
    pub server: SocketAddr,
}

impl Facility {
    /// The terminal, if it is one.
    pub fn terminal(&self) -> Option<&Arc<Terminal>> {
        match self {
            Self::Terminal(terminal) => Some(terminal),
            Self::None | Self::Socket(_) | Self::Request(_) => None,
        }
    }

    /// The name of the terminal, if it is one.
    pub fn terminal_name(&self) -> Option<TerminalName> {
        self.terminal().map(|terminal| terminal.name)
    }

    /// The name of the terminal, or of the door through which the client came; blank: none.
    pub fn name(&self) -> Name8 {
        match self {
            Self::None => Name8::BLANK,
            Self::Terminal(terminal) => Name8::new(terminal.name),
            Self::Socket(connection) => connection.door,
            Self::Request(request) => request.connection().door,
        }
    }

    /// The network name; blank: none.
    pub fn netname(&self) -> Name8 {
        self.terminal().map_or(Name8::BLANK, |terminal| terminal.netname)
    }

    /// Address of the client, a terminal's as well.
    pub fn client(&self) -> Option<SocketAddr> {
        match self {
            Self::None => None,
            Self::Terminal(terminal) => terminal.peer(),
            Self::Socket(connection) => Some(connection.client),
            Self::Request(request) => Some(request.connection().client),
        }
    }

    /// Address that the client came to, if the door is one of sockets.
    pub fn server(&self) -> Option<SocketAddr> {
        match self {
            Self::None | Self::Terminal(_) => None,
            Self::Socket(connection) => Some(connection.server),
            Self::Request(request) => Some(request.connection().server),
        }
    }
}

impl Occupant for TaskControl {
    fn hangs_up(&self) {
        self.purge();
    }
}

impl Terminal {
    /// The task that is attached.
    pub fn task(&self) -> Option<Arc<TaskControl>> {
        let occupant: Arc<dyn Any + Send + Sync> = self.occupant()?;
        occupant.downcast().ok()
    }
}
