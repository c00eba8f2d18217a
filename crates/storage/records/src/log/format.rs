//! Layout of a group on the disk.
//!
//! ```text
//! group  = header payload zeros-to-the-block
//! header = magic:4 header-checksum:4 lsn:8 payload-length:4 units:4 payload-checksum:4 chain:4
//! payload = unit*                                 encrypted as a whole where the folder is (see `seal`)
//! unit   = length:4 changes:4 change*
//! change = store:4 key-length:2 record-length:4 sum:4 key record  record-length FFFFFFFF: deleted
//! ```
//!
//! Numbers are little-endian. *lsn* is the group's own place in the log (segment number × segment size + offset);
//! *chain* is the header checksum of the group before it; *sum* is the checksum that a record has had since it was made.

use crate::blocks::Blocks;
use crate::change::{Changes, Record};
use crate::disk::BLOCK;
use crate::key::Key;
use crate::position::Position;
use crate::record::{SUM, sum};
use crate::{Error, Result, StoreId};

/// Length of a group's header.
pub(super) const HEADER: usize = 32;
const MAGIC: u32 = 0x324C_5053;
/// Stands for the length of a record that was deleted.
const DELETED: u32 = u32::MAX;

/// The note beside the log of how far it was forced: in two slots in turn, so that one is whole whatever becomes of the
/// other.
///
/// ```text
/// slot = number:8 position:12 checksum:4      number: of the note, one more than that in the other slot
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The number of the note.
    pub(crate) number: u64,
    /// The end of what was forced.
    pub(crate) position: Position,
}

impl Mark {
    const LENGTH: usize = 24;

    /// The slot in which it is noted.
    pub(crate) fn slot(self) -> usize {
        (self.number % 2) as usize
    }

    pub(crate) fn to_bytes(self) -> Vec<u8> {
        let bytes = [&self.number.to_le_bytes()[..], &self.position.to_bytes()].concat();
        [&bytes[..], &crc32fast::hash(&bytes).to_le_bytes()].concat()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes = sound(bytes.get(..Self::LENGTH)?)?;
        let (number, position) = bytes.split_first_chunk::<8>()?;
        Some(Self { number: u64::from_le_bytes(*number), position: Position::from_bytes(position)? })
    }

    /// The later one of two slots, and true if the other one is not what was written there.
    pub(super) fn latest(slots: &[Vec<u8>; 2]) -> Option<(Self, bool)> {
        let marks = [0, 1].map(|slot| Self::from_bytes(&slots[slot]).filter(|mark| mark.slot() == slot));
        let damaged = |slot: usize| marks[slot].is_none() && !slots[slot].is_empty();
        match marks {
            [Some(first), Some(second)] => {
                Some((if first.number > second.number { first } else { second }, false))
            }
            [Some(mark), None] => Some((mark, damaged(1))),
            [None, Some(mark)] => Some((mark, damaged(0))),
            // As it was written before there were slots.
            [None, None] => {
                let position =
                    sound(&slots[0]).filter(|_| slots[1].is_empty()).and_then(Position::from_bytes)?;
                Some((Self { number: 0, position }, false))
            }
        }
    }
}

/// The bytes before their checksum; `None` if it is not theirs.
fn sound(bytes: &[u8]) -> Option<&[u8]> {
    let (bytes, known) = bytes.split_last_chunk::<4>()?;
    (crc32fast::hash(bytes).to_le_bytes() == *known).then_some(bytes)
}

/// The header of a group.
pub(super) struct Header {
    pub(super) checksum: u32,
    pub(super) lsn: u64,
    pub(super) payload: usize,
    pub(super) chain: u32,
    payload_checksum: u32,
}

impl Header {
    /// Reads the header at the start of `bytes`, if there is a sound one.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let header = bytes.get(..HEADER)?;
        let checksum = number(header, 4);
        let sound = number(header, 0) == MAGIC && checksum == crc32fast::hash(&header[8..]);
        sound.then(|| Self {
            checksum,
            lsn: u64::from(number(header, 8)) | u64::from(number(header, 12)) << 32,
            payload: number(header, 16) as usize,
            payload_checksum: number(header, 24),
            chain: number(header, 28),
        })
    }

    /// Bytes of the group in the log.
    pub(super) fn length(&self) -> u64 {
        (HEADER + self.payload).next_multiple_of(BLOCK) as u64
    }

    /// The payload that follows the header in `bytes`, if it is all there.
    pub(super) fn payload_in<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let payload = bytes.get(HEADER..HEADER + self.payload)?;
        (crc32fast::hash(payload) == self.payload_checksum).then_some(payload)
    }
}

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Completes a group that lies in `blocks` behind room for its header, for the place where it will be written.
/// `checksum`: of what is behind that room. Returns the checksum of its header: the next group's chain.
pub(super) fn seal(blocks: &mut Blocks, checksum: u32, units: usize, at: Position) -> u32 {
    let payload = blocks.len() - HEADER;
    let bytes = blocks.as_mut_slice();
    bytes[0..4].copy_from_slice(&MAGIC.to_le_bytes());
    bytes[8..16].copy_from_slice(&at.lsn.to_le_bytes());
    bytes[16..20].copy_from_slice(&(payload as u32).to_le_bytes());
    bytes[20..24].copy_from_slice(&(units as u32).to_le_bytes());
    bytes[24..28].copy_from_slice(&checksum.to_le_bytes());
    bytes[28..32].copy_from_slice(&at.chain.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[8..HEADER]);
    bytes[4..8].copy_from_slice(&checksum.to_le_bytes());
    checksum
}

/// Appends the after-images of a unit of work, unless one of them is not what it was when it was made.
pub(crate) fn encode_unit(changes: &Changes, out: &mut Blocks) -> Result<()> {
    let start = out.len();
    out.extend(&[0; 8]);
    let mut count = 0u32;
    for (store, key, record) in changes.iter() {
        count += 1;
        out.extend(&store.0.to_le_bytes());
        out.extend(&(key.len() as u16).to_le_bytes());
        match record {
            Some(record) => {
                let bytes = record.verified(key).inspect_err(|_| out.truncate(start))?;
                out.extend(&(bytes.len() as u32).to_le_bytes());
                out.extend(record.sum());
                out.extend(key);
                out.extend(bytes);
            }
            None => {
                out.extend(&DELETED.to_le_bytes());
                out.extend(&sum(key, &[]));
                out.extend(key);
            }
        }
    }
    let length = out.len() - start;
    let head = &mut out.as_mut_slice()[start..start + 8];
    head[..4].copy_from_slice(&(length as u32).to_le_bytes());
    head[4..].copy_from_slice(&count.to_le_bytes());
    Ok(())
}

/// A unit of work as it was logged.
pub(crate) struct Logged {
    /// Its after-images, in the order in which they were logged.
    pub(crate) changes: Vec<(StoreId, Key, Option<Record>)>,
}

/// The units of a payload. The checksum was right, so anything amiss here is a fault of the engine that wrote it.
pub(super) fn decode_units(mut payload: &[u8]) -> Result<Vec<Logged>> {
    let mut units = Vec::new();
    while !payload.is_empty() {
        let unit = decode_unit(&mut payload).ok_or_else(|| Error::Corrupt("a unit of the log".into()))?;
        units.push(unit);
    }
    Ok(units)
}

/// Takes a unit of work from the front of `payload`.
pub(crate) fn decode_unit(payload: &mut &[u8]) -> Option<Logged> {
    let length = u32::from_le_bytes(take(payload)?);
    let count = u32::from_le_bytes(take(payload)?);
    let mut body = payload.split_off(..(length as usize).checked_sub(8)?)?;
    let changes = (0..count).map(|_| decode_change(&mut body)).collect::<Option<_>>()?;
    body.is_empty().then_some(Logged { changes })
}

fn decode_change(body: &mut &[u8]) -> Option<(StoreId, Key, Option<Record>)> {
    let store = StoreId(u32::from_le_bytes(take(body)?));
    let key_length = u16::from_le_bytes(take(body)?);
    let record_length = u32::from_le_bytes(take(body)?);
    let known: [u8; SUM] = take(body)?;
    let key = Key::from_slice(body.split_off(..key_length.into())?);
    let record = match record_length {
        DELETED => None,
        length => Some(Record::with_sum(body.split_off(..length as usize)?, known)),
    };
    let sound = match &record {
        Some(record) => record.verified(&key).is_ok(),
        None => known == sum(&key, &[]),
    };
    sound.then_some((store, key, record))
}

/// Takes so many bytes from the front of others.
pub(crate) fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    bytes.split_off(..N)?.try_into().ok()
}
