//! Sockets from their beginning to their end: SOCKET, BIND, LISTEN, ACCEPT, CONNECT, SHUTDOWN, CLOSE, and their names.

use std::net::SocketAddr;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;

use kernel::task::WaitKind;
use rustix::io::Errno as System;
use rustix::net::sockopt::socket_error;
use rustix::net::{
    Protocol, RawProtocol, Shutdown, SocketAddrAny, SocketFlags, SocketType, acceptfrom_with, getpeername,
    getsockname, socket_with,
};

use super::{Reply, SocketCall};
use crate::address::{Family, encode, of_system};
use crate::arguments::{Arguments, Done};
use crate::arrived::Arrived;
use crate::errno::Errno;
use crate::limits::BACKLOG_MAX;
use crate::socket::{Direction, Drained, Socket};
use crate::task::TaskSocket;

/// The flags with which every descriptor is opened.
const FLAGS: SocketFlags = SocketFlags::NONBLOCK.union(SocketFlags::CLOEXEC);

/// SOCKET: AF, SOCTYPE, PROTO.
pub(super) fn socket(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let family = Family::of(call.arguments.fullword(1)?.into())?;
    let kind = match call.arguments.fullword(2)? {
        1 => SocketType::STREAM,
        2 => SocketType::DGRAM,
        3 => SocketType::RAW,
        _ => return Err(Errno::PROTOTYPE.into()),
    };
    let protocol = u32::try_from(call.arguments.fullword(3)?).map_err(|_| Errno::PROTONOSUPPORT)?;
    let protocol = RawProtocol::new(protocol).map(Protocol::from_raw);
    let fd = socket_with(family.system(), kind, FLAGS, protocol)?;
    let entry = TaskSocket::new(Socket::new(fd), family, kind == SocketType::STREAM);
    Ok(Reply::Done(call.sockets().add(entry)?.into()))
}

/// The address in a NAME, which must be of a family.
pub(super) fn name_of(arguments: &Arguments<'_>, at: usize, family: Family) -> Done<SocketAddr> {
    name_of_bytes(&arguments.bytes(at, family.name_length())?, family)
}

/// The address in the bytes of a NAME, which must be of a family.
pub(super) fn name_of_bytes(bytes: &[u8], family: Family) -> Done<SocketAddr> {
    let written = u16::from_be_bytes([bytes[0], bytes[1]]);
    match Family::of(written.into()) {
        Ok(named) if named == family => Ok(family.decode(bytes)),
        _ => Err(Errno::AFNOSUPPORT.into()),
    }
}

/// Writes an address into a NAME.
pub(super) fn put_name(arguments: &Arguments<'_>, at: usize, address: &SocketAddr) -> Done {
    arguments.put(at, encode(address).as_bytes())
}

/// Writes an address as a NAME at a place; returns its length in bytes.
pub(super) fn put_name_at(arguments: &Arguments<'_>, place: usize, address: &SocketAddr) -> Done<usize> {
    let name = encode(address);
    arguments.put_at(place, name.as_bytes())?;
    Ok(name.as_bytes().len())
}

/// BIND: S, NAME.
pub(super) fn bind(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let arguments = call.arguments;
    let entry = call.entry()?;
    let address = name_of(&arguments, 2, entry.family)?;
    rustix::net::bind(entry.socket.fd(), &address)?;
    Ok(Reply::Done(0))
}

/// BIND2ADDRSEL: S, NAME of the peer. The system selects the local address when it connects; nothing is left to do.
pub(super) fn bind_to_selected(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let arguments = call.arguments;
    let family = call.entry()?.family;
    name_of(&arguments, 2, family)?;
    Ok(Reply::Done(0))
}

/// LISTEN: S, BACKLOG.
pub(super) fn listen(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let backlog = i64::from(call.arguments.fullword(2)?).clamp(0, BACKLOG_MAX);
    rustix::net::listen(call.entry()?.socket.fd(), backlog as i32)?;
    Ok(Reply::Done(0))
}

/// A connection that was accepted.
type Accepted = (OwnedFd, Option<SocketAddrAny>);

impl Drained for Accepted {}
impl Drained for () {}

/// ACCEPT: S, NAME of the peer.
pub(super) fn accept(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let family = call.entry()?.family;
    let on = call.on(Direction::Read)?;
    let accept = |fd: BorrowedFd<'_>| acceptfrom_with(fd, FLAGS);
    call.perform(on, WaitKind::SOCKET_WORK, accept, move |call, (fd, peer)| {
        let socket = Socket::new(fd);
        socket.count(&call.shared.counts.inbound);
        if let Some(peer) = peer {
            let peer = of_system(peer)?;
            put_name(&call.arguments, 2, &peer)?;
            let client = Arrived::new(call.task.transaction.name, peer, &call.shared.counts.unanswered);
            client.is_of(call.task.number);
            socket.arrives(client);
        }
        let number = call.sockets().add(TaskSocket::new(socket, family, true))?;
        Ok(number.into())
    })
}

/// CONNECT: S, NAME. A connect that does not wait goes on by itself; SELECT for write tells its end.
pub(super) fn connect(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    // A connect that has begun cannot be repeated.
    if call.tried {
        return Ok(Reply::Left);
    }
    let family = call.entry()?.family;
    let address = name_of(&call.arguments, 2, family)?;
    let nonblocking = call.entry()?.nonblocking;
    let mut begun = false;
    let connect = move |fd: BorrowedFd<'_>| match begun {
        false => {
            begun = true;
            match rustix::net::connect(fd, &address) {
                Err(System::INPROGRESS) if !nonblocking => Err(System::WOULDBLOCK),
                result => result,
            }
        }
        true => connected(fd),
    };
    let on = call.on(Direction::Write)?;
    let counts = Arc::clone(&call.shared.counts);
    call.entry()?.socket.count(&counts.outbound);
    call.perform(on, WaitKind::SOCKET, connect, |_, ()| Ok(0))
}

/// Returns the result of a connect that has ended; WOULDBLOCK if it has not. The event loop also reports sockets that
/// are not connected yet.
fn connected(fd: BorrowedFd<'_>) -> Result<(), System> {
    socket_error(fd)??;
    getpeername(fd).map(drop).map_err(|error| match error {
        System::NOTCONN => System::WOULDBLOCK,
        error => error,
    })
}

/// SHUTDOWN: S, HOW.
pub(super) fn shutdown(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let how = match call.arguments.fullword(2)? {
        0 => Shutdown::Read,
        1 => Shutdown::Write,
        2 => Shutdown::Both,
        _ => return Err(Errno::INVAL.into()),
    };
    rustix::net::shutdown(call.entry()?.socket.fd(), how)?;
    Ok(Reply::Done(0))
}

/// CLOSE: S.
pub(super) fn close(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let number = call.arguments.halfword(1)?;
    call.sockets().close(number)?;
    Ok(Reply::Done(0))
}

/// GETPEERNAME: S, NAME.
pub(super) fn get_peer_name(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let peer = getpeername(call.entry()?.socket.fd())?.ok_or(Errno::NOTCONN)?;
    put_name(&call.arguments, 2, &of_system(peer)?)?;
    Ok(Reply::Done(0))
}

/// GETSOCKNAME: S, NAME.
pub(super) fn get_sock_name(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let own = getsockname(call.entry()?.socket.fd())?;
    put_name(&call.arguments, 2, &of_system(own)?)?;
    Ok(Reply::Done(0))
}
