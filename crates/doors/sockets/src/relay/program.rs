//! The programs of a conversation's tasks: the receiver, which LINKs to the customer's program for every message, and
//! the sender, which keeps a way out open.

use std::sync::Arc;

use areas::Area;
use domains::interval::StartData;
use kernel::dispatcher::{Context, SuppliedProgram, SuppliedWaiting};
use kernel::exec::Flow;
use kernel::name::Name8;
use kernel::task::{Task, WaitKind};
use rustix::io::Errno as System;
use rustix::net::{RecvFlags, SendFlags};
use tokio::task::coop::consume_budget;

use super::frame::TooLong;
use super::guests::{Guest, Stay};
use super::way_out::{Held, Name, Offered};
use super::{Arriving, GIVER, Relay, Relays, START_DATA};
use crate::address::Family;
use crate::arguments::Failure;
use crate::calls::perform;
use crate::errno::Errno;
use crate::handover::ClientId;
use crate::limits::WAY_OUT_TIME;
use crate::socket::{Direction, Drained, Socket, settle};

/// The receiver's program.
pub struct Receiver(pub Arc<Relays>);

/// The sender's program.
pub struct Sender(pub Arc<Relays>);

/// Bytes that one receive asks for.
const RECEIVE: usize = 16 * 1024;

/// The result of a receive: the number of bytes, and whether it drained the socket.
struct Came {
    count: usize,
    drained: bool,
}

impl Drained for Came {
    fn is_drained(&self) -> bool {
        self.drained
    }
}

/// The number of bytes sent.
struct Went(usize);

impl Drained for Went {}

/// The connection of a task, and the bytes received through it.
struct Connection {
    relay: Arc<Relay>,
    place: Stay,
    bytes: Vec<u8>,
    /// The number of bytes received so far.
    filled: usize,
}

impl Connection {
    /// The connection that was given to the task; `None` if there is none.
    fn of(relays: &Relays, task: &mut Task) -> Option<Self> {
        let data = task.kept.take::<StartData>()?.data?;
        let data: [u8; START_DATA] = data.try_into().ok()?;
        let number = u16::from_be_bytes([data[0], data[1]]);
        let relay = relays.get(u16::from_be_bytes([data[2], data[3]]))?;
        let shared = &relays.shared;
        let client = |family| ClientId { family, name: shared.applid, task: Name8::from(GIVER) };
        let take = |family| shared.handover.take(&client(family), number, &client(family)).ok();
        // Before the number is free again: the next client may have it at once, on another TCB.
        let place = relay.arriving.lock().remove(&number);
        take(Family::Inet).or_else(|| take(Family::Inet6))?;
        let place = place?;
        // It has arrived.
        drop(task.kept.take::<Arriving>());
        if let Some(client) = place.guest.socket.arrived() {
            client.is_of(task.number);
        }
        Some(Self { relay, place, bytes: Vec::new(), filled: 0 })
    }

    /// Waits for more; false: the client has hung up, or the region ends and nothing of a message has come.
    async fn receive(&mut self, task: &Task) -> Result<bool, Failure> {
        let Self { relay, place: Stay { guest, .. }, bytes, filled } = self;
        let closes = *filled == 0 && relay.closing.is_closed();
        if bytes.len() < *filled + RECEIVE {
            bytes.resize(*filled + RECEIVE, 0);
        }
        let room = &mut bytes[*filled..];
        let mut operation = |fd: rustix::fd::BorrowedFd<'_>| {
            let (count, _) = rustix::net::recv(fd, &mut *room, RecvFlags::empty())?;
            Ok::<_, System>(Came { count, drained: count > 0 && count < room.len() })
        };
        // What had come before the region began to end is served, whether the event loop has told of it or not.
        let tried = match closes {
            true => settle(operation(guest.socket.fd())),
            false => guest.socket.attempt(Direction::Read, &mut operation),
        };
        let came = match tried {
            Some(came) => came?,
            None if closes => return Ok(false),
            None => {
                guest.turns();
                let kind = WaitKind::SOCKET_WORK;
                let came = perform(task, &guest.socket, Direction::Read, kind, operation).await;
                guest.turns();
                came?
            }
        };
        relay.counts.received(came.count);
        if let Some(client) = guest.socket.arrived().filter(|_| came.count > 0) {
            client.is_heard();
        }
        *filled += came.count;
        Ok(came.count > 0)
    }

    /// Takes bytes off the front.
    fn consume(&mut self, count: usize) {
        self.bytes.copy_within(count..self.filled, 0);
        self.filled -= count;
    }

    /// The name that the client gives its conversation; `None`: it has hung up.
    async fn name(&mut self, task: &Task) -> Result<Option<Name>, Failure> {
        let length = self.relay.conversation.identifier;
        while self.filled < length {
            if !self.receive(task).await? {
                return Ok(None);
            }
        }
        let bytes = self.bytes[..length].to_vec();
        self.consume(length);
        Ok(Some(Name { address: self.place.guest.address, bytes }))
    }
}

/// A receiver between two messages.
struct Receiving {
    connection: Connection,
    area: Area,
    /// The connection for answers, if it is not the socket of the message.
    out: Option<Held>,
}

impl SuppliedProgram for Receiver {
    fn run<'a>(&'a self, context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
        Box::pin(async move {
            match converse(&self.0, context).await {
                Ok(()) => {}
                Err(Failure::Raise(raise)) => return Err(raise),
                Err(Failure::Errno(errno)) => {
                    let name = context.transaction.name;
                    tracing::warn!(target: "SO", "{name} {}: the client is gone, ERRNO {}", context.number, errno.0);
                }
            }
            Ok(Flow::Return)
        })
    }
}

/// Serves a client's messages, one after the other, until the conversation is over.
async fn converse(relays: &Relays, context: &mut Context<'_>) -> Result<(), Failure> {
    let receiving = match Receiving::begin(relays, context).await {
        // A client that leaves before its first message is no error.
        Err(Failure::Errno(_)) => None,
        begun => begun?,
    };
    let Some(mut receiving) = receiving else { return Ok(()) };
    let program = receiving.connection.relay.conversation.program;
    while receiving.next(context).await? {
        if let Err(abend) = context.link(program, Some(&receiving.area), None).await {
            tracing::warn!(target: "SO", "task {}: {program} has ended with abend {}", context.number, abend.code);
            context.rollback().await;
            return Ok(());
        }
        receiving.answered(context).await?;
        // A client that always has another message does not keep others waiting.
        consume_budget().await;
    }
    Ok(())
}

impl Receiving {
    /// Takes the connection over; `None` if it is over already.
    async fn begin(relays: &Relays, task: &mut Task) -> Result<Option<Self>, Failure> {
        let Some(mut connection) = Connection::of(relays, task) else { return Ok(None) };
        let conversation = &connection.relay.conversation;
        let (area, two_sockets) = (Area::new(conversation.commarea), conversation.send.is_some());
        let mut out = None;
        if two_sockets {
            let Some(name) = connection.name(task).await? else { return Ok(None) };
            let held = connection.relay.ways_out.hold(name);
            if way_out(task, &connection.relay, &held, None).await?.is_none() {
                return Ok(None);
            }
            out = Some(held);
        }
        Ok(Some(Self { connection, area, out }))
    }

    /// Waits for the next message, and puts it into the area; false: the conversation is over.
    async fn next(&mut self, task: &Task) -> Result<bool, Failure> {
        let conversation = &self.connection.relay.conversation;
        let (framing, most) = (conversation.framing, conversation.commarea);
        loop {
            let there = &self.connection.bytes[..self.connection.filled];
            match framing.first(there, most) {
                Ok(Some(length)) => {
                    self.area.write(0, &there[..length]);
                    // Nothing of the message before is shown, nor of its answer.
                    self.area.clear(length);
                    self.connection.consume(length);
                    self.connection.relay.counts.message();
                    return Ok(true);
                }
                Err(TooLong(length)) => {
                    let name = task.transaction.name;
                    tracing::warn!(target: "SO", "{name}: a message of {length} bytes, and the COMMAREA has {most}");
                    return Ok(false);
                }
                Ok(None) if !self.connection.receive(task).await? => return Ok(false),
                Ok(None) => {}
            }
        }
    }

    /// The program has come back: its work counts, its answer goes out.
    async fn answered(&mut self, task: &mut Task) -> Result<(), Failure> {
        task.syncpoint().await?;
        let conversation = &self.connection.relay.conversation;
        let commarea = self.area.to_vec();
        let answer = &commarea[..conversation.framing.answer(&commarea)];
        self.connection.relay.counts.sent(answer.len());
        // The program has had its say, though that may be nothing, or go out elsewhere.
        self.connection.place.guest.is_answered();
        let Some(held) = &self.out else {
            return send(task, &self.connection.place.guest.socket, answer).await;
        };
        let mut broken = None;
        // A connection for answers that is lost is waited for: its client makes another.
        while let Some(client) = way_out(task, &self.connection.relay, held, broken.as_ref()).await? {
            client.is_used();
            match send(task, &client.socket, answer).await {
                Err(Failure::Errno(_)) => broken = Some(client),
                sent => return sent,
            }
        }
        Err(Errno::PIPE.into())
    }
}

/// The connection for the answers of a conversation, as soon as its client has named it; `None` if the client does not
/// in time, or the region ends.
async fn way_out(
    task: &Task,
    relay: &Relay,
    held: &Held,
    broken: Option<&Arc<Guest>>,
) -> Result<Option<Arc<Guest>>, Failure> {
    let client = async {
        tokio::select! {
            client = tokio::time::timeout(WAY_OUT_TIME, held.way.client(broken)) => Some(client),
            () = relay.closing.closed() => None,
        }
    };
    match task.wait(WaitKind::SOCKET_WORK, client).await? {
        None => Ok(None),
        Some(Ok(client)) => Ok(Some(client)),
        Some(Err(_)) => {
            tracing::warn!(target: "SO", "task {}: its conversation has no socket for answers", task.number);
            Ok(None)
        }
    }
}

/// Sends all of some bytes.
async fn send(task: &Task, out: &Socket, bytes: &[u8]) -> Result<(), Failure> {
    let mut sent = 0;
    let mut operation = |fd: rustix::fd::BorrowedFd<'_>| {
        while sent < bytes.len() {
            sent += rustix::net::send(fd, &bytes[sent..], SendFlags::NOSIGNAL)?;
        }
        Ok::<_, System>(Went(sent))
    };
    let went = match out.attempt(Direction::Write, &mut operation) {
        Some(went) => went?,
        None => perform(task, out, Direction::Write, WaitKind::SOCKET, operation).await?,
    };
    if went.0 < bytes.len() { Err(Errno::PIPE.into()) } else { Ok(()) }
}

impl SuppliedProgram for Sender {
    fn run<'a>(&'a self, context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
        Box::pin(async move {
            let Some(mut connection) = Connection::of(&self.0, context) else { return Ok(Flow::Return) };
            match keep_open(&mut connection, context).await {
                Ok(()) | Err(Failure::Errno(_)) => Ok(Flow::Return),
                Err(Failure::Raise(raise)) => Err(raise),
            }
        })
    }
}

/// Offers the connection as a way out until its client hangs up.
async fn keep_open(connection: &mut Connection, task: &Task) -> Result<(), Failure> {
    let Some(name) = connection.name(task).await? else { return Ok(()) };
    // It is for answers, of which there may be none.
    connection.place.guest.is_answered();
    let held = connection.relay.ways_out.hold(name);
    let _offered = Offered::new(held, Arc::clone(&connection.place.guest));
    while connection.receive(task).await? {
        // Bytes on this connection have no meaning.
        connection.filled = 0;
    }
    Ok(())
}
