//! The ports that a region shares with others of this machine: it asks them for a listening socket, or opens it and passes it on.
//!
//! The first region on a port opens it. The socket is in each region's own hands from then on: the end of one region does not matter
//! to the others, and clients that wait in its queue are taken by them.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use aws_lc_rs::rand;
use parking_lot::Mutex;
use rustix::io::Errno;

use crate::passing::{Answer, Answering, Folder, Wanted};
use crate::port::{CannotListen, listening, open};
use crate::tickets::{SECRET, TicketSecret};
use crate::turns::{Allows, Gate, PortSocket, SharedPort, Shares};

/// The ports of a region that are shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Which {
    /// All.
    All,
    /// Those with these numbers.
    These(Vec<u16>),
}

/// A region's share in ports.
pub struct Sharing {
    folder: Arc<Folder>,
    own: String,
    which: Which,
    gate: Box<dyn Gate>,
    has: Arc<Has>,
    _answering: Answering,
}

/// The things that others may ask for.
#[derive(Default)]
struct Has {
    ports: Mutex<Vec<Weak<SharedPort>>>,
    tickets: Mutex<Option<[u8; SECRET]>>,
    /// The region leaves: it polls no port any more.
    leaves: AtomicBool,
}

impl Has {
    fn port(&self, address: SocketAddr) -> Option<Arc<SharedPort>> {
        let mut ports = self.ports.lock();
        ports.retain(|port| port.strong_count() > 0);
        ports.iter().filter_map(Weak::upgrade).find(|port| port.address == address)
    }

    fn answer(&self, wanted: &Wanted) -> Option<Answer> {
        match wanted {
            Wanted::Port(address) => self.port(*address)?.socket.try_clone().ok().map(Answer::Port),
            Wanted::Tickets => self.tickets.lock().map(Answer::Tickets),
            Wanted::Takes(address) => {
                let leaves = self.leaves.load(Ordering::Acquire);
                self.port(*address).filter(|port| !leaves && port.takes()).map(|_| Answer::Takes)
            }
        }
    }
}

/// A port that is listened on by several threads, each with a socket of its own.
pub struct OpenedPort {
    /// The sockets.
    pub sockets: Vec<PortSocket>,
    /// The address: port 0 has become a free one.
    pub address: SocketAddr,
}

impl Sharing {
    /// Shares ports in the name of a region, with those that use the same folder. The gate says which clients it takes.
    ///
    /// # Errors
    /// The folder cannot be used, or a region of this name uses it.
    pub fn begin(folder: &Path, own: &str, which: Which, gate: Box<dyn Gate>) -> io::Result<Arc<Self>> {
        let folder = Arc::new(Folder::open(folder)?);
        let has = Arc::<Has>::default();
        let asked = Arc::clone(&has);
        let answering = folder.answer(own, move |wanted| asked.answer(wanted))?;
        Ok(Arc::new(Self { folder, own: own.to_owned(), which, gate, has, _answering: answering }))
    }

    /// Returns true if a port is one that is shared. A port of no number is not: no other region could ask for it.
    pub fn shares(&self, at: SocketAddr) -> bool {
        let is_one = match &self.which {
            Which::All => true,
            Which::These(ports) => ports.contains(&at.port()),
        };
        is_one && at.port() != 0
    }

    /// Polls no port from now on: clients that wait, and those that come, are the other regions'.
    pub fn leave(&self) {
        self.has.leaves.store(true, Ordering::Release);
    }

    /// Returns true if a port is shared by now.
    pub fn is_in_use(&self) -> bool {
        self.has.ports.lock().iter().any(|port| port.strong_count() > 0)
    }

    /// The secret of TLS tickets that all regions of the folder have: that of the others, or a new one. It is in memory alone.
    ///
    /// # Errors
    /// The folder cannot be used; the system gives no random numbers.
    pub fn tickets(&self) -> io::Result<TicketSecret> {
        let _lock = self.folder.lock()?;
        if let Some(secret) = *self.has.tickets.lock() {
            return Ok(TicketSecret(secret));
        }
        let secret = match self.folder.ask(&self.own, &Wanted::Tickets)? {
            Some(Answer::Tickets(secret)) => secret,
            _ => {
                let mut secret = [0; SECRET];
                rand::fill(&mut secret).map_err(|_| io::Error::other("no random numbers"))?;
                secret
            }
        };
        *self.has.tickets.lock() = Some(secret);
        Ok(TicketSecret(secret))
    }

    /// The port: another region's, or opened here.
    fn port(self: &Arc<Self>, at: SocketAddr, backlog: i32) -> Result<Arc<SharedPort>, CannotListen> {
        let cannot = |system| CannotListen { address: at, system };
        let failed = |error: &io::Error| {
            tracing::error!(target: "SO", "the socket of {at} cannot be asked for: {error}");
            cannot(Errno::from_io_error(error).unwrap_or(Errno::IO))
        };
        let _lock = self.folder.lock().map_err(|error| failed(&error))?;
        if let Some(port) = self.has.port(at) {
            return Ok(port);
        }
        let asked = self.folder.ask(&self.own, &Wanted::Port(at)).map_err(|error| failed(&error))?;
        let socket = match asked {
            Some(Answer::Port(socket)) => {
                tracing::info!(target: "SO", "port {at} is shared: another region has passed its socket on");
                socket
            }
            _ => listening(at, backlog, false).map_err(cannot)?.0,
        };
        let port = Arc::new(SharedPort::new(socket, at, Arc::<Self>::clone(self)));
        self.has.ports.lock().push(Arc::downgrade(&port));
        Ok(port)
    }
}

/// The gate of every shared port: a region that leaves takes no client.
impl Gate for Sharing {
    fn allows(&self) -> Allows {
        if self.has.leaves.load(Ordering::Acquire) { Allows::Nothing } else { self.gate.allows() }
    }
}

impl Shares for Sharing {
    /// A region that cannot be asked takes none: the client would be lost.
    fn has_others(&self, at: SocketAddr) -> bool {
        matches!(self.folder.ask(&self.own, &Wanted::Takes(at)), Ok(Some(_)))
    }
}

/// Opens a port for `count` threads: one that is shared, if `sharing` says so; else as [`open`].
///
/// # Errors
/// See [`CannotListen`].
pub fn open_for(
    sharing: Option<&Arc<Sharing>>,
    at: SocketAddr,
    backlog: i32,
    count: usize,
) -> Result<OpenedPort, CannotListen> {
    match sharing.filter(|sharing| sharing.shares(at)) {
        None => {
            let opened = open(at, backlog, count)?;
            let sockets = opened.sockets.into_iter().map(PortSocket::own).collect();
            Ok(OpenedPort { sockets, address: opened.address })
        }
        Some(sharing) => {
            let port = sharing.port(at, backlog)?;
            let sockets: io::Result<_> = (0..count).map(|_| PortSocket::shared(&port)).collect();
            let system = |error: io::Error| Errno::from_io_error(&error).unwrap_or(Errno::MFILE);
            let sockets = sockets.map_err(|error| CannotListen { address: at, system: system(error) })?;
            Ok(OpenedPort { sockets, address: at })
        }
    }
}
