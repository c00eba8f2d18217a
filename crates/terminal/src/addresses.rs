//! Who comes from where: no address takes all the door's places, and none that is slow keeps others from beginning.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::rc::Rc;

use tokio::sync::{Semaphore, SemaphorePermit};

use crate::limits::HANDSHAKES_PER_ADDRESS_MAX;

/// The addresses that have connections.
#[derive(Default)]
pub(crate) struct Addresses(RefCell<HashMap<IpAddr, Rc<Address>>>);

/// An address.
struct Address {
    connections: Cell<usize>,
    /// Those that may shake hands at a time; others wait for their turn.
    handshakes: Semaphore,
}

/// A connection of an address, until it is dropped.
pub(crate) struct Connected<'a> {
    addresses: &'a Addresses,
    network: IpAddr,
    address: Rc<Address>,
}

impl Addresses {
    /// Another connection from an address; `None` if it has `most`.
    pub fn connect(&self, from: IpAddr, most: usize) -> Option<Connected<'_>> {
        let network = network(from);
        let mut table = self.0.borrow_mut();
        let address = table.entry(network).or_insert_with(|| {
            let handshakes = Semaphore::new(HANDSHAKES_PER_ADDRESS_MAX);
            Rc::new(Address { connections: Cell::new(0), handshakes })
        });
        if address.connections.get() >= most {
            return None;
        }
        address.connections.set(address.connections.get() + 1);
        Some(Connected { addresses: self, network, address: Rc::clone(address) })
    }
}

impl Connected<'_> {
    /// Waits for its turn among those of its address that shake hands; `None`: never, since it is never closed.
    pub async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        self.address.handshakes.acquire().await.ok()
    }
}

impl Drop for Connected<'_> {
    fn drop(&mut self) {
        let left = self.address.connections.get() - 1;
        self.address.connections.set(left);
        if left == 0 {
            self.addresses.0.borrow_mut().remove(&self.network);
        }
    }
}

/// What counts as one address: of IPv6 the network, since who has one address there has 2^64.
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
    use super::*;

    #[test]
    fn an_address_has_so_many_connections_and_is_forgotten_without() {
        let addresses = Addresses::default();
        let of = |text: &str| text.parse().expect("an address");
        let (first, _second) = (addresses.connect(of("10.0.0.1"), 2), addresses.connect(of("10.0.0.1"), 2));
        assert!(addresses.connect(of("::ffff:10.0.0.1"), 2).is_none(), "it is the same");
        let other = addresses.connect(of("2001:db8::1"), 1);
        assert!(other.is_some() && addresses.connect(of("2001:db8::2"), 1).is_none(), "one network");
        drop((first, other));
        assert!(addresses.connect(of("10.0.0.1"), 2).is_some());
        assert_eq!(addresses.0.borrow().len(), 1);
    }
}
