//! The log in tables: `files` names its segments, `pieces` has what was written to them, a row for each write.
//!
//! The log writes behind what it has written, or the same place once more; so pieces never overlap in part. A write is one
//! transaction, so none is ever torn.

use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use records::disk::{Disk, DiskFile};

use crate::lane::{Ask, Lanes, Row};
use crate::limits::{PIECE_BYTES, PIECES_READ};
use crate::text::{bytes, push_bytes, push_number, quoted, to_bytes, to_number};

/// The slots of notes.
const SLOTS: usize = 2;

/// Notes that are not in the database yet.
type Notes = [Option<Vec<u8>>; SLOTS];

/// The log.
pub(crate) struct Log {
    lanes: Arc<Lanes>,
    /// Notes go with the next write, unless they are to be durable at once.
    notes: Arc<Mutex<Notes>>,
}

/// A segment.
struct Segment {
    lanes: Arc<Lanes>,
    notes: Arc<Mutex<Notes>>,
    number: u64,
    bytes: u64,
}

fn missing() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "the database has no such segment of the log")
}

/// A value that must be there.
pub(crate) fn value(row: &Row, at: usize) -> io::Result<&[u8]> {
    let value = row.get(at).and_then(Option::as_deref);
    value.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the database answers with a NULL"))
}

/// Carries a change out, and with it whatever is noted.
fn change(lanes: &Lanes, notes: &Mutex<Notes>, text: String) -> io::Result<()> {
    let mut notes = notes.lock();
    let mut sets = String::new();
    for (slot, note) in notes.iter().enumerate() {
        if let Some(note) = note {
            sets.push_str(", note");
            push_number(&mut sets, slot as u64);
            sets.push_str(" = ");
            push_bytes(&mut sets, note);
        }
    }
    lanes.log.ask(Ask::change_with(text, sets))?;
    *notes = Notes::default();
    Ok(())
}

impl Log {
    pub fn new(lanes: Arc<Lanes>) -> Self {
        Self { lanes, notes: Arc::default() }
    }

    fn change(&self, text: String) -> io::Result<()> {
        change(&self.lanes, &self.notes, text)
    }

    fn segment(&self, name: &str) -> io::Result<Segment> {
        let found = self
            .lanes
            .log
            .ask(Ask::read(format!("SELECT number, bytes FROM files WHERE name = {}", quoted(name))))?;
        let row = found.first().ok_or_else(missing)?;
        let (number, bytes) = (to_number(value(row, 0)?)?, to_number(value(row, 1)?)?);
        Ok(Segment { lanes: Arc::clone(&self.lanes), notes: Arc::clone(&self.notes), number, bytes })
    }
}

impl Disk for Log {
    fn list(&self) -> io::Result<Vec<String>> {
        let rows = self.lanes.log.ask(Ask::read("SELECT name FROM files".to_owned()))?;
        rows.iter().map(|row| Ok(String::from_utf8_lossy(value(row, 0)?).into_owned())).collect()
    }

    fn create(&self, name: &str, bytes: u64) -> io::Result<Box<dyn DiskFile>> {
        let name_text = quoted(name);
        self.change(format!(
            "DELETE FROM pieces WHERE file IN (SELECT number FROM files WHERE name = {name_text}); \
             INSERT INTO files (name, number, bytes) SELECT {name_text}, coalesce(max(number), 0) + 1, {bytes} FROM files \
             ON CONFLICT (name) DO UPDATE SET bytes = excluded.bytes"
        ))?;
        Ok(Box::new(self.segment(name)?))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn DiskFile>> {
        Ok(Box::new(self.segment(name)?))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.change(format!("UPDATE files SET name = {} WHERE name = {}", quoted(to), quoted(from)))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let name = quoted(name);
        self.change(format!(
            "DELETE FROM pieces WHERE file IN (SELECT number FROM files WHERE name = {name}); \
             DELETE FROM files WHERE name = {name}"
        ))
    }

    /// A segment is a row: another one is as cheap.
    fn reuses(&self) -> bool {
        false
    }

    fn note(&self, slot: usize, bytes: &[u8], durable: bool) -> io::Result<()> {
        if let Some(place) = self.notes.lock().get_mut(slot) {
            *place = Some(bytes.to_vec());
        }
        if durable { self.change(String::new()) } else { Ok(()) }
    }

    fn noted(&self) -> io::Result<Option<[Vec<u8>; SLOTS]>> {
        let rows = self.lanes.log.ask(Ask::read("SELECT note0, note1 FROM lease".to_owned()))?;
        let mut slots = <[Vec<u8>; SLOTS]>::default();
        let mut is_noted = false;
        for (slot, value) in slots.iter_mut().zip(rows.first().into_iter().flatten()) {
            if let Some(value) = value {
                (*slot, is_noted) = (to_bytes(value)?, true);
            }
        }
        Ok(is_noted.then_some(slots))
    }
}

impl DiskFile for Segment {
    fn size(&self) -> io::Result<u64> {
        Ok(self.bytes)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        buffer.fill(0);
        let end = offset + buffer.len() as u64;
        if end > self.bytes {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        // A piece may begin before what is read.
        let mut from = offset.saturating_sub(PIECE_BYTES as u64);
        loop {
            let number = self.number;
            let rows = self.lanes.reads.ask(Ask::read(format!(
                "SELECT place, bytes FROM pieces WHERE file = {number} AND place >= {from} AND place < {end} \
                 ORDER BY place LIMIT {PIECES_READ}"
            )))?;
            for row in &rows {
                let (place, piece) = (to_number(value(row, 0)?)?, to_bytes(value(row, 1)?)?);
                put(buffer, offset, place, &piece);
                from = place + 1;
            }
            if rows.len() < PIECES_READ {
                return Ok(());
            }
        }
    }

    fn write_at(&mut self, offset: u64, written: &[u8]) -> io::Result<()> {
        let mut text = String::from("INSERT INTO pieces (file, place, bytes) VALUES ");
        for (number, piece) in written.chunks(PIECE_BYTES).enumerate() {
            let place = offset + (number * PIECE_BYTES) as u64;
            let comma = if number == 0 { "" } else { ", " };
            text.push_str(&format!("{comma}({}, {place}, ", self.number));
            text.push_str(&bytes(piece));
            text.push(')');
        }
        text.push_str(" ON CONFLICT (file, place) DO UPDATE SET bytes = excluded.bytes");
        change(&self.lanes, &self.notes, text)
    }
}

/// Puts a piece that begins at `place` into a buffer that begins at `offset`.
fn put(buffer: &mut [u8], offset: u64, place: u64, piece: &[u8]) {
    let skipped = offset.saturating_sub(place) as usize;
    let at = place.saturating_sub(offset) as usize;
    let Some(piece) = piece.get(skipped..) else { return };
    let Some(into) = buffer.get_mut(at..) else { return };
    let length = piece.len().min(into.len());
    into[..length].copy_from_slice(&piece[..length]);
}

#[cfg(test)]
mod tests {
    use super::put;

    #[test]
    fn pieces_come_to_their_places() {
        let mut buffer = [0; 4];
        for place in [0, 12, 100] {
            put(&mut buffer, 10, place, b"ab");
        }
        assert_eq!(&buffer, b"\0\0ab");
        put(&mut buffer, 10, 8, b"wxyz");
        put(&mut buffer, 10, 13, b"123");
        assert_eq!(&buffer, b"yza1");
    }
}
