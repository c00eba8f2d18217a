//! A listening socket that several regions share: in each of them one thread polls it at a time, as far as the region takes work.
//!
//! ```text
//! accept ──► waits for the baton ──► waits until the region takes work ──► polls ──► has a client: the baton goes on
//!                └─ the first that waits looks now and then: the thread that has the baton may be busy
//! ```
//!
//! All regions have one queue of clients, so a region that is free takes the next one. A socket is registered with the event loop of the
//! thread that has the baton alone: a client wakes one thread of each region, not all.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::acceptfrom_with;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, sleep_until};

use crate::limits::{LEFT_AFTER, LEFT_FOR, LOOK_BUSY, LOOK_IDLE, LOOK_LEFT};
use crate::port::FLAGS;
use crate::serve::Listens;

/// The clients that a region takes from a port which it shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allows {
    /// Each that it can have.
    All,
    /// One at a time, with a rest behind each.
    Paced(Duration),
    /// Those that no other region takes.
    LeftOver,
    /// None.
    Nothing,
}

/// A region's own word on the clients that it takes now.
pub trait Gate: Send + Sync {
    /// The word of this moment.
    fn allows(&self) -> Allows;
}

/// A region among those that share its ports.
pub(crate) trait Shares: Gate {
    /// Returns true if another region takes clients of a port.
    fn has_others(&self, at: SocketAddr) -> bool;
}

/// A port that is shared with other regions.
pub(crate) struct SharedPort {
    /// The socket, to be passed on.
    pub socket: OwnedFd,
    pub address: SocketAddr,
    /// The region's word on the clients that it takes.
    gate: Arc<dyn Shares>,
    /// The thread that has it polls.
    baton: tokio::sync::Mutex<()>,
    /// The first of those that wait for it.
    first: tokio::sync::Mutex<()>,
    seen: Mutex<Seen>,
    end: Mutex<End>,
}

/// The end of a port in this region.
#[derive(Default)]
struct End {
    /// The number of times that a thread began to wait for a client.
    accepts: u64,
    /// A thread closes it, and none has begun to wait for a client since then.
    closes: bool,
    /// True if no other region takes clients; `None` until that was asked.
    is_last: Option<bool>,
}

/// The clients that came so far, and those that no region takes.
#[derive(Default)]
struct Seen {
    accepted: Option<Instant>,
    /// Since then there was a client at each look.
    waits_since: Option<Instant>,
    /// No other region takes clients: this one takes them until then.
    left_until: Option<Instant>,
}

type Accepted = (OwnedFd, SocketAddr);

impl SharedPort {
    pub fn new(socket: OwnedFd, address: SocketAddr, gate: Arc<dyn Shares>) -> Self {
        let (baton, first, seen, end) = Default::default();
        Self { socket, address, gate, baton, first, seen, end }
    }

    /// The next client; `socket` is this thread's own descriptor.
    async fn accept(&self, socket: &OwnedFd) -> io::Result<Accepted> {
        self.goes_on();
        tokio::select! {
            biased;
            _baton = self.baton.lock() => self.poll(socket).await,
            found = self.stand_by(socket) => found,
        }
    }

    /// Polls, as far as the region takes work. This thread has the baton.
    async fn poll(&self, socket: &OwnedFd) -> io::Result<Accepted> {
        loop {
            self.takes_work(socket).await;
            #[expect(
                deprecated,
                reason = "the way that replaces it is unsafe; a borrowed descriptor stays open meanwhile"
            )]
            let registered = AsyncFd::with_interest(socket.as_fd(), Interest::READABLE)?;
            loop {
                let mut ready = registered.readable().await?;
                if !self.takes_work_now() {
                    break;
                }
                match self.take(socket)? {
                    Some(accepted) => return Ok(accepted),
                    // Another region was quicker.
                    None => ready.clear_ready(),
                }
            }
        }
    }

    /// Looks now and then for a client that waits, for as long as another thread has the baton: it may be busy. Only the first of those
    /// that wait does.
    async fn stand_by(&self, socket: &OwnedFd) -> io::Result<Accepted> {
        let _first = self.first.lock().await;
        loop {
            let used = self.seen.lock().accepted.is_some_and(|at| at.elapsed() < LEFT_FOR);
            sleep(if used { LOOK_BUSY } else { LOOK_IDLE }).await;
            if self.gate.allows() == Allows::All
                && let Some(accepted) = self.take(socket)?
            {
                return Ok(accepted);
            }
        }
    }

    /// Waits until the region takes a client.
    async fn takes_work(&self, socket: &OwnedFd) {
        loop {
            match self.gate.allows() {
                Allows::All => return,
                // The rest is for others to take the next one: without others, it would only let clients wait.
                Allows::Paced(_) if self.is_left_over(socket) => return,
                Allows::Paced(rest) => {
                    let accepted = self.seen.lock().accepted;
                    if let Some(accepted) = accepted {
                        sleep_until((accepted + rest).into()).await;
                    }
                    return;
                }
                Allows::LeftOver if self.is_left_over(socket) => return,
                Allows::LeftOver | Allows::Nothing => sleep(LOOK_LEFT).await,
            }
        }
    }

    fn takes_work_now(&self) -> bool {
        match self.gate.allows() {
            Allows::All | Allows::Paced(_) => true,
            Allows::LeftOver => self.seen.lock().left_until.is_some_and(|until| Instant::now() < until),
            Allows::Nothing => false,
        }
    }

    /// Returns true if clients have waited at several looks: then no other region takes them, and for a while this one does.
    fn is_left_over(&self, socket: &OwnedFd) -> bool {
        let mut seen = self.seen.lock();
        let now = Instant::now();
        if seen.left_until.is_some_and(|until| now < until) {
            return true;
        }
        if !has_clients(socket) {
            seen.waits_since = None;
            return false;
        }
        let since = *seen.waits_since.get_or_insert(now);
        let is_left = now.duration_since(since) >= LEFT_AFTER;
        if is_left {
            seen.left_until = Some(now + LEFT_FOR);
            seen.waits_since = None;
        }
        is_left
    }

    /// A thread waits for clients: the region does not close the port.
    fn goes_on(&self) {
        let mut end = self.end.lock();
        *end = End { accepts: end.accepts.wrapping_add(1), ..End::default() };
    }

    /// Returns true unless this region closes the port: of two that close it at once, each would leave the clients that wait to the
    /// other.
    pub fn takes(&self) -> bool {
        !self.end.lock().closes
    }

    /// Returns true if no other region takes clients, now that this one closes the port: with the last region's socket the connections of
    /// clients that wait would be reset. Regions that hang answer late.
    fn is_last(&self) -> bool {
        let accepts = {
            let mut end = self.end.lock();
            end.closes = true;
            if let Some(known) = end.is_last {
                return known;
            }
            end.accepts
        };
        // Without the lock: other threads may accept meanwhile.
        let is_last = !self.gate.has_others(self.address);
        let mut end = self.end.lock();
        if end.accepts == accepts { *end.is_last.get_or_insert(is_last) } else { is_last }
    }

    /// The same, asked on a thread that serves no client.
    async fn is_found_last(self: &Arc<Self>) -> bool {
        let asked = Arc::clone(self);
        // A region that cannot ask takes them: they would be lost.
        tokio::task::spawn_blocking(move || asked.is_last()).await.unwrap_or(true)
    }

    /// Takes a client, if one waits.
    fn take(&self, socket: &OwnedFd) -> io::Result<Option<Accepted>> {
        let taken = take(socket)?;
        if taken.is_some() {
            self.seen.lock().accepted = Some(Instant::now());
        }
        Ok(taken)
    }
}

/// Takes a client, if one waits.
fn take(socket: impl AsFd) -> io::Result<Option<Accepted>> {
    loop {
        match acceptfrom_with(socket.as_fd(), FLAGS) {
            Ok((client, Some(peer))) => return Ok(Some((client, SocketAddr::try_from(peer)?))),
            Err(Errno::AGAIN) => return Ok(None),
            // The client has gone already.
            Ok((_, None)) | Err(Errno::CONNABORTED | Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Returns true if a client waits to be accepted.
fn has_clients(socket: &OwnedFd) -> bool {
    let mut polled = [PollFd::new(socket, PollFlags::IN)];
    poll(&mut polled, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
}

/// A listening socket of one thread, which may be shared with other regions. It never blocks.
pub struct PortSocket {
    socket: OwnedFd,
    shared: Option<Arc<SharedPort>>,
}

impl PortSocket {
    /// A socket that is this region's alone.
    pub(crate) fn own(socket: OwnedFd) -> Self {
        Self { socket, shared: None }
    }

    /// A socket of a port that is shared.
    ///
    /// # Errors
    /// The process has no descriptor left.
    pub(crate) fn shared(port: &Arc<SharedPort>) -> io::Result<Self> {
        Ok(Self { socket: port.socket.try_clone()?, shared: Some(Arc::clone(port)) })
    }

    /// The socket, if it is this region's alone; else `self`.
    ///
    /// # Errors
    /// It is shared.
    pub fn alone(self) -> Result<OwnedFd, Self> {
        match self.shared {
            None => Ok(self.socket),
            shared => Err(Self { socket: self.socket, shared }),
        }
    }

    /// The same for another thread.
    ///
    /// # Errors
    /// The process has no descriptor left.
    pub fn second(&self) -> io::Result<Self> {
        Ok(Self { socket: self.socket.try_clone()?, shared: self.shared.clone() })
    }

    /// Listens on this thread's event loop.
    ///
    /// # Errors
    /// The event loop takes no more sockets.
    pub fn here(self) -> io::Result<Listener> {
        match self.shared {
            None => TcpListener::from_std(self.socket.into()).map(|own| Listener(Kind::Own(own))),
            Some(port) => Ok(Listener(Kind::Shared(self.socket, port))),
        }
    }

    /// The next client of a port that is shared, with its address.
    ///
    /// # Errors
    /// The system's error.
    pub async fn next_shared(&self) -> io::Result<(OwnedFd, SocketAddr)> {
        match &self.shared {
            Some(port) => port.accept(&self.socket).await,
            None => Err(io::Error::other("the port is not shared")),
        }
    }

    /// Returns true if clients that wait when the region closes a port are its own to take: no other region does. Others are asked, which
    /// may last, on a thread that serves no client.
    pub async fn is_last(&self) -> bool {
        match &self.shared {
            Some(port) => port.is_found_last().await,
            None => true,
        }
    }

    /// The same on this thread.
    pub fn is_last_blocking(&self) -> bool {
        self.shared.as_ref().is_none_or(|port| port.is_last())
    }

    /// A client of a port that is shared and closes, if one waits.
    pub fn left_shared(&self) -> Option<(OwnedFd, SocketAddr)> {
        self.shared.as_ref()?.take(&self.socket).ok().flatten()
    }
}

/// A port on this thread's event loop.
pub struct Listener(Kind);

enum Kind {
    /// This region's alone.
    Own(TcpListener),
    /// One that is shared with other regions.
    Shared(OwnedFd, Arc<SharedPort>),
}

impl Listener {
    /// The next client, and its address.
    ///
    /// # Errors
    /// The system's error.
    pub async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        match &self.0 {
            Kind::Own(listener) => listener.accept().await,
            Kind::Shared(socket, port) => {
                let (client, address) = port.accept(socket).await?;
                Ok((TcpStream::from_std(client.into())?, address))
            }
        }
    }

    /// A client that waits when the port is closed, and its address: the system would reset its connection. `None` if none waits, or
    /// another region takes it.
    pub async fn left(&self) -> Option<(TcpStream, SocketAddr)> {
        let (client, address) = match &self.0 {
            Kind::Own(listener) => take(listener).ok().flatten()?,
            Kind::Shared(socket, port) if port.is_found_last().await => port.take(socket).ok().flatten()?,
            Kind::Shared(..) => return None,
        };
        let stream = TcpStream::from_std(client.into()).ok()?;
        let _ = stream.set_nodelay(true);
        Some((stream, address))
    }
}

impl Listens for Listener {
    type Stream = TcpStream;
    type Peer = SocketAddr;

    async fn next(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, peer) = self.accept().await?;
        // Answers are sent whole: to wait for more would only delay them.
        let _ = stream.set_nodelay(true);
        Ok((stream, peer))
    }

    async fn last(&self) -> Option<(TcpStream, SocketAddr)> {
        self.left().await
    }
}
