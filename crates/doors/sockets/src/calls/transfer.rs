//! Bytes in and out: READ, WRITE, RECV, SEND, and their datagram forms.

use std::net::SocketAddr;
use std::os::fd::BorrowedFd;
use std::sync::Arc;

use kernel::task::WaitKind;
use rustix::io::Errno as System;
use rustix::net::{RecvFlags, SendFlags};

use super::connection::{name_of, put_name};
use super::{Reply, SocketCall};
use crate::address::of_system;
use crate::arguments::{Arguments, Bytes, Done};
use crate::errno::Errno;
use crate::limits::TRANSFER_BYTES_MAX;
use crate::socket::{Direction, Drained};

/// The component of these in the trace.
const COMPONENT: &str = "SO";

/// READ: S, NBYTE, BUF.
pub(super) fn read(call: SocketCall<'_>) -> Done<Reply<'_>> {
    let wanted = length(&call.arguments, 2, 1, Errno::READ_LENGTH)?;
    receive(call, Flags::NONE, wanted, |call, received| call.arguments.put(3, &received.data))
}

/// WRITE: S, NBYTE, BUF.
pub(super) fn write(call: SocketCall<'_>) -> Done<Reply<'_>> {
    let length = length(&call.arguments, 2, 0, Errno::WRITE_LENGTH)?;
    let data = call.arguments.bytes(3, length)?;
    transmit(call, Flags::NONE, data, None)
}

/// RECV: S, FLAGS, NBYTE, BUF.
pub(super) fn recv(call: SocketCall<'_>) -> Done<Reply<'_>> {
    let flags = Flags(call.arguments.fullword(2)?);
    let wanted = length(&call.arguments, 3, 1, Errno::RECEIVE_LENGTH)?;
    receive(call, flags, wanted, |call, received| call.arguments.put(4, &received.data))
}

/// SEND: S, FLAGS, NBYTE, BUF.
pub(super) fn send(call: SocketCall<'_>) -> Done<Reply<'_>> {
    let flags = Flags(call.arguments.fullword(2)?);
    let length = length(&call.arguments, 3, 0, Errno::SEND_LENGTH)?;
    let data = call.arguments.bytes(4, length)?;
    transmit(call, flags, data, None)
}

/// RECVFROM: S, FLAGS, NBYTE, BUF, NAME of the sender.
pub(super) fn recv_from(call: SocketCall<'_>) -> Done<Reply<'_>> {
    let flags = Flags(call.arguments.fullword(2)?);
    let wanted = length(&call.arguments, 3, 1, Errno::RECEIVE_LENGTH)?;
    receive(call, flags, wanted, |call, received| {
        if let Some(from) = &received.from {
            put_name(&call.arguments, 5, from)?;
        }
        call.arguments.put(4, &received.data)
    })
}

/// SENDTO: S, FLAGS, NBYTE, BUF, NAME of the receiver.
pub(super) fn send_to(mut call: SocketCall<'_>) -> Done<Reply<'_>> {
    let flags = Flags(call.arguments.fullword(2)?);
    let length = length(&call.arguments, 3, 0, Errno::SEND_TO_LENGTH)?;
    let data = call.arguments.bytes(4, length)?;
    let family = call.entry()?.family;
    let to = name_of(&call.arguments, 5, family)?;
    transmit(call, flags, data, Some(to))
}

/// The length of a transfer, from a fullword.
fn length(arguments: &Arguments<'_>, at: usize, fewest: i32, refusal: Errno) -> Done<usize> {
    let length = arguments.fullword(at)?;
    if length < fewest {
        return Err(refusal.into());
    }
    Ok((length as usize).min(TRANSFER_BYTES_MAX))
}

/// FLAGS of a receive or send.
#[derive(Clone, Copy)]
pub(super) struct Flags(pub i32);

impl Flags {
    const NONE: Self = Self(0);
    const OOB: i32 = 1;
    const PEEK: i32 = 2;
    const DONT_ROUTE: i32 = 4;
    const WAIT_ALL: i32 = 64;

    fn has(self, flag: i32) -> bool {
        self.0 & flag != 0
    }

    fn receive(self) -> RecvFlags {
        let mut flags = RecvFlags::empty();
        flags.set(RecvFlags::OOB, self.has(Self::OOB));
        flags.set(RecvFlags::PEEK, self.has(Self::PEEK));
        flags
    }

    fn send(self) -> SendFlags {
        let mut flags = SendFlags::NOSIGNAL;
        flags.set(SendFlags::OOB, self.has(Self::OOB));
        flags.set(SendFlags::DONTROUTE, self.has(Self::DONT_ROUTE));
        flags
    }
}

/// The received data.
pub(super) struct Received {
    /// The bytes.
    pub data: Vec<u8>,
    /// The sender of a datagram.
    pub from: Option<SocketAddr>,
    drained: bool,
}

impl Drained for Received {
    fn is_drained(&self) -> bool {
        self.drained
    }
}

/// Receives up to `wanted` bytes; `put` gives them to the program. RETCODE is how many came: 0 says that the peer has
/// closed.
pub(super) fn receive<'a>(
    mut call: SocketCall<'a>,
    flags: Flags,
    wanted: usize,
    put: impl FnOnce(&mut SocketCall<'a>, &Received) -> Done + 'a,
) -> Done<Reply<'a>> {
    let on = call.on(Direction::Read)?;
    let (stream, socket) = (on.stream, Arc::clone(&on.socket));
    let all = stream && !on.nonblocking && flags.has(Flags::WAIT_ALL) && !flags.has(Flags::PEEK);
    if all && call.tried {
        return Ok(Reply::Left);
    }
    let (mut buffer, mut filled) = (Vec::new(), 0);
    let operation = move |fd: BorrowedFd<'_>| {
        // Most that are tried are not done: the socket has nothing.
        buffer.resize(wanted, 0);
        loop {
            let (count, from) = match stream {
                true => (rustix::net::recv(fd, &mut buffer[filled..], flags.receive())?.0, None),
                false => {
                    let (count, _, from) = rustix::net::recvfrom(fd, &mut buffer[..], flags.receive())?;
                    (count, from.and_then(|from| of_system(from).ok()))
                }
            };
            filled += count;
            if let Some(client) = socket.arrived().filter(|_| count > 0) {
                client.is_heard();
            }
            if all && count > 0 && filled < wanted {
                continue;
            }
            buffer.truncate(filled);
            let drained = stream && count > 0 && filled < wanted && !flags.has(Flags::PEEK);
            return Ok(Received { data: std::mem::take(&mut buffer), from, drained });
        }
    };
    call.perform(on, WaitKind::SOCKET, operation, |call, received| {
        put(call, &received)?;
        let count = received.data.len();
        call.task.traces_detail(COMPONENT, ("RECEIVE", &[], count as u64), String::new);
        call.task.traces_data(COMPONENT, ("RECEIVED", &[]), &received.data);
        call.shared.counts.received(count);
        Ok(count as i64)
    })
}

/// The number of bytes sent.
struct Sent(usize);

impl Drained for Sent {}

/// Sends bytes; RETCODE is how many went. A socket that may wait sends all of them.
pub(super) fn transmit<'a>(
    mut call: SocketCall<'a>,
    flags: Flags,
    data: Bytes,
    to: Option<SocketAddr>,
) -> Done<Reply<'a>> {
    let on = call.on(Direction::Write)?;
    let (nonblocking, tried, socket) = (on.nonblocking, call.tried, Arc::clone(&on.socket));
    let mut sent = socket.take_sent();
    // The program's storage may be another's when the bytes have gone.
    let shown = call.task.may_be_detailed().then(|| data.clone());
    let operation = move |fd: BorrowedFd<'_>| loop {
        let rest = &data[sent..];
        let result = match &to {
            Some(to) => rustix::net::sendto(fd, rest, flags.send(), to),
            None => rustix::net::send(fd, rest, flags.send()),
        };
        match result {
            Ok(count) => {
                sent += count;
                if let Some(client) = socket.arrived() {
                    client.is_answered();
                }
            }
            Err(System::WOULDBLOCK) if nonblocking && sent > 0 => return Ok(Sent(sent)),
            Err(error) => {
                if tried && error == System::WOULDBLOCK {
                    socket.keep_sent(sent);
                }
                return Err(error);
            }
        }
        if sent >= data.len() {
            return Ok(Sent(sent));
        }
    };
    call.perform(on, WaitKind::SOCKET, operation, move |call, sent| {
        call.shared.counts.sent(sent.0);
        call.task.traces_detail(COMPONENT, ("SEND", &[], sent.0 as u64), String::new);
        if let Some(shown) = shown {
            call.task.traces_data(COMPONENT, ("SENT", &[]), &shown[..sent.0.min(shown.len())]);
        }
        Ok(sent.0 as i64)
    })
}
