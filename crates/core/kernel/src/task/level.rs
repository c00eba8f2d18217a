//! One link level of a task: a program and what belongs to its activation.

use std::sync::Arc;

use areas::{Area, StorageFault};
use ebcdic::Characters;

use super::{Eib, Handles, Label};
use crate::channels::Channel;
use crate::name::Name8;
use crate::storage::{self, StorageAddress};

/// The communication area that a program is given.
pub enum Commarea {
    /// Storage of the task: after RETURN TRANSID, START, XCTL.
    Held {
        /// The storage; an area has at least one byte.
        area: Area,
        /// The COMMAREA's length.
        length: usize,
        /// The area of which it is a copy, and which gets the bytes back at the level's end: where the caller's own
        /// storage cannot be seen.
        copy_of: Option<StorageAddress>,
    },
    /// The LINKing program's own area.
    Lent {
        /// Its address.
        address: StorageAddress,
        /// Its length.
        length: usize,
    },
}

impl Commarea {
    /// A held area with these bytes.
    pub fn held(bytes: &[u8]) -> Self {
        Self::Held { area: Area::with(bytes), length: bytes.len(), copy_of: None }
    }

    /// An area of the caller, as long as it says.
    pub fn lent(area: &Area, length: usize) -> Self {
        Self::Lent { address: StorageAddress::of(area), length }
    }

    /// A copy of so many bytes of an area that the program could not see.
    ///
    /// # Errors
    /// There is no area at that address.
    pub(crate) fn copy_of(address: StorageAddress, length: usize) -> Result<Self, StorageFault> {
        Ok(Self::Held { area: storage::copy(address, length)?, length, copy_of: Some(address) })
    }

    /// Its bytes and where they go at the level's end, if it is a copy: others are zeros there, as they were.
    pub(crate) fn to_give_back(&self) -> Option<(StorageAddress, Vec<u8>)> {
        match self {
            Self::Held { area, length, copy_of: Some(address) } => {
                let mut bytes = area.written();
                bytes.truncate(*length);
                Some((*address, bytes))
            }
            _ => None,
        }
    }

    /// Its address.
    pub fn address(&self) -> StorageAddress {
        match self {
            Self::Held { area, .. } => StorageAddress::of(area),
            Self::Lent { address, .. } => *address,
        }
    }

    /// Bytes of storage that the level has for it.
    pub(crate) fn held_bytes(&self) -> usize {
        match self {
            Self::Held { area, .. } => area.len(),
            Self::Lent { .. } => 0,
        }
    }

    /// Its length.
    pub fn length(&self) -> usize {
        match self {
            Self::Held { length, .. } | Self::Lent { length, .. } => *length,
        }
    }
}

/// A link level.
pub struct Level {
    /// The program.
    pub program: Name8,
    /// The program that LINKed or XCTLed to it.
    pub invoked_by: Name8,
    /// Its EXEC interface block.
    pub eib: Eib,
    /// Its COMMAREA.
    pub commarea: Option<Commarea>,
    /// The channel it was given.
    pub channel: Option<Arc<Channel>>,
    /// The channels it has made itself, by PUT CONTAINER CHANNEL.
    pub own_channels: Vec<Arc<Channel>>,
    /// Requests of its HANDLE commands.
    pub handles: Handles,
    /// INPUTMSG of LINK, XCTL or RETURN: the next RECEIVE takes it, of this program or of one below.
    pub input_message: Option<Vec<u8>>,
    /// The HANDLE AID label for the key that the command in hand has received.
    pub input_label: Option<Label>,
    /// In what the program holds its text.
    pub characters: Characters,
}

impl Level {
    /// A level for a program that starts.
    pub fn new(program: Name8, eib: Eib) -> Self {
        Self {
            program,
            invoked_by: Name8::BLANK,
            eib,
            commarea: None,
            channel: None,
            own_channels: Vec::new(),
            handles: Handles::default(),
            input_message: None,
            input_label: None,
            characters: Characters::default(),
        }
    }
}
