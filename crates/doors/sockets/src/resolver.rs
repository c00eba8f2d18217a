//! The resolver's answers to a task, kept until the task asks for them piece by piece: HOSTENT and ADDRINFO.
//!
//! HOSTENT is a fullword in programs, too small for an address of this machine: it is a number that only EZACIC08
//! understands. ADDRINFO is storage that programs may look at: five fullwords (flags, family, type, protocol, length of
//! NAME), then pointers to the canonical name, to NAME and to the next. It is in the window of the task.

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr};

use kernel::services::ServiceCall;

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

/// The offset of the pointers in an ADDRINFO.
pub const POINTERS_AT: usize = 5 * 4;

/// Bytes of a pointer.
const POINTER: usize = size_of::<u32>();
/// Bytes of an ADDRINFO.
pub const ADDRINFO_LENGTH: usize = POINTERS_AT + 3 * POINTER;

/// A part of a task's window: its place and its length.
pub type Part = (u32, usize);

/// The answers that a task holds; the oldest goes when there are too many.
#[derive(Default)]
pub struct Resolved {
    hosts: VecDeque<(usize, Host)>,
    last: usize,
    lists: Lists,
}

/// The lists of a task, each known by the address of its first entry, and the parts of the window that they are made of.
#[derive(Default)]
struct Lists(VecDeque<(usize, Vec<Part>)>);

impl Lists {
    /// Keeps a list: the parts of the oldest, if there are too many.
    fn keep(&mut self, first: usize, parts: Vec<Part>) -> Vec<Part> {
        let oldest = if self.0.len() == RESOLVED_MAX { self.0.pop_front() } else { None };
        self.0.push_back((first, parts));
        oldest.map_or_else(Vec::new, |(_, parts)| parts)
    }

    /// Forgets a list: its parts.
    fn free(&mut self, first: usize) -> Option<Vec<Part>> {
        let place = self.0.iter().position(|(known, _)| *known == first)?;
        self.0.remove(place).map(|(_, parts)| parts)
    }
}

impl Resolved {
    /// Keeps a host; returns its number.
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

    /// Keeps a list as ADDRINFO; returns the address of its first entry, 0 if it has no entry. `None` if the window has
    /// no room.
    pub fn keep_list(&mut self, found: &[Found], call: &ServiceCall<'_>) -> Option<usize> {
        let mut parts = Vec::new();
        let first = chain(found, |bytes| {
            let at = call.hold(bytes)?;
            parts.push((at, bytes.len()));
            Some(at)
        });
        let first = first.map(|first| first as usize);
        let gone = match first {
            Some(first) if first != 0 => self.lists.keep(first, parts),
            _ => parts,
        };
        give_back(call, &gone);
        first
    }

    /// FREEADDRINFO. False if there is no such list.
    pub fn free_list(&mut self, first: usize, call: &ServiceCall<'_>) -> bool {
        let parts = self.lists.free(first);
        give_back(call, parts.as_deref().unwrap_or_default());
        parts.is_some()
    }
}

fn give_back(call: &ServiceCall<'_>, parts: &[Part]) {
    for (at, length) in parts {
        call.give_back(*at, *length);
    }
}

/// Makes a chain of ADDRINFOs from its end on, of pieces that `place` gives addresses; returns the address of the
/// first, 0 if there is none.
fn chain(found: &[Found], mut place: impl FnMut(&[u8]) -> Option<u32>) -> Option<u32> {
    let mut next = 0;
    for one in found.iter().rev() {
        let name = encode(&one.address);
        let at = place(name.as_bytes())?;
        let canonical = match &one.canonical {
            Some(text) => place(&[text.as_bytes(), b"\0"].concat())?,
            None => 0,
        };
        let family = i32::from(Family::of_address(&one.address).number());
        let words = [0, family, one.kind, one.protocol, name.as_bytes().len() as i32];
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        bytes.extend([canonical, at, next].into_iter().flat_map(u32::to_be_bytes));
        next = place(&bytes)?;
    }
    Some(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_chained_from_its_first_entry() {
        let one = |port| Found {
            address: SocketAddr::from(([127, 0, 0, 1], port)),
            kind: 1,
            protocol: 6,
            canonical: (port == 1).then(|| String::from("HOST")),
        };
        let mut pieces: Vec<Vec<u8>> = Vec::new();
        let first = chain(&[one(1), one(2)], |bytes| {
            pieces.push(bytes.to_vec());
            Some(100 * pieces.len() as u32)
        });
        let entry = pieces.last().expect("the first entry");
        assert_eq!((first, entry.len()), (Some(100 * pieces.len() as u32), ADDRINFO_LENGTH));
        assert_eq!(entry[4..8], [0, 0, 0, 2]);
        assert_eq!(entry[POINTERS_AT + 2 * POINTER..], 200_u32.to_be_bytes(), "the second entry");
        assert_eq!(chain(&[], |_| None), Some(0));
        assert_eq!(chain(&[one(1)], |_| None), None);
    }

    #[test]
    fn a_list_is_freed_by_its_first_entry() {
        let mut lists = Lists::default();
        assert!(lists.keep(100, vec![(100, 32)]).is_empty());
        assert_eq!((lists.free(100), lists.free(100)), (Some(vec![(100, 32)]), None));
        for first in 1..=RESOLVED_MAX {
            assert!(lists.keep(first, vec![(first as u32, 32)]).is_empty());
        }
        assert_eq!(lists.keep(0, Vec::new()), [(1, 32)]);
    }

    #[test]
    fn a_host_is_kept_under_a_number() {
        let mut resolved = Resolved::default();
        let number = resolved.keep_host(Host { name: "A".to_owned(), ..Host::default() });
        assert_eq!(resolved.host(number).map(|host| host.name.as_str()), Some("A"));
        assert_eq!(resolved.host(number + 1), None);
    }
}
