//! A port that is listened on, on one TCB or on several, each with a listening socket of its own.

use std::net::SocketAddr;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use kernel::name::TransactionName;
use ports::{CannotListen, LEFT_MAX, PortSocket, Sharing};
use rustix::io::Errno as System;
use rustix::net::{SocketFlags, acceptfrom_with};
use tokio::task::coop::consume_budget;
use tokio::task::spawn_local;

use crate::address::of_system;
use crate::errno::Errno;
use crate::socket::{Direction, Drained, Socket};

const FLAGS: SocketFlags = SocketFlags::NONBLOCK.union(SocketFlags::CLOEXEC);

/// The pause of accepting when the system has no descriptor or memory for another client.
const REST: Duration = Duration::from_millis(100);

/// The listening socket of one TCB.
pub enum Listening {
    /// This region's alone.
    Own(Arc<Socket>),
    /// One that other regions have, too.
    Shared(PortSocket),
}

impl Listening {
    /// The same for another TCB; `None` if the process has no descriptor left.
    pub fn second(&self) -> Option<Arc<Self>> {
        let second = match self {
            Self::Own(socket) => socket.second().map(Self::Own),
            Self::Shared(socket) => socket.second().map(Self::Shared),
        };
        second.ok().map(Arc::new)
    }

    /// Clients that wait to be accepted when this acceptor ends: as many as its queue has, so that one that comes again and again does
    /// not keep it from ending.
    fn waiting(&self, backlog: i32) -> impl Iterator<Item = (Arc<Socket>, SocketAddr)> {
        let queue = usize::try_from(backlog).unwrap_or(0).saturating_add(1);
        std::iter::from_fn(|| self.first_waiting()).take(queue.max(LEFT_MAX))
    }

    /// One of them.
    fn first_waiting(&self) -> Option<(Arc<Socket>, SocketAddr)> {
        match self {
            Self::Own(socket) => {
                let (fd, peer) = acceptfrom_with(socket.fd(), FLAGS).ok()?;
                Some((Socket::new(fd), of_system(peer?).ok()?))
            }
            Self::Shared(socket) => socket.left_shared().map(|(fd, peer)| (Socket::new(fd), peer)),
        }
    }
}

/// Passes on the clients that wait to be accepted when an acceptor ends: the system would reset their connections. Those of a socket
/// that regions share are other regions', as long as one of them takes clients. To ask them may last: this TCB serves others meanwhile.
pub fn leave(listening: &Arc<Listening>, backlog: i32, takes: impl FnMut(Arc<Socket>, SocketAddr) + 'static) {
    let left = Left { listening: Arc::clone(listening), backlog, takes, is_last: None };
    match **listening {
        Listening::Own(_) => drop(left),
        Listening::Shared(_) => drop(spawn_local(left.ask())),
    }
}

/// The clients that an acceptor leaves: they are passed on when it is dropped.
struct Left<T: FnMut(Arc<Socket>, SocketAddr)> {
    listening: Arc<Listening>,
    backlog: i32,
    takes: T,
    /// True if no other region takes them; `None` until that was asked.
    is_last: Option<bool>,
}

impl<T: FnMut(Arc<Socket>, SocketAddr)> Left<T> {
    async fn ask(mut self) {
        if let Listening::Shared(socket) = &*self.listening {
            self.is_last = Some(socket.is_last().await);
        }
    }
}

impl<T: FnMut(Arc<Socket>, SocketAddr)> Drop for Left<T> {
    fn drop(&mut self) {
        let is_last = match &*self.listening {
            Listening::Own(_) => true,
            // A TCB that ends before there is an answer serves no client any more, and waits for it.
            Listening::Shared(socket) => self.is_last.unwrap_or_else(|| socket.is_last_blocking()),
        };
        if is_last {
            self.listening.waiting(self.backlog).for_each(|(socket, peer)| (self.takes)(socket, peer));
        }
    }
}

/// Opens `count` listening sockets on one port, which `sharing` may share with other regions; returns them and the address: port 0
/// is any free one.
///
/// # Errors
/// The reason why the port cannot be had.
pub fn open(
    sharing: Option<&Arc<Sharing>>,
    at: SocketAddr,
    backlog: i32,
    count: usize,
) -> Result<(Vec<Arc<Listening>>, SocketAddr), CannotListen> {
    let opened = ports::open_for(sharing, at, backlog, count)?;
    let listening = |socket: PortSocket| match socket.alone() {
        Ok(own) => Arc::new(Listening::Own(Socket::new(own))),
        Err(shared) => Arc::new(Listening::Shared(shared)),
    };
    Ok((opened.sockets.into_iter().map(listening).collect(), opened.address))
}

type Accepted = (OwnedFd, Option<rustix::net::SocketAddrAny>);

/// The next client of a port, and where it is. A refusal of the system goes to the log in the name of `who`.
pub async fn next(listening: &Listening, who: TransactionName) -> (Arc<Socket>, SocketAddr) {
    match listening {
        Listening::Own(socket) => next_own(socket, who).await,
        Listening::Shared(socket) => next_shared(socket, who).await,
    }
}

async fn next_shared(listening: &PortSocket, who: TransactionName) -> (Arc<Socket>, SocketAddr) {
    loop {
        consume_budget().await;
        match listening.next_shared().await {
            Ok((fd, address)) => return (Socket::new(fd), address),
            Err(error) => {
                tracing::error!(target: "SO", "{who}: no client can be accepted now: {error}");
                tokio::time::sleep(REST).await;
            }
        }
    }
}

async fn next_own(listening: &Socket, who: TransactionName) -> (Arc<Socket>, SocketAddr) {
    loop {
        // However many come at once, those that are here are served meanwhile.
        consume_budget().await;
        let accepted: Result<Accepted, Errno> = when_ready(listening, |fd| acceptfrom_with(fd, FLAGS)).await;
        match accepted {
            Ok((fd, Some(peer))) => {
                if let Ok(address) = of_system(peer) {
                    return (Socket::new(fd), address);
                }
            }
            // The client has gone already.
            Ok((_, None)) | Err(Errno::CONNABORTED | Errno::INTR) => {}
            Err(errno) => {
                tracing::error!(target: "SO", "{who}: no client can be accepted now, ERRNO {}", errno.0);
                tokio::time::sleep(REST).await;
            }
        }
    }
}

/// Does something with a socket as soon as it can be.
///
/// # Errors
/// The system's error.
pub async fn when_ready<T: Drained>(
    socket: &Socket,
    mut operation: impl FnMut(BorrowedFd<'_>) -> Result<T, System>,
) -> Result<T, Errno> {
    loop {
        if let Some(result) = socket.attempt(Direction::Read, &mut operation) {
            return result;
        }
        socket.registered(Direction::Read)?.news(Direction::Read).await?;
    }
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixListener;
    use std::time::Instant;

    use ports::{Allows, BACKLOG, Gate, Which};
    use tokio::sync::mpsc;
    use tokio::task::LocalSet;

    use super::*;

    struct All;

    impl Gate for All {
        fn allows(&self) -> Allows {
            Allows::All
        }
    }

    #[tokio::test]
    async fn a_region_that_hangs_keeps_no_tcb_from_its_work() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o700)).expect("changed");
        let free = TcpListener::bind("127.0.0.1:0").and_then(|any| any.local_addr()).expect("a port");
        let sharing = Sharing::begin(folder.path(), "REGA", Which::All, Box::new(All)).expect("a share");
        let (listening, at) = open(Some(&sharing), free, BACKLOG, 1).unwrap_or_else(|why| panic!("{why}"));
        let _hangs = UnixListener::bind(folder.path().join("HANG.ports")).expect("a socket");
        let _client = TcpStream::connect(at).expect("a connection");
        let test = async {
            let (sender, mut taken) = mpsc::unbounded_channel();
            let begun = Instant::now();
            leave(&listening[0], BACKLOG, move |_, peer| sender.send(peer).expect("it is wanted"));
            assert!(begun.elapsed() < Duration::from_millis(500), "{:?}", begun.elapsed());
            assert!(taken.recv().await.is_some(), "the client is taken all the same");
        };
        LocalSet::new().run_until(test).await;
    }
}
