//! Accepting clients, and reading their first messages: on one open TCB, where their children begin too unless it has too
//! much to do.

use std::net::SocketAddr;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::Duration;

use kernel::name::TransactionName;
use rustix::io::Errno as System;
use rustix::net::RecvFlags;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinSet;

use super::definition::{Format, Listener, StartKind};
use super::message::{Request, STANDARD_LENGTH_MAX, USER_DATA, standard};
use super::serving::{Client, ENDS, Serving};
use crate::errno::Errno;
use crate::port::{Listening, leave, next, when_ready};
use crate::socket::{Direction, Socket};

/// Accepts clients until it is dropped. No client is hung up on without a word then: a client whose message is there is served, and
/// another one, accepted or about to be, hears that the listener ends.
pub async fn accept(listening: Arc<Listening>, serving: Arc<Serving>) {
    let mut accepting = Accepting { listening, serving, readers: JoinSet::new() };
    loop {
        while accepting.readers.try_join_next().is_some() {}
        let Some(place) = place(&accepting.serving).await else { return };
        let who = accepting.serving.definition.transaction;
        let (socket, address) = next(&accepting.listening, who).await;
        if let Some(reading) = begin(&accepting.serving, socket, address, place) {
            accepting.readers.spawn_local(reading.read());
        }
    }
}

/// An acceptor, and its clients whose first message has not come.
struct Accepting {
    listening: Arc<Listening>,
    serving: Arc<Serving>,
    readers: JoinSet<()>,
}

/// A client is accepted: it is served if its message is there. Else it must be waited for.
fn begin(
    serving: &Arc<Serving>,
    socket: Arc<Socket>,
    address: SocketAddr,
    place: OwnedSemaphorePermit,
) -> Option<Reading> {
    let client = serving.welcome(socket, address, place);
    let mut reader = First::new(&serving.definition);
    let Some(read) = client.socket.attempt(Direction::Read, |fd| reader.receive(fd)) else {
        return Some(Reading { serving: Arc::clone(serving), rest: Some((client, reader)) });
    };
    finish(serving, client, reader, read);
    None
}

impl Drop for Accepting {
    fn drop(&mut self) {
        let serving = Arc::clone(&self.serving);
        leave(&self.listening, serving.definition.backlog, move |socket, address| {
            match Arc::clone(&serving.places).try_acquire_owned() {
                Ok(place) => drop(begin(&serving, socket, address, place)),
                Err(_) => serving.turn_away(&socket, &address, ENDS),
            }
        });
    }
}

/// A client whose first message has not come.
struct Reading {
    serving: Arc<Serving>,
    rest: Option<(Client, First)>,
}

impl Reading {
    async fn read(mut self) {
        let Some((client, reader)) = &mut self.rest else { return };
        let read = read_in_time(&self.serving, client, reader).await;
        if let Some((client, reader)) = self.rest.take() {
            finish(&self.serving, client, reader, read);
        }
    }
}

impl Drop for Reading {
    /// The listener ends: a last look for the message.
    fn drop(&mut self) {
        let Some((client, mut reader)) = self.rest.take() else { return };
        match reader.receive(client.socket.fd()) {
            Err(System::WOULDBLOCK) => self.serving.let_go(&client, ENDS),
            read => finish(&self.serving, client, reader, read.map_err(Errno::from)),
        }
    }
}

/// A place for the next client, as soon as there is one; `None` if the listener ends.
async fn place(serving: &Serving) -> Option<OwnedSemaphorePermit> {
    if let Ok(place) = Arc::clone(&serving.places).try_acquire_owned() {
        return Some(place);
    }
    serving.counts.full.one();
    Arc::clone(&serving.places).acquire_owned().await.ok()
}

async fn read_in_time(serving: &Serving, client: &Client, reader: &mut First) -> Result<(), Errno> {
    let read = when_ready(&client.socket, |fd| reader.receive(fd));
    match serving.definition.read_time {
        None => read.await,
        Some(limit) => tokio::time::timeout(limit, read).await.unwrap_or(Err(Errno::TIMEDOUT)),
    }
}

/// A client's first message, as far as it is there.
struct First {
    bytes: Vec<u8>,
    filled: usize,
    /// The number of bytes that must be there.
    least: usize,
    peek: bool,
}

impl First {
    fn new(listener: &Listener) -> Self {
        let (most, least, peek) = match listener.format {
            Format::Standard { message_min, .. } => {
                (STANDARD_LENGTH_MAX.max(message_min), message_min, false)
            }
            Format::Enhanced { message_length, peek, .. } => (message_length, message_length.min(1), peek),
        };
        Self { bytes: vec![0; most], filled: 0, least, peek }
    }

    /// Receives until enough is there. A client that closes before has said all.
    fn receive(&mut self, fd: BorrowedFd<'_>) -> Result<(), System> {
        while self.filled < self.least {
            let flags = if self.peek { RecvFlags::PEEK } else { RecvFlags::empty() };
            let (count, _) = rustix::net::recv(fd, &mut self.bytes[self.filled..], flags)?;
            if count == 0 {
                return Err(System::CONNRESET);
            }
            self.filled += count;
        }
        Ok(())
    }
}

/// The first message is there, or will not come.
fn finish(serving: &Serving, client: Client, reader: First, read: Result<(), Errno>) {
    match read {
        Ok(()) => {}
        Err(Errno::TIMEDOUT) => {
            serving.counts.silent.one();
            return serving.let_go(&client, "it has not said in time which transaction it wants");
        }
        Err(_) => {
            return serving.let_go(&client, "it has closed the connection before it said what it wants");
        }
    }
    let First { mut bytes, filled, .. } = reader;
    bytes.truncate(filled);
    if filled > 0 {
        serving.sockets.received(filled);
        if let Some(client) = client.socket.arrived() {
            client.is_heard();
        }
    }
    match &serving.definition.format {
        Format::Standard { ascii, user_ascii, .. } => match standard(&bytes, *ascii, *user_ascii) {
            Ok(request) => serving.requested(client, request),
            Err(mistake) => serving.let_go(&client, mistake.text()),
        },
        Format::Enhanced { transaction, start, delay, message_length, .. } => {
            let request = Request {
                transaction: *transaction,
                start: *start,
                delay: if *start == StartKind::Interval { *delay } else { Duration::ZERO },
                user_data: [b' '; USER_DATA],
                message: Some((bytes, *message_length)),
            };
            if request.transaction == TransactionName::BLANK && serving.to_exit.is_none() {
                return serving.let_go(&client, "nothing says which transaction serves it");
            }
            serving.requested(client, request);
        }
    }
}
