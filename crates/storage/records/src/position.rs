//! A place in the log, as the base and the log name it.

/// A place between two groups of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Position {
    /// Position of the next group.
    pub(crate) lsn: u64,
    /// The header checksum of the group before it.
    pub(crate) chain: u32,
}

impl Position {
    /// As bytes, for the base to keep.
    pub(crate) fn to_bytes(self) -> [u8; 12] {
        let mut bytes = [0; 12];
        bytes[..8].copy_from_slice(&self.lsn.to_le_bytes());
        bytes[8..].copy_from_slice(&self.chain.to_le_bytes());
        bytes
    }

    /// From what [`Self::to_bytes`] made.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Self {
            lsn: u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?),
            chain: u32::from_le_bytes(bytes.get(8..12)?.try_into().ok()?),
        })
    }
}
