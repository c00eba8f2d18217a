//! Configuration of the direct path.

use std::net::SocketAddr;
use std::time::Duration;

use kernel::name::{Name8, TransactionName};
use pipelines::webservice::ServiceName;

/// `[direct]`.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Address on which HTTP is spoken, for scenarios that have a path.
    pub listen: Option<SocketAddr>,
    /// On whose behalf instances run; `None`: the region's default user.
    pub user: Option<String>,
    /// Clients at a time, of all ports together.
    pub connections: usize,
    /// Of them, from one address.
    pub per_address: usize,
    /// Silence between two messages after which a client is let go; zero: never.
    pub idle: Duration,
    /// For a message that has begun to be whole.
    pub receive: Duration,
    /// The scenarios.
    pub scenarios: Vec<Said>,
}

/// `[[direct.scenario]]`: messages that go to one program.
#[derive(Clone, Debug)]
pub struct Said {
    /// Which messages.
    pub reached: Reached,
    /// The program.
    pub program: Name8,
    /// The transaction of its instances.
    pub transaction: TransactionName,
    /// Instances on each TCB.
    pub instances: usize,
    /// Messages that wait for an instance, on each TCB.
    pub queue: usize,
    /// The program was made of one with a COMMAREA: its answer takes the place of its message. `Some(bytes)`: of so many bytes;
    /// `Some(0)`: of as many as the message has.
    pub commarea: Option<usize>,
    /// The WEBSERVICE whose requests its messages are, by its name.
    pub service: Option<ServiceName>,
    /// The way in which a client says who it is, if it is asked.
    pub authenticate: Option<Identity>,
    /// The program runs on behalf of the client who has said so.
    pub as_client: bool,
    /// Bytes of the longest message.
    pub message: usize,
    /// Bytes of the longest answer.
    pub answer: usize,
    /// From a whole message to its answer.
    pub time: Duration,
    /// Content-Type of answers.
    pub media: String,
}

/// The way in which a client says who it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// By user and password, in the header Authorization.
    Basic,
    /// By its certificate.
    Certificate,
}

/// Which messages are a scenario's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reached {
    /// HTTP requests for a path.
    Path(String),
    /// All messages of a port.
    Port {
        /// Address of the port.
        at: SocketAddr,
        /// Framing of messages.
        framing: Framing,
    },
}

impl Said {
    /// Returns true if the head of a request says something that counts.
    pub(crate) fn asks(&self) -> bool {
        self.service.is_some() || self.authenticate == Some(Identity::Basic)
    }

    /// Bytes that a program is given for its message, and for its answer.
    pub(crate) fn areas(&self) -> (usize, usize) {
        match self.commarea {
            // Its record is not the message.
            Some(bytes) if bytes > 0 && self.service.is_some() => (bytes, 0),
            Some(bytes) => (self.message.max(bytes), 0),
            None => (self.message, self.answer),
        }
    }
}

/// Rule by which one message ends and the next begins, for answers, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Its length stands before it, in so many bytes (2 or 4), big-endian, not counting themselves.
    Length(usize),
    /// All messages have this length; answers are as long as they are.
    Fixed(usize),
}
