//! One link level of a task: a program and what belongs to its activation.

use std::sync::Arc;

use cobol::Area;

use crate::channels::Channel;
use crate::exec::eib::Eib;
use crate::exec::handles::{Handles, Label};
use crate::name::Name8;

/// The communication area that a program is given.
pub enum Commarea {
    /// Storage of the task: after RETURN TRANSID, START, XCTL.
    Held(Area),
    /// The LINKing program's own area.
    Lent {
        /// Where it is.
        address: usize,
        /// Its length.
        length: usize,
    },
}

impl Commarea {
    /// A held area with these bytes.
    pub fn held(bytes: &[u8]) -> Self {
        let mut area = Area::zeroed(bytes.len());
        area.write(0, bytes);
        Self::Held(area)
    }

    /// Where it is.
    pub fn address(&self) -> usize {
        match self {
            Self::Held(area) => area.address(),
            Self::Lent { address, .. } => *address,
        }
    }

    /// Its length.
    pub fn length(&self) -> usize {
        match self {
            Self::Held(area) => area.length(),
            Self::Lent { length, .. } => *length,
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
    /// What its HANDLE commands asked for.
    pub handles: Handles,
    /// INPUTMSG of LINK, XCTL or RETURN: the next RECEIVE takes it.
    pub input_message: Option<Vec<u8>>,
    /// The HANDLE AID label for the key that the command in hand has received.
    pub input_label: Option<Label>,
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
        }
    }
}
