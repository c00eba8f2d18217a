//! Channels and containers.
//!
//! A channel is in the scope of the link level that made it; LINK, XCTL, RETURN and START pass the channel itself, so
//! that a LINKed program's changes are seen by its caller.
//!
//! A container counts in the region's storage, and for the task that has put it, for as long as it lives ([`Bytes`]).
//!
//! Invariant: a container is found by its name in time that does not depend on how many there are; a browse sees them
//! in the order in which they were put.

mod bytes;
mod encoding;
mod kept;

use std::sync::Arc;

use foldhash::HashMap;
use parking_lot::Mutex;

pub use bytes::Bytes;
pub(crate) use bytes::{Account, NoRoom, Room};
pub use encoding::Encoding;

use crate::name::Name16;

/// Types of a container's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataType {
    /// Bytes.
    Bit,
    /// Characters.
    Char(Encoding),
}

/// A container.
#[derive(Clone, Debug)]
pub struct Container {
    /// Its bytes.
    pub data: Arc<Bytes>,
    /// Type of the bytes.
    pub data_type: DataType,
    /// When it was first put, among those of its channel.
    sequence: u64,
}

/// A channel.
pub struct Channel {
    /// Its name.
    pub name: Name16,
    containers: Mutex<Containers>,
}

#[derive(Default)]
struct Containers {
    by_name: HashMap<Name16, Container>,
    next_sequence: u64,
}

impl Channel {
    /// A channel without containers.
    pub fn new(name: Name16) -> Arc<Self> {
        Arc::new(Self { name, containers: Mutex::default() })
    }

    /// The container of a name.
    pub fn get(&self, name: Name16) -> Option<Container> {
        self.containers.lock().by_name.get(&name).cloned()
    }

    /// Puts a container; one of the same name gets the new bytes and keeps its place.
    pub fn put(&self, name: Name16, data: Arc<Bytes>, data_type: DataType) {
        let mut containers = self.containers.lock();
        if let Some(container) = containers.by_name.get_mut(&name) {
            (container.data, container.data_type) = (data, data_type);
            return;
        }
        let sequence = containers.next_sequence;
        containers.next_sequence += 1;
        containers.by_name.insert(name, Container { data, data_type, sequence });
    }

    /// The type of a container's bytes, and their number.
    pub fn described(&self, name: Name16) -> Option<(DataType, usize)> {
        let containers = self.containers.lock();
        containers.by_name.get(&name).map(|container| (container.data_type, container.data.len()))
    }

    /// Adds bytes to a container where it is, if only this channel has them.
    ///
    /// # Errors
    /// The room, if it has to be put as a whole.
    pub(crate) fn append(&self, name: Name16, more: &[u8], room: Room) -> Result<(), Room> {
        let mut containers = self.containers.lock();
        let container = containers.by_name.get_mut(&name);
        match container.and_then(|container| Arc::get_mut(&mut container.data)) {
            Some(bytes) => bytes.extend(more, room),
            None => Err(room),
        }
    }

    /// Takes a container out.
    pub fn remove(&self, name: Name16) -> Option<Container> {
        self.containers.lock().by_name.remove(&name)
    }

    /// The names, in the order in which the containers were put.
    pub fn names(&self) -> Vec<Name16> {
        let containers = self.containers.lock();
        let mut names: Vec<_> = containers.by_name.iter().map(|(n, c)| (c.sequence, *n)).collect();
        names.sort_unstable();
        names.into_iter().map(|(_, name)| name).collect()
    }

    /// Number of containers.
    pub fn count(&self) -> usize {
        self.containers.lock().by_name.len()
    }

    /// Bytes of all containers together.
    pub fn bytes(&self) -> usize {
        self.containers.lock().by_name.values().map(|container| container.data.len()).sum()
    }

    /// A copy that shares the bytes: what START and RETURN pass on.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Self> {
        self.snapshot_as(self.name)
    }

    /// The same under another name: what FETCH CHILD gives.
    #[must_use]
    pub fn snapshot_as(&self, name: Name16) -> Arc<Self> {
        let containers = self.containers.lock();
        let copy =
            Containers { by_name: containers.by_name.clone(), next_sequence: containers.next_sequence };
        Arc::new(Self { name, containers: Mutex::new(copy) })
    }
}

/// Letters, digits and `$ @ # / % & ? ! : | " = ¬ , ; < > . - _`; no leading blank.
pub fn is_channel_name(name: Name16) -> bool {
    let text = name.trimmed();
    !text.is_empty() && text.iter().all(|b| b.is_ascii_graphic() || *b >= 0xa0)
}
