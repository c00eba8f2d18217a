//! The connection of a client that has come, and its end: what was sent to it arrives, and an end without any answer is counted and
//! told.
//!
//! A system that closes a connection with unread bytes in its queue resets it, and a reset may overtake an answer:
//! such bytes are taken off first. A client that has asked, still waits, and is hung up on has a right to know why; so has the
//! operator, whose only trace is the count and the message here where a program simply closes.

use std::net::SocketAddr;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Instant;

use kernel::name::TransactionName;
use parking_lot::Mutex;
use rustix::io::Errno as System;
use rustix::net::{RecvFlags, recv};

use crate::counters::Counter;
use crate::limits::{UNANSWERED_TOLD_EVERY, UNREAD_BYTES_MAX};

/// A client that has come, on its connection.
pub struct Arrived {
    /// The listener, conversation or transaction that has accepted it.
    door: TransactionName,
    address: SocketAddr,
    heard: AtomicBool,
    answered: AtomicBool,
    /// The last task that had the connection; 0: none has.
    task: AtomicU32,
    unanswered: Arc<Unanswered>,
}

/// The state of the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Peer {
    /// It waits.
    Waits,
    /// It has sent bytes that the program has not read, and waits.
    HasSent,
    /// It has hung up, or says no more.
    Gone,
}

impl Arrived {
    /// A client that has said nothing yet.
    pub fn new(door: TransactionName, address: SocketAddr, unanswered: &Arc<Unanswered>) -> Self {
        Self {
            door,
            address,
            heard: AtomicBool::new(false),
            answered: AtomicBool::new(false),
            task: AtomicU32::new(0),
            unanswered: Arc::clone(unanswered),
        }
    }

    /// Bytes have come from it.
    pub fn is_heard(&self) {
        self.heard.store(true, Ordering::Relaxed);
    }

    /// Bytes have gone to it, or it is to get none.
    pub fn is_answered(&self) {
        self.answered.store(true, Ordering::Relaxed);
    }

    /// A task has the connection from now on.
    pub fn is_of(&self, task: u32) {
        self.task.store(task, Ordering::Relaxed);
    }

    /// The connection is about to be closed.
    pub fn ends(&self, fd: BorrowedFd<'_>) {
        if self.answered.load(Ordering::Relaxed) {
            return take_unread(fd);
        }
        let peer = peer(fd);
        let has_asked = peer == Peer::HasSent || self.heard.load(Ordering::Relaxed);
        if has_asked && peer != Peer::Gone {
            self.unanswered.another(self.door, &self.address, self.task.load(Ordering::Relaxed));
        }
    }
}

/// The other end as the system sees it now.
fn peer(fd: BorrowedFd<'_>) -> Peer {
    match recv(fd, &mut [0; 1], RecvFlags::PEEK | RecvFlags::DONTWAIT) {
        Ok((1.., _)) => Peer::HasSent,
        Err(System::WOULDBLOCK) => Peer::Waits,
        Ok(_) | Err(_) => Peer::Gone,
    }
}

/// Takes unread bytes off the queue, up to a limit: without them the connection ends in order.
fn take_unread(fd: BorrowedFd<'_>) {
    let (mut room, mut taken) = ([0; 4096], 0);
    while taken < UNREAD_BYTES_MAX {
        match recv(fd, &mut room, RecvFlags::DONTWAIT) {
            Ok((count, _)) if count > 0 => taken += count,
            Ok(_) | Err(_) => return,
        }
    }
}

/// Clients that have asked, still waited, and were hung up on before anything was sent to them.
#[derive(Default)]
pub struct Unanswered {
    count: Counter,
    told: Mutex<Option<Told>>,
}

/// The last message, and the count at that time.
struct Told {
    at: Instant,
    count: u64,
}

impl Unanswered {
    /// Their number so far.
    pub fn count(&self) -> u64 {
        self.count.get()
    }

    /// One more. The log hears of the first, and then of no more than one in a while: programs whose clients expect no answer must
    /// not fill it.
    fn another(&self, door: TransactionName, address: &SocketAddr, task: u32) {
        self.count.one();
        let Some(others) = self.may_tell(Instant::now()) else { return };
        let had = if task == 0 { String::new() } else { format!(", task {task} had it last") };
        let others =
            if others == 0 { String::new() } else { format!("; {others} more since the last such message") };
        tracing::warn!(target: "SO", "{door}: client {address} is hung up on without an answer{had}{others}");
    }

    /// The number of those that no message has told; `None`: it is too early for a message.
    fn may_tell(&self, now: Instant) -> Option<u64> {
        let mut told = self.told.lock();
        if told.as_ref().is_some_and(|told| now - told.at < UNANSWERED_TOLD_EVERY) {
            return None;
        }
        let count = self.count.get();
        let others = told.as_ref().map_or(0, |told| (count - told.count).saturating_sub(1));
        *told = Some(Told { at: now, count });
        Some(others)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsFd;

    use super::*;

    /// A connection: the region's end, the client's, and how the region knows it.
    fn connection() -> (TcpStream, TcpStream, Arrived) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let client = TcpStream::connect(listener.local_addr().expect("its address")).expect("a connection");
        let (region, address) = listener.accept().expect("the client");
        region.set_nonblocking(true).expect("as regions have them");
        (region, client, Arrived::new("CSKL".into(), address, &Arc::default()))
    }

    fn unanswered(arrived: &Arrived, region: &TcpStream) -> u64 {
        arrived.ends(region.as_fd());
        arrived.unanswered.count()
    }

    #[test]
    fn a_client_that_has_asked_and_waits_is_not_hung_up_on_silently() {
        let (region, client, arrived) = connection();
        assert_eq!(unanswered(&arrived, &region), 0, "it has asked nothing");
        arrived.is_heard();
        assert_eq!(unanswered(&arrived, &region), 1);
        arrived.is_answered();
        assert_eq!(unanswered(&arrived, &region), 1);
        drop(client);
    }

    #[test]
    fn a_request_that_was_not_read_counts_and_a_client_that_has_left_does_not() {
        let (region, mut client, arrived) = connection();
        client.write_all(b"X").expect("sent");
        assert_eq!(unanswered(&arrived, &region), 1);
        let (region, client, arrived) = connection();
        arrived.is_heard();
        drop(client);
        // On one machine the end is there when the call returns.
        assert_eq!(unanswered(&arrived, &region), 0);
    }

    #[test]
    fn an_answer_is_not_followed_by_a_reset_whatever_the_client_has_sent_behind_its_request() {
        for (takes, end) in [(true, Ok(0)), (false, Err(ErrorKind::ConnectionReset))] {
            let (mut region, mut client, arrived) = connection();
            client.write_all(b"REQUEST, AND MORE").expect("sent");
            region.read_exact(&mut [0; 7]).expect("the request");
            region.write_all(b"ANSWER").expect("sent");
            arrived.is_answered();
            if takes {
                arrived.ends(region.as_fd());
            }
            drop(region);
            client.read_exact(&mut [0; 6]).expect("the answer");
            assert_eq!(client.read(&mut [0; 1]).map_err(|error| error.kind()), end);
        }
    }

    #[test]
    fn the_log_hears_of_the_first_and_then_now_and_again() {
        let (unanswered, begun) = (Unanswered::default(), Instant::now());
        let another = |at| {
            unanswered.count.one();
            unanswered.may_tell(at)
        };
        assert_eq!(another(begun), Some(0));
        assert_eq!((another(begun), another(begun)), (None, None));
        assert_eq!(another(begun + UNANSWERED_TOLD_EVERY), Some(2));
        assert_eq!(another(begun + 2 * UNANSWERED_TOLD_EVERY), Some(0));
    }
}
