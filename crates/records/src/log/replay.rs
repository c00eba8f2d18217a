//! Reading the log again after a restart.

use super::blocks::Blocks;
use super::format::{Header, Logged, Position, decode_units};
use super::segments::Segments;
use crate::disk::BLOCK;
use crate::seal::Vault;
use crate::{Error, Result};

/// Hands every unit of work that was logged from `start` on to `visit`, in order. Returns where the log ends: the
/// place to go on writing.
///
/// The first group that is not whole is the end: the power failed while it was written, and nobody was told that it
/// is durable. A whole group *behind* that place cannot be there unless the log was damaged; then this refuses.
pub(crate) fn replay(
    segments: &Segments,
    start: Position,
    vault: Option<&Vault>,
    visit: &mut dyn FnMut(Logged) -> Result<()>,
) -> Result<Position> {
    let mut position = start;
    let mut number = segments.number_of(start.lsn);
    let mut segment = read(segments, number)?;
    if segment.is_none() && !start.lsn.is_multiple_of(segments.segment_bytes) {
        return Err(Error::Corrupt(format!("log segment {number} is missing")));
    }
    while let Some(bytes) = &segment {
        position = replay_segment(
            bytes.as_slice(),
            number * segments.segment_bytes,
            position,
            &mut |at, payload| {
                let mut opened = Vec::new();
                let payload = match vault {
                    None => payload,
                    Some(vault) => {
                        opened.extend_from_slice(payload);
                        vault.open_sealed(&at.to_bytes(), &mut opened)?
                    }
                };
                decode_units(payload)?.into_iter().try_for_each(&mut *visit)
            },
        )?;
        // A group that did not fit went to the start of the next segment.
        let next = read(segments, number + 1)?;
        let base = (number + 1) * segments.segment_bytes;
        let continues =
            next.as_ref().is_some_and(|next| group_at(next.as_slice(), 0, base, position.chain).is_some());
        if !continues {
            break;
        }
        number += 1;
        segment = next;
        position.lsn = base;
    }
    refuse_damage(segments, position)?;
    Ok(position)
}

/// Replays one segment, which begins at `base` of the log, from `position` to the first group that is not there.
fn replay_segment(
    bytes: &[u8],
    base: u64,
    mut position: Position,
    visit: &mut dyn FnMut(Position, &[u8]) -> Result<()>,
) -> Result<Position> {
    while let Some((header, payload)) = group_at(bytes, (position.lsn - base) as usize, base, position.chain)
    {
        visit(position, payload)?;
        let length = (super::format::HEADER + header.payload).next_multiple_of(BLOCK) as u64;
        position = Position { lsn: position.lsn + length, chain: header.checksum };
    }
    Ok(position)
}

/// The whole group at an offset of a segment that follows the group with header checksum `chain`.
fn group_at(bytes: &[u8], offset: usize, base: u64, chain: u32) -> Option<(Header, &[u8])> {
    let (header, payload) = any_group_at(bytes, offset, base)?;
    (header.chain == chain).then_some((header, payload))
}

/// The whole group at an offset of a segment, whatever it follows.
fn any_group_at(bytes: &[u8], offset: usize, base: u64) -> Option<(Header, &[u8])> {
    let bytes = bytes.get(offset..)?;
    let header = Header::read(bytes)?;
    let payload = header.payload_in(bytes)?;
    (header.lsn == base + offset as u64).then_some((header, payload))
}

/// Refuses a log that has whole groups behind its end.
fn refuse_damage(segments: &Segments, end: Position) -> Result<()> {
    let first = segments.number_of(end.lsn);
    let Some(newest) = segments.newest()? else { return Ok(()) };
    for number in first..=newest {
        let Some(bytes) = read(segments, number)? else { continue };
        let base = number * segments.segment_bytes;
        let from = end.lsn.saturating_sub(base).next_multiple_of(BLOCK as u64) as usize;
        let behind =
            (from..bytes.len()).step_by(BLOCK).find(|&at| any_group_at(bytes.as_slice(), at, base).is_some());
        if let Some(at) = behind {
            return Err(Error::Corrupt(format!(
                "the log breaks off at byte {} but goes on at byte {}",
                end.lsn,
                base + at as u64
            )));
        }
    }
    Ok(())
}

/// Reads a whole segment, if it is there.
fn read(segments: &Segments, number: u64) -> Result<Option<Blocks>> {
    let Some(file) = segments.existing(number)? else { return Ok(None) };
    let mut bytes = Blocks::zeroed(segments.segment_bytes as usize);
    file.read_at(0, bytes.as_mut_slice()).map_err(|e| Error::io("read the log", &e))?;
    Ok(Some(bytes))
}
