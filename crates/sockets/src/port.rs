//! A port that is listened on, on one TCB or on several, each with a listening socket of its own.

use std::net::SocketAddr;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use kernel::name::TransactionName;
use ports::CannotListen;
use rustix::io::Errno as System;
use rustix::net::{SocketFlags, acceptfrom_with};
use tokio::task::coop::consume_budget;

use crate::address::of_system;
use crate::errno::Errno;
use crate::socket::{Direction, Drained, Socket};

const FLAGS: SocketFlags = SocketFlags::NONBLOCK.union(SocketFlags::CLOEXEC);

/// The pause of accepting when the system has no descriptor or memory for another client.
const REST: Duration = Duration::from_millis(100);

/// Opens `count` listening sockets on one port, and tells which: port 0 is any free one.
///
/// # Errors
/// Why the port cannot be had.
pub fn open(
    at: SocketAddr,
    backlog: i32,
    count: usize,
) -> Result<(Vec<Arc<Socket>>, SocketAddr), CannotListen> {
    let opened = ports::open(at, backlog, count)?;
    Ok((opened.sockets.into_iter().map(Socket::new).collect(), opened.address))
}

type Accepted = (OwnedFd, Option<rustix::net::SocketAddrAny>);

/// The next client of a port, and where it is. A refusal of the system goes to the log in the name of `who`.
pub async fn next(listening: &Socket, who: TransactionName) -> (Arc<Socket>, SocketAddr) {
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
