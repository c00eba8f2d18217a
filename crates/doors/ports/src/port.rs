//! A port: opened once, or with a listening socket for each of several threads, among which the system spreads clients.

use std::net::SocketAddr;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::sockopt::{set_socket_reuseaddr, set_socket_reuseport};
use rustix::net::{AddressFamily, SocketFlags, SocketType, getsockname, socket_with};
use tokio::net::TcpListener;

use crate::limits::BACKLOG;

pub(crate) const FLAGS: SocketFlags = SocketFlags::NONBLOCK.union(SocketFlags::CLOEXEC);

/// The reason why a door cannot listen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot listen on {address}: {}", std::io::Error::from(*.system))]
pub struct CannotListen {
    /// The address asked for.
    pub address: SocketAddr,
    /// The system's error.
    pub system: Errno,
}

impl CannotListen {
    /// The remedy for an operator.
    pub fn help(&self) -> &'static str {
        match self.system {
            Errno::ADDRINUSE => {
                "another program may use this port: choose another one, or end that program (ss -ltnp names it)"
            }
            Errno::ADDRNOTAVAIL => {
                "no interface of this machine has this address: choose one that it has, or 0.0.0.0 for all"
            }
            Errno::ACCESS | Errno::PERM => {
                "the system reserves this port: choose one from 1024 up, or give the program CAP_NET_BIND_SERVICE"
            }
            Errno::MFILE | Errno::NFILE => "too many files are open: raise the limit (ulimit -n)",
            _ => "choose another address",
        }
    }
}

/// A port that is listened on.
pub struct Opened {
    /// Its listening sockets, which never block.
    pub sockets: Vec<OwnedFd>,
    /// The address: port 0 has become a free one.
    pub address: SocketAddr,
}

/// Opens `count` listening sockets on one port, each with room for `backlog` clients that wait to be accepted. Port 0 is
/// any free one.
///
/// # Errors
/// See [`CannotListen`].
pub fn open(at: SocketAddr, backlog: i32, count: usize) -> Result<Opened, CannotListen> {
    let cannot = |system| CannotListen { address: at, system };
    let shared = count > 1;
    if shared && at.port() != 0 {
        // Sockets of one user may share a port; it must not be shared with another region.
        bound(at, false).map_err(cannot)?;
    }
    let mut opened = Opened { sockets: Vec::with_capacity(count), address: at };
    for _ in 0..count {
        let (socket, address) = listening(opened.address, backlog, shared).map_err(cannot)?;
        opened.sockets.push(socket);
        opened.address = address;
    }
    Ok(opened)
}

/// Opens a port for this thread's event loop.
///
/// # Errors
/// See [`CannotListen`].
pub fn listen(at: SocketAddr) -> Result<(TcpListener, SocketAddr), CannotListen> {
    let cannot = |system| CannotListen { address: at, system };
    let (socket, address) = listening(at, BACKLOG, false).map_err(cannot)?;
    let listener = TcpListener::from_std(std::net::TcpListener::from(socket));
    let listener = listener.map_err(|error| cannot(Errno::from_io_error(&error).unwrap_or(Errno::IO)))?;
    Ok((listener, address))
}

fn bound(at: SocketAddr, shared: bool) -> Result<OwnedFd, Errno> {
    let family = if at.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = socket_with(family, SocketType::STREAM, FLAGS, None)?;
    set_socket_reuseaddr(&socket, true)?;
    if shared {
        set_socket_reuseport(&socket, true)?;
    }
    rustix::net::bind(&socket, &at)?;
    Ok(socket)
}

pub(crate) fn listening(at: SocketAddr, backlog: i32, shared: bool) -> Result<(OwnedFd, SocketAddr), Errno> {
    let socket = bound(at, shared)?;
    rustix::net::listen(&socket, backlog)?;
    let address = SocketAddr::try_from(getsockname(&socket)?)?;
    Ok((socket, address))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn any() -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], 0))
    }

    #[test]
    fn several_sockets_share_a_port_and_no_other_process_does() {
        let first = open(any(), BACKLOG, 3).expect("a free port");
        assert_eq!(first.sockets.len(), 3);
        assert_ne!(first.address.port(), 0);
        for count in [1, 2] {
            let refused = open(first.address, BACKLOG, count).map(|_| ()).expect_err("it is taken");
            assert_eq!(refused, CannotListen { address: first.address, system: Errno::ADDRINUSE });
            assert!(refused.to_string().contains(&format!("cannot listen on {}", first.address)));
            assert!(refused.help().contains("choose another one"), "{}", refused.help());
        }
        let address = first.address;
        drop(first);
        assert_eq!(open(address, BACKLOG, 2).expect("it is free again").address, address);
    }

    #[test]
    fn an_address_of_another_machine_is_told_so() {
        let elsewhere = SocketAddr::from(([192, 0, 2, 1], 0));
        let refused = open(elsewhere, BACKLOG, 1).map(|_| ()).expect_err("it is not here");
        assert!(refused.help().contains("no interface of this machine"), "{refused}");
    }
}
