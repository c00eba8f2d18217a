//! Reading the log again after a restart.

use super::format::{Header, Logged, decode_units};
use super::segments::Segments;
use crate::blocks::Blocks;
use crate::disk::{BLOCK, DiskFile};
use crate::position::Position;
use crate::seal::Vault;
use crate::{Error, Result, Trust};

/// Hands every unit of work that was logged from `start` on to `visit`, in order. Returns where the log ends: the
/// place to go on writing.
///
/// The first group that is not whole is the end: the power failed while it was written, and no task was told that it is durable.
/// A whole group that belongs *behind* that place cannot be there unless the log was damaged; then this
/// refuses, unless the log is accepted as it is: then the log goes on behind all that there is.
pub(crate) fn replay(
    segments: &Segments,
    (start, trust): (Position, Trust),
    vault: Option<&Vault>,
    visit: &mut dyn FnMut(Logged) -> Result<()>,
) -> Result<Position> {
    let mut position = start;
    let mut number = segments.number_of(start.lsn);
    let mut segment = read(segments, number, trust)?;
    if trust == Trust::Checked && segment.is_none() && !start.lsn.is_multiple_of(segments.segment_bytes) {
        return Err(Error::Log(format!("log segment {number} is missing")));
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
        let next = read(segments, number + 1, trust)?;
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
    if trust == Trust::AsItIs {
        return accept(segments, position);
    }
    refuse_damage(segments, position)?;
    refuse_loss(segments, position)?;
    Ok(position)
}

/// Takes a log as it is: says what that may cost, and goes on behind everything that lies there.
fn accept(segments: &Segments, end: Position) -> Result<Position> {
    let lost = refuse_damage(segments, end).and_then(|()| refuse_loss(segments, end));
    let mut next = segments.behind_all()?;
    for (name, _) in segments.files()? {
        let Ok(Some(bytes)) = read_file(segments, segments.open_file(&name)?) else { continue };
        for block in bytes.as_slice().chunks(BLOCK) {
            if let Some(header) = Header::read(block) {
                let size = segments.segment_bytes;
                next = next.max((segments.number_of(header.lsn) + 1).saturating_mul(size));
            }
        }
    }
    match lost {
        Ok(()) => {
            tracing::warn!(target: "RM", "the log is accepted as it is: it is whole as far as it says itself")
        }
        Err(why) => tracing::error!(
            target: "RM",
            "the log is accepted as it is, up to byte {}: units of work that were acknowledged behind it are lost ({why})",
            end.lsn
        ),
    }
    let next = next.max(end.lsn.next_multiple_of(segments.segment_bytes));
    Ok(Position { lsn: next, chain: end.chain })
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
        position = Position { lsn: position.lsn + header.length(), chain: header.checksum };
    }
    Ok(position)
}

/// The whole group at an offset of a segment that follows the group with header checksum `chain`.
fn group_at(bytes: &[u8], offset: usize, base: u64, chain: u32) -> Option<(Header, &[u8])> {
    let bytes = bytes.get(offset..)?;
    let header = Header::read(bytes)?;
    let payload = header.payload_in(bytes)?;
    (header.lsn == base + offset as u64 && header.chain == chain).then_some((header, payload))
}

/// Refuses a log that has whole groups which belong behind its end: where they belong, then what is before them was
/// damaged; or anywhere else, then a write went to a wrong place, and something durable is missing.
fn refuse_damage(segments: &Segments, end: Position) -> Result<()> {
    for (name, base) in segments.files()? {
        let Some(bytes) = read_file(segments, segments.open_file(&name)?)? else { continue };
        let bytes = bytes.as_slice();
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            // Only a whole group is passed over as one: something may have been written into a broken one.
            let Some(header) = Header::read(rest).filter(|header| header.payload_in(rest).is_some()) else {
                at += BLOCK;
                continue;
            };
            if header.lsn >= end.lsn {
                let place = base.map(|base| base + at as u64);
                return Err(Error::Log(if place == Some(header.lsn) {
                    format!("the log breaks off at byte {} but goes on at byte {}", end.lsn, header.lsn)
                } else {
                    format!("what belongs to byte {} of the log lies in {name} at byte {at}", header.lsn)
                }));
            }
            at += header.length() as usize;
        }
    }
    Ok(())
}

/// Refuses a log that ends before what was forced, as far as that is noted beside it.
fn refuse_loss(segments: &Segments, end: Position) -> Result<()> {
    match segments.marked()? {
        Some(forced) if end.lsn < forced.lsn || end.lsn == forced.lsn && end.chain != forced.chain => {
            Err(Error::Log(format!(
                "the log was forced up to byte {}, but what there is of it ends at byte {}",
                forced.lsn, end.lsn
            )))
        }
        _ => Ok(()),
    }
}

/// Reads a whole segment, if it is there. A log that is accepted as it is ends before one that is cut off.
fn read(segments: &Segments, number: u64, trust: Trust) -> Result<Option<Blocks>> {
    match segments.existing(number)?.map(|file| read_file(segments, file)) {
        Some(Err(Error::Log(_))) if trust == Trust::AsItIs => Ok(None),
        read => Ok(read.transpose()?.flatten()),
    }
}

/// Reads all of a file that has the size of a segment.
fn read_file(segments: &Segments, file: Box<dyn DiskFile>) -> Result<Option<Blocks>> {
    let size = file.size().map_err(|e| Error::io("read the log", &e))?;
    if size != segments.segment_bytes {
        let expected = segments.segment_bytes;
        return Err(Error::Log(format!("a segment of the log has {size} of {expected} bytes")));
    }
    let mut bytes = Blocks::zeroed(segments.segment_bytes as usize);
    file.read_at(0, bytes.as_mut_slice()).map_err(|e| Error::io("read the log", &e))?;
    Ok(Some(bytes))
}
