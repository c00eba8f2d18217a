//! Accepting clients, and reading their first messages: on one open TCB, where their children begin too unless it has too
//! much to do.

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
use super::serving::{Client, Serving};
use crate::errno::Errno;
use crate::port::{Listening, next, when_ready};
use crate::socket::Direction;

/// Accepts clients until it is dropped, and those with it whose first message has not come.
pub async fn accept(listening: Arc<Listening>, serving: Arc<Serving>) {
    let mut readers = JoinSet::new();
    loop {
        while readers.try_join_next().is_some() {}
        let Some(place) = place(&serving).await else { return };
        let (socket, address) = next(&listening, serving.definition.transaction).await;
        let client = serving.welcome(socket, address, place);
        let mut reader = First::new(&serving.definition);
        match client.socket.attempt(Direction::Read, |fd| reader.receive(fd)) {
            Some(read) => finish(&serving, client, reader, read),
            None => {
                let serving = Arc::clone(&serving);
                readers.spawn_local(async move {
                    let read = read_in_time(&serving, &client, &mut reader).await;
                    finish(&serving, client, reader, read);
                });
            }
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
