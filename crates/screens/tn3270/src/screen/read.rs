//! The records that a screen sends to the region.

use super::buffer::{Cell, ScreenField};
use super::{ReplyMode, Screen};
use crate::datastream::{Address, Aid, Extended, attribute, code};

impl Screen {
    /// The modified fields, as a key sends them.
    pub(super) fn read_modified(&self, aid: Aid) -> Vec<u8> {
        match aid.is_short() {
            true => vec![aid.code()],
            false => self.read_modified_all(aid),
        }
    }

    /// The modified fields, whatever the key was.
    pub(super) fn read_modified_all(&self, aid: Aid) -> Vec<u8> {
        let mut record = self.opening(aid);
        if self.buffer.is_formatted() {
            for field in self.fields().into_iter().filter(|field| field.attribute.is_modified()) {
                record.push(code::SBA);
                record.extend(self.buffer.after(field.start).encode());
                self.put_characters(&mut record, self.buffer.positions_of(field));
            }
        } else {
            self.put_characters(&mut record, self.buffer.round_from(Address(0)));
        }
        record
    }

    /// The whole buffer, attributes and nulls included.
    pub(super) fn read_buffer(&self, aid: Aid) -> Vec<u8> {
        let mut record = self.opening(aid);
        record.extend(self.content(self.reply_mode));
        record
    }

    /// All positions in their order, as much about their attributes as the mode tells.
    pub(super) fn content(&self, mode: ReplyMode) -> Vec<u8> {
        let mut record = Vec::new();
        let mut shown = Extended::default();
        for cell in self.buffer.cells() {
            match cell.field {
                Some(field) if mode == ReplyMode::Field => {
                    record.extend([code::SF, field.code()]);
                }
                Some(field) => {
                    let pairs: Vec<_> = std::iter::once((attribute::FIELD, field.code()))
                        .chain(cell.extended.pairs())
                        .collect();
                    record.extend([code::SFE, pairs.len() as u8]);
                    record.extend(pairs.into_iter().flat_map(|(kind, value)| [kind, value]));
                }
                None => put_cell(&mut record, cell, &mut shown, mode),
            }
        }
        record
    }

    /// All fields in the order of the buffer.
    pub fn fields(&self) -> Vec<ScreenField> {
        self.buffer.fields()
    }

    fn opening(&self, aid: Aid) -> Vec<u8> {
        let [high, low] = self.cursor.encode();
        vec![aid.code(), high, low]
    }

    /// Characters without the nulls among them.
    fn put_characters(&self, record: &mut Vec<u8>, places: impl Iterator<Item = Address>) {
        let mut shown = Extended::default();
        for cell in places.map(|at| self.buffer.get(at)).filter(|cell| cell.character != 0) {
            put_cell(record, cell, &mut shown, self.reply_mode);
        }
    }
}

fn put_cell(record: &mut Vec<u8>, cell: &Cell, shown: &mut Extended, mode: ReplyMode) {
    if mode == ReplyMode::Character && cell.extended != *shown {
        record.extend([code::SA, attribute::RESET, 0]);
        record.extend(cell.extended.pairs().flat_map(|(kind, value)| [code::SA, kind, value]));
        *shown = cell.extended;
    }
    if cell.graphic {
        record.push(code::GE);
    }
    record.push(cell.character);
}
