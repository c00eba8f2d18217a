//! The clients of a conversation: their number, their addresses, and the time that each has been silent.
//!
//! Each connection is a task, so without a limit the connections would fill the region. A client that is silent for
//! longer than `idle` is let go: reading from its socket ends, and with that its task.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use ports::{Clients, TooMany};
use rustix::net::Shutdown;

use crate::socket::Socket;

/// The limits on a conversation's clients: their number, and their silence.
#[derive(Clone, Copy, Debug)]
pub struct ClientLimits {
    /// Clients at a time, on both ports together.
    pub connections: usize,
    /// Clients at a time from one address.
    pub per_address: usize,
    /// Silence after which a client is let go; zero: never.
    pub idle: Duration,
}

/// A client.
pub struct Guest {
    /// Its address.
    pub address: IpAddr,
    /// Its connection.
    pub socket: Arc<Socket>,
    /// Odd while the region waits for the client; another number after each wait.
    turn: AtomicU32,
}

impl Guest {
    /// The region begins to wait for the client, or has heard of it.
    pub fn turns(&self) {
        self.turn.fetch_add(1, Ordering::Relaxed);
    }

    /// The client is of use, though it says nothing.
    pub fn is_used(&self) {
        self.turn.fetch_add(2, Ordering::Relaxed);
    }

    /// It has what it has asked for.
    pub fn is_answered(&self) {
        if let Some(client) = self.socket.arrived() {
            client.is_answered();
        }
    }

    /// Nothing more is received from it: a wait for it ends as if it had hung up.
    pub fn let_go(&self) {
        // Whose client has gone already ends anyway.
        let _ = rustix::net::shutdown(self.socket.fd(), Shutdown::Read);
    }
}

/// A client's stay, until it is dropped.
pub struct Stay {
    _presence: ports::Presence,
    guests: Arc<Guests>,
    number: u64,
    /// The client.
    pub guest: Arc<Guest>,
}

impl Drop for Stay {
    fn drop(&mut self) {
        self.guests.present.lock().remove(&self.number);
    }
}

/// The clients of a conversation.
pub struct Guests {
    clients: Arc<Clients>,
    idle: Duration,
    present: Mutex<HashMap<u64, Present>>,
    last_number: AtomicU64,
}

/// A client, and its state at the last look.
struct Present {
    guest: Arc<Guest>,
    turn: u32,
    since: Instant,
}

impl Guests {
    pub fn new(limits: ClientLimits) -> Arc<Self> {
        let clients = Clients::new(ports::Limits::new(limits.connections, limits.per_address));
        let last_number = AtomicU64::new(0);
        Arc::new(Self { clients, idle: limits.idle, present: Mutex::default(), last_number })
    }

    /// Lets a client in.
    ///
    /// # Errors
    /// See [`TooMany`].
    pub fn enter(self: &Arc<Self>, socket: Arc<Socket>, address: IpAddr) -> Result<Stay, TooMany> {
        let presence = self.clients.admit(address)?;
        let number = self.last_number.fetch_add(1, Ordering::Relaxed);
        let guest = Arc::new(Guest { address: address.to_canonical(), socket, turn: AtomicU32::new(0) });
        let present = Present { guest: Arc::clone(&guest), turn: 0, since: Instant::now() };
        self.present.lock().insert(number, present);
        Ok(Stay { _presence: presence, guests: Arc::clone(self), number, guest })
    }

    /// Lets all clients go without waiting: the region ends.
    pub fn let_all_go(&self) {
        self.present.lock().values().for_each(|present| present.guest.let_go());
    }

    /// The interval at which to look for silent clients; `None` if silence has no limit.
    pub fn look_every(&self) -> Option<Duration> {
        let idle = self.idle;
        (!idle.is_zero()).then(|| (idle / 4).clamp(LOOK_MIN, LOOK_MAX))
    }

    /// Lets silent clients go; returns their addresses.
    pub fn look(&self, now: Instant) -> Vec<IpAddr> {
        let mut silent = Vec::new();
        for present in self.present.lock().values_mut() {
            let turn = present.guest.turn.load(Ordering::Relaxed);
            if turn.is_multiple_of(2) || turn != present.turn {
                (present.turn, present.since) = (turn, now);
            } else if now - present.since >= self.idle {
                present.guest.let_go();
                silent.push(present.guest.address);
            }
        }
        silent
    }
}

const LOOK_MIN: Duration = Duration::from_millis(50);
const LOOK_MAX: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

    use super::*;

    const IDLE: Duration = Duration::from_secs(10);

    fn guests() -> Arc<Guests> {
        Guests::new(ClientLimits { connections: 3, per_address: 2, idle: IDLE })
    }

    fn enter(guests: &Arc<Guests>, last: u8) -> Result<Stay, TooMany> {
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::empty(), None).expect("a pair");
        drop(theirs);
        guests.enter(Socket::new(ours), IpAddr::V4(Ipv4Addr::new(10, 0, 0, last)))
    }

    #[test]
    fn places_are_limited_together_and_by_address() {
        let guests = guests();
        let (first, _second) = (enter(&guests, 1).expect("a place"), enter(&guests, 1).expect("a place"));
        assert_eq!(enter(&guests, 1).err(), Some(TooMany::OfAddress(2)));
        let _other = enter(&guests, 2).expect("a place");
        assert_eq!(enter(&guests, 3).err(), Some(TooMany::Connections(3)));
        drop(first);
        assert!(enter(&guests, 1).is_ok());
    }

    #[test]
    fn who_is_silent_for_too_long_is_let_go() {
        let guests = guests();
        let begin = Instant::now();
        let (silent, served) = (enter(&guests, 1).expect("a place"), enter(&guests, 2).expect("a place"));
        silent.guest.turns();
        assert!(guests.look(begin).is_empty());
        assert!(guests.look(begin + IDLE / 2).is_empty());
        // It is used meanwhile, so its silence starts again.
        silent.guest.is_used();
        assert!(guests.look(begin + IDLE).is_empty());
        assert_eq!(guests.look(begin + 2 * IDLE), [silent.guest.address]);
        // A client that waits for the region is not silent.
        drop(silent);
        served.guest.turns();
        served.guest.turns();
        assert!(guests.look(begin + 3 * IDLE).is_empty() && guests.look(begin + 9 * IDLE).is_empty());
    }
}
