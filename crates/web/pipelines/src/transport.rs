//! Carrier of messages to servers: a crate above that has connections brings it, once.

use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;
use std::time::Duration;

use kernel::name::Name8;
use kernel::raise::Raise;
use kernel::region::Region;
use kernel::task::Task;

/// A request on its way to a server.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// Destination: an absolute URL.
    pub url: String,
    /// The URIMAP by which it goes, if the program has named one.
    pub map: Option<Name8>,
    /// The method of HTTP.
    pub method: String,
    /// The Content-Type of the body.
    pub media: String,
    /// The header SOAPAction, with its quotes.
    pub action: Option<String>,
    /// The body; empty: none.
    pub body: Vec<u8>,
    /// Time that the answer may take.
    pub patience: Duration,
}

/// A server's answer.
#[derive(Clone, Debug)]
pub struct Incoming {
    /// The status of HTTP.
    pub status: u16,
    /// Its Content-Type.
    pub media: Option<String>,
    /// Its body.
    pub body: Vec<u8>,
}

/// Reasons why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// The address is none.
    Address,
    /// The server cannot be reached, or does not answer as it must: the log says why.
    Broken,
    /// It takes too long.
    TooSlow,
    /// The task was purged.
    Ended(Raise),
}

/// Reasons why a URIMAP leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoMap {
    /// There is none of this name.
    Unknown,
    /// It is not one for clients, or disabled.
    Unusable,
}

/// The future of an answer.
pub type Sending<'a> = Pin<Box<dyn Future<Output = Result<Incoming, Unanswered>> + 'a>>;

/// Carrier of messages to servers.
pub trait Transport: Send + Sync {
    /// URL of a URIMAP with USAGE(CLIENT).
    ///
    /// # Errors
    /// See [`NoMap`].
    fn url_of(&self, region: &Region, map: Name8) -> Result<String, NoMap>;

    /// Sends a request and receives its answer. The task may be purged meanwhile.
    fn send<'a>(&'a self, task: &'a mut Task, request: &'a Outgoing) -> Sending<'a>;
}

/// The transport of a region.
#[derive(Default)]
pub struct Transports(OnceLock<Box<dyn Transport>>);

impl Transports {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Sets the transport of messages. It is set once.
    pub fn bring(&self, transport: impl Transport + 'static) {
        let _ = self.0.set(Box::new(transport));
    }

    /// It, if there is one.
    pub fn get(&self) -> Option<&dyn Transport> {
        self.0.get().map(|it| &**it)
    }
}
