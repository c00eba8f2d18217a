//! What the resolver has answered to a task, until it asks for it piece by piece: HOSTENT and ADDRINFO.
//!
//! HOSTENT is a fullword in programs, too small for an address of this machine: it is a number that only EZACIC08
//! understands. ADDRINFO is storage that programs may look at: five fullwords (flags, family, type, protocol, length of
//! NAME), then pointers to the canonical name, to NAME and to the next.

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};

use cobol::Area;

use crate::address::{Family, encode};
use crate::limits::RESOLVED_MAX;

/// A host: its name, its other names, its addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Host {
    /// The name by which it is known.
    pub name: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// Its addresses.
    pub addresses: Vec<IpAddr>,
}

/// One address that GETADDRINFO has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The address and port.
    pub address: SocketAddr,
    /// Published number of the socket's type.
    pub kind: i32,
    /// Number of its protocol.
    pub protocol: i32,
    /// The canonical name, if it was asked for.
    pub canonical: Option<String>,
}

const POINTER: usize = size_of::<usize>();
/// Where the pointers stand in an ADDRINFO.
const POINTERS: usize = 5 * 4;
/// Bytes of an ADDRINFO.
pub const ADDRINFO_LENGTH: usize = POINTERS + 3 * POINTER;

/// The answers that a task holds; the oldest goes when there are too many.
#[derive(Default)]
pub struct Resolved {
    hosts: VecDeque<(usize, Host)>,
    last: usize,
    lists: VecDeque<Vec<Area>>,
}

impl Resolved {
    /// Keeps a host: the number that stands for it.
    pub fn keep_host(&mut self, host: Host) -> usize {
        if self.hosts.len() == RESOLVED_MAX {
            self.hosts.pop_front();
        }
        self.last += 1;
        self.hosts.push_back((self.last, host));
        self.last
    }

    /// The host of a number.
    pub fn host(&self, number: usize) -> Option<&Host> {
        self.hosts.iter().find(|(known, _)| *known == number).map(|(_, host)| host)
    }

    /// Keeps a list as ADDRINFO: the address of its first entry, 0 if it has none.
    pub fn keep_list(&mut self, found: &[Found]) -> usize {
        if self.lists.len() == RESOLVED_MAX {
            self.lists.pop_front();
        }
        let mut areas = Vec::new();
        let mut next = 0;
        for one in found.iter().rev() {
            let name = encode(&one.address);
            let place = Area::with(name.as_bytes());
            let canonical = one.canonical.as_ref().map(|text| Area::with(&[text.as_bytes(), b"\0"].concat()));
            let family = i32::from(Family::of_address(&one.address).number());
            let words = [0, family, one.kind, one.protocol, name.as_bytes().len() as i32];
            let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
            let pointers = [canonical.as_ref().map_or(0, Area::address), place.address(), next];
            bytes.extend(pointers.iter().flat_map(|pointer| pointer.to_ne_bytes()));
            let entry = Area::with(&bytes);
            next = entry.address();
            areas.extend([Some(place), canonical, Some(entry)].into_iter().flatten());
        }
        self.lists.push_back(areas);
        next
    }

    /// FREEADDRINFO: whether there was such a list.
    pub fn free_list(&mut self, first: usize) -> bool {
        let before = self.lists.len();
        self.lists.retain(|areas| areas.last().is_none_or(|entry| entry.address() != first));
        self.lists.len() < before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_chained_and_freed_by_its_first_entry() {
        let one = |port| Found {
            address: SocketAddr::from(([127, 0, 0, 1], port)),
            kind: 1,
            protocol: 6,
            canonical: (port == 1).then(|| String::from("HOST")),
        };
        let mut resolved = Resolved::default();
        let first = resolved.keep_list(&[one(1), one(2)]);
        let entry = resolved.lists[0].last().expect("the first entry");
        assert_eq!((entry.address(), entry.len()), (first, ADDRINFO_LENGTH));
        assert_eq!(entry.to_vec()[4..8], [0, 0, 0, 2]);
        assert!(resolved.free_list(first) && !resolved.free_list(first));
        assert_eq!(resolved.keep_list(&[]), 0);
    }

    #[test]
    fn a_host_is_kept_under_a_number() {
        let mut resolved = Resolved::default();
        let number = resolved.keep_host(Host { name: "A".to_owned(), ..Host::default() });
        assert_eq!(resolved.host(number).map(|host| host.name.as_str()), Some("A"));
        assert_eq!(resolved.host(number + 1), None);
    }
}
