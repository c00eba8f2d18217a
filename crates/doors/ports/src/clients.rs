//! The limits on a door's clients: no address takes all its places, and no slow client keeps others from beginning.
//!
//! ```text
//! accepted ──arrive──► Arrival, counted for its address ──(shakes hands)──► enter ──► Presence, counted among all
//! ```

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Notify, Semaphore};

use crate::descriptors::Descriptor;
use crate::limits::{HANDSHAKES_MAX, HANDSHAKES_PER_ADDRESS_MAX};

/// The limits on a door's clients: their number, and their time before they have a place.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Clients at a time.
    pub connections: usize,
    /// Of them, from one address.
    pub per_address: usize,
    /// The time for a client to begin its TLS handshake, and to have its turn.
    pub greeting: Duration,
    /// The time for the handshake itself.
    pub handshake: Duration,
}

impl Limits {
    /// The time for a client to begin its TLS handshake, and to have its turn.
    pub const GREETING: Duration = Duration::from_secs(30);
    /// The time for the handshake itself.
    pub const HANDSHAKE: Duration = Duration::from_secs(10);

    /// The limits for this number of clients, with the usual times for a handshake.
    pub const fn new(connections: usize, per_address: usize) -> Self {
        Self { connections, per_address, greeting: Self::GREETING, handshake: Self::HANDSHAKE }
    }
}

/// The reason why a client is not let in; each message has the name of the setting that limits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooMany {
    /// All together.
    #[error("all {0} connections are in use (connections)")]
    Connections(usize),
    /// All that the descriptors of the process allow.
    #[error("the process has no more descriptors for clients (ulimit -n)")]
    Descriptors,
    /// From its address.
    #[error("its address has all {0} connections that one address may have (connections-per-address)")]
    OfAddress(usize),
}

/// The clients of a door. Several ports may share it, on any threads.
pub struct Clients {
    limits: Limits,
    present: AtomicUsize,
    /// Notified when no client is left.
    emptied: Notify,
    addresses: Mutex<HashMap<IpAddr, Arc<Address>>>,
    handshakes: Semaphore,
}

/// An address that has clients.
struct Address {
    /// Changed with the table locked.
    arrivals: AtomicUsize,
    handshakes: Semaphore,
}

impl Clients {
    /// None yet.
    pub fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self {
            limits,
            present: AtomicUsize::new(0),
            emptied: Notify::new(),
            addresses: Mutex::default(),
            handshakes: Semaphore::new(HANDSHAKES_MAX),
        })
    }

    /// A client has come from an address. It counts for that address until it is dropped.
    ///
    /// # Errors
    /// [`TooMany::OfAddress`].
    pub fn arrive(self: &Arc<Self>, from: IpAddr) -> Result<Arrival, TooMany> {
        let descriptor = Descriptor::take(self.present()).ok_or(TooMany::Descriptors)?;
        let network = network(from);
        let mut addresses = self.addresses.lock();
        let known = addresses.get(&network).cloned();
        let address = known.unwrap_or_else(|| {
            let handshakes = Semaphore::new(HANDSHAKES_PER_ADDRESS_MAX);
            Arc::new(Address { arrivals: AtomicUsize::new(0), handshakes })
        });
        if address.arrivals.load(Ordering::Relaxed) >= self.limits.per_address {
            return Err(TooMany::OfAddress(self.limits.per_address));
        }
        address.arrivals.fetch_add(1, Ordering::Relaxed);
        addresses.insert(network, Arc::clone(&address));
        Ok(Arrival { clients: Arc::clone(self), network, address, _descriptor: descriptor })
    }

    /// Lets a client in that has come from an address, at once.
    ///
    /// # Errors
    /// [`TooMany`]; if all places are taken, its address does not matter.
    pub fn admit(self: &Arc<Self>, from: IpAddr) -> Result<Presence, TooMany> {
        if self.present() >= self.limits.connections {
            return Err(TooMany::Connections(self.limits.connections));
        }
        self.arrive(from)?.enter()
    }

    /// Lets a client in that has no address.
    ///
    /// # Errors
    /// [`TooMany::Connections`], [`TooMany::Descriptors`].
    pub fn enter(self: &Arc<Self>) -> Result<Presence, TooMany> {
        let descriptor = Descriptor::take(self.present()).ok_or(TooMany::Descriptors)?;
        let mut place = self.place()?;
        place._descriptor = Some(descriptor);
        Ok(place)
    }

    fn place(self: &Arc<Self>) -> Result<Presence, TooMany> {
        let most = self.limits.connections;
        let more = |present| (present < most).then_some(present + 1);
        let entered = self.present.fetch_update(Ordering::AcqRel, Ordering::Acquire, more);
        entered.map_err(|_| TooMany::Connections(most))?;
        Ok(Presence { clients: Arc::clone(self), _arrival: None, _descriptor: None })
    }

    /// The number of clients that have a place.
    pub fn present(&self) -> usize {
        self.present.load(Ordering::Acquire)
    }

    /// Waits until no client has a place.
    pub async fn gone(&self) {
        loop {
            let emptied = self.emptied.notified();
            tokio::pin!(emptied);
            // From here on it is not missed.
            emptied.as_mut().enable();
            if self.present() == 0 {
                return;
            }
            emptied.await;
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn handshakes(&self) -> &Semaphore {
        &self.handshakes
    }
}

/// A client that has come, and has no place yet.
pub struct Arrival {
    pub(crate) clients: Arc<Clients>,
    network: IpAddr,
    address: Arc<Address>,
    _descriptor: Descriptor,
}

impl Arrival {
    /// Lets it in.
    ///
    /// # Errors
    /// [`TooMany::Connections`]: then it is not an arrival any more, either.
    pub fn enter(self) -> Result<Presence, TooMany> {
        let mut place = self.clients.place()?;
        place._arrival = Some(self);
        Ok(place)
    }

    /// Those of its address that shake hands.
    pub(crate) fn neighbours(&self) -> &Semaphore {
        &self.address.handshakes
    }
}

impl Drop for Arrival {
    fn drop(&mut self) {
        let mut addresses = self.clients.addresses.lock();
        if self.address.arrivals.fetch_sub(1, Ordering::Relaxed) == 1 {
            addresses.remove(&self.network);
        }
    }
}

/// A client that was let in, until it is dropped.
pub struct Presence {
    clients: Arc<Clients>,
    _arrival: Option<Arrival>,
    _descriptor: Option<Descriptor>,
}

impl Drop for Presence {
    fn drop(&mut self) {
        if self.clients.present.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.clients.emptied.notify_waiters();
        }
    }
}

/// The part of an address that counts as one address: of IPv6 the network, since the owner of one address there has
/// 2^64.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    fn clients(connections: usize, per_address: usize) -> Arc<Clients> {
        Clients::new(Limits::new(connections, per_address))
    }

    #[test]
    fn an_address_has_so_many_connections_and_is_forgotten_without() {
        let clients = clients(10, 2);
        let of = |text: &str| clients.arrive(text.parse().expect("an address"));
        let (first, _second) = (of("10.0.0.1"), of("10.0.0.1"));
        assert_eq!(of("::ffff:10.0.0.1").err(), Some(TooMany::OfAddress(2)), "it is the same");
        let network = [of("2001:db8::1"), of("2001:db8::2")];
        assert!(network.iter().all(Result::is_ok));
        assert!(of("2001:db8::3").is_err(), "one network");
        drop((first, network));
        assert!(of("10.0.0.1").is_ok());
        assert_eq!(clients.addresses.lock().len(), 1);
    }

    #[test]
    fn a_door_has_so_many_places_and_whoever_waits_hears_when_all_are_free() {
        let clients = clients(2, 2);
        let come = |last| clients.admit(IpAddr::from([10, 0, 0, last]));
        let (first, second) = (come(1).expect("a place"), clients.enter().expect("another"));
        assert_eq!(come(2).err(), Some(TooMany::Connections(2)));
        assert_eq!(clients.addresses.lock().len(), 1, "who has no place does not count for its address");
        let mut gone = pin!(clients.gone());
        let mut is_over = || gone.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready();
        assert!(!is_over());
        drop(first);
        assert!(!is_over());
        drop(second);
        assert!(is_over());
    }
}
