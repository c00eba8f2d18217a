//! Sockets on their way from one task to another: GIVESOCKET and TAKESOCKET.
//!
//! A gift is kept under its giver's task identifier and socket number until it is taken, or its giver closes the socket
//! or ends. Nothing is copied: giver and taker hold the same socket until the giver closes.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use foldhash::HashMap;
use kernel::name::Name8;
use parking_lot::Mutex;
use tokio::sync::{Notify, OwnedSemaphorePermit};

use crate::address::Family;
use crate::counters::Present;
use crate::errno::Errno;
use crate::socket::Socket;

/// CLIENTID of a program: the region, and the task in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientId {
    /// The family of the sockets that it speaks of.
    pub family: Family,
    /// The region's APPLID, as the name of an address space; blank: any.
    pub name: Name8,
    /// The task; blank: any.
    pub task: Name8,
}

/// Bytes of a CLIENTID: domain, name, task, and 20 reserved.
pub const CLIENT_ID_LENGTH: usize = 40;

impl ClientId {
    /// From the bytes of a CLIENTID.
    ///
    /// # Errors
    /// EINVAL for a domain that is not a family.
    pub fn decode(bytes: &[u8; CLIENT_ID_LENGTH]) -> Result<Self, Errno> {
        let domain = i64::from(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        let family = Family::of(domain).map_err(|_| Errno::INVAL)?;
        Ok(Self { family, name: Name8::new(&bytes[4..12]), task: Name8::new(&bytes[12..20]) })
    }

    /// As the bytes of a CLIENTID.
    pub fn encode(&self) -> [u8; CLIENT_ID_LENGTH] {
        let mut bytes = [0; CLIENT_ID_LENGTH];
        bytes[..4].copy_from_slice(&u32::from(self.family.number()).to_be_bytes());
        bytes[4..12].copy_from_slice(self.name.as_bytes());
        bytes[12..20].copy_from_slice(self.task.as_bytes());
        bytes
    }

    /// Returns true if a socket meant for `self` may go to this client.
    fn admits(&self, other: &Self) -> bool {
        (self.name.is_blank() || self.name == other.name) && (self.task.is_blank() || self.task == other.task)
    }
}

/// The identifier of a task as the TASK of its CLIENTID.
pub fn task_id(number: u32) -> Name8 {
    let mut id = *b"0000000C";
    let mut rest = number;
    for digit in id[..7].iter_mut().rev() {
        *digit += (rest % 10) as u8;
        rest /= 10;
    }
    Name8::new(id)
}

/// A socket that is given, until a task takes it.
pub struct Gift {
    /// Its family.
    pub family: Family,
    to: ClientId,
    held: Mutex<Option<Held>>,
    told: Notify,
}

/// The socket, and the place that it takes among its giver's.
struct Held {
    socket: Arc<Socket>,
    _place: Option<ListenerPlace>,
}

/// A place among the sockets of a listener, and a client that is counted there, until it is dropped.
pub struct ListenerPlace {
    _permit: OwnedSemaphorePermit,
    _client: Present,
}

impl ListenerPlace {
    /// A client's place.
    pub fn new(permit: OwnedSemaphorePermit, client: Present) -> Self {
        Self { _permit: permit, _client: client }
    }
}

impl Gift {
    /// A socket for a task.
    pub fn new(socket: Arc<Socket>, family: Family, to: ClientId, place: Option<ListenerPlace>) -> Arc<Self> {
        let held = Mutex::new(Some(Held { socket, _place: place }));
        Arc::new(Self { family, to, held, told: Notify::new() })
    }

    /// Returns true if a task has taken or reclaimed it.
    pub fn is_taken(&self) -> bool {
        self.held.lock().is_none()
    }

    /// Takes the socket back, so that it is no longer given; `None` if a task has taken it.
    pub fn reclaim(&self) -> Option<Arc<Socket>> {
        let held = self.held.lock().take()?;
        self.told.notify_waiters();
        Some(held.socket)
    }

    /// Waits until a task has taken it.
    pub async fn taken(&self) {
        let told = self.told.notified();
        tokio::pin!(told);
        // From here on no taking is missed.
        told.as_mut().enable();
        if !self.is_taken() {
            told.await;
        }
    }
}

/// A giver's task identifier and its number of the socket.
type Key = (Name8, u16);

/// A socket that was taken, and its family.
type Taken = (Arc<Socket>, Family);

/// The sockets of a region that are given and not yet taken.
#[derive(Default)]
pub struct Handover(Mutex<HashMap<Key, Arc<Gift>>>);

impl Handover {
    /// GIVESOCKET. A gift under the same key is replaced.
    pub fn give(&self, giver: Name8, number: u16, gift: &Arc<Gift>) {
        self.0.lock().insert((giver, number), Arc::clone(gift));
    }

    /// Gives under the first number from `number` on that is free.
    pub fn give_from(&self, giver: Name8, mut number: u16, gift: &Arc<Gift>) -> u16 {
        let mut gifts = self.0.lock();
        loop {
            if let Entry::Vacant(place) = gifts.entry((giver, number)) {
                place.insert(Arc::clone(gift));
                return number;
            }
            number = number.wrapping_add(1);
        }
    }

    /// Takes back a gift that no task has taken.
    pub fn withdraw(&self, giver: Name8, number: u16, gift: &Arc<Gift>) {
        let mut gifts = self.0.lock();
        if gifts.get(&(giver, number)).is_some_and(|present| Arc::ptr_eq(present, gift)) {
            gifts.remove(&(giver, number));
        }
    }

    /// TAKESOCKET: the socket that a task has given under a number.
    ///
    /// # Errors
    /// EBADF if there is no such gift, EACCES if it is for another client, EINVAL if it is of another family.
    pub fn take(&self, giver: &ClientId, number: u16, taker: &ClientId) -> Result<Taken, Errno> {
        let mut gifts = self.0.lock();
        let Entry::Occupied(place) = gifts.entry((giver.task, number)) else { return Err(Errno::BADF) };
        if !place.get().to.admits(taker) {
            return Err(Errno::ACCES);
        }
        if place.get().family != giver.family {
            return Err(Errno::INVAL);
        }
        let gift = place.remove();
        drop(gifts);
        let socket = gift.reclaim().ok_or(Errno::BADF)?;
        Ok((socket, gift.family))
    }
}

#[cfg(test)]
mod tests {
    use rustix::net::{AddressFamily, SocketType};

    use super::*;

    fn client(name: &str, task: &str) -> ClientId {
        ClientId { family: Family::Inet, name: Name8::from(name), task: Name8::from(task) }
    }

    #[test]
    fn a_gift_goes_once_to_whom_it_is_meant_for() {
        let fd = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
        let gift = Gift::new(Socket::new(fd), Family::Inet, client("", "CHILD"), None);
        let handover = Handover::default();
        let (giver, child) = (client("REGION", "GIVER"), client("REGION", "CHILD"));
        handover.give(giver.task, 3, &gift);
        let refused = |taken: Result<Taken, Errno>| taken.err();
        assert_eq!(refused(handover.take(&giver, 4, &child)), Some(Errno::BADF));
        assert_eq!(refused(handover.take(&giver, 3, &giver)), Some(Errno::ACCES));
        let other = ClientId { family: Family::Inet6, ..giver };
        assert_eq!(refused(handover.take(&other, 3, &child)), Some(Errno::INVAL));
        assert!(!gift.is_taken());
        assert!(handover.take(&giver, 3, &child).is_ok() && gift.is_taken());
        assert_eq!(refused(handover.take(&giver, 3, &child)), Some(Errno::BADF));
    }

    #[test]
    fn a_task_is_known_by_seven_digits() {
        for (number, id) in
            [(0, "0000000C"), (42, "0000042C"), (9_999_999, "9999999C"), (u32::MAX, "4967295C")]
        {
            assert_eq!(task_id(number), Name8::from(id));
        }
    }

    #[test]
    fn a_client_id_goes_both_ways() {
        let id = client("REGION", "0000042C");
        assert_eq!(ClientId::decode(&id.encode()), Ok(id));
        assert_eq!(&id.encode()[..6], b"\0\0\0\x02RE");
    }
}
