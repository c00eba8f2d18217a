//! The effect of the region's streams on a screen.

use super::buffer::{Buffer, Cell};
use super::{Keyboard, ReplyMode, Screen};
use crate::datastream::{
    Address, Aid, BadStream, Command, Extended, Order, Wcc, attribute, orders, structured_field,
    write_query_reply,
};

/// Orders follow a command and its WCC.
const ORDERS_OFFSET: usize = 2;
/// The length of a structured field counts itself and the identifier.
const STRUCTURED_FIELD_LEN_MIN: usize = 3;

/// The state of a write.
struct Writing {
    address: Address,
    /// Attributes of the characters that follow.
    extended: Extended,
    /// True if the last thing written was a character: Program Tab then clears the rest of its field.
    after_text: bool,
}

impl Screen {
    /// Obeys a stream, command first; the answer is a record for the region, if the stream asks for one.
    ///
    /// After an error the screen keeps the part written before it, as terminals do.
    pub fn apply(&mut self, stream: &[u8]) -> Result<Option<Vec<u8>>, BadStream> {
        self.writes += 1;
        self.obey(stream)
    }

    fn obey(&mut self, stream: &[u8]) -> Result<Option<Vec<u8>>, BadStream> {
        let &first = stream.first().ok_or(BadStream::Empty)?;
        match Command::of(first).ok_or(BadStream::UnknownCommand(first))? {
            Command::Write => self.write(stream, self.cursor)?,
            Command::EraseWrite => {
                self.erase(self.capabilities.default_size);
                self.write(stream, Address(0))?;
            }
            Command::EraseWriteAlternate => {
                self.erase(self.capabilities.alternate_size);
                self.write(stream, Address(0))?;
            }
            Command::EraseAllUnprotected => self.erase_all_unprotected(),
            Command::WriteStructuredField => return self.write_structured_fields(stream),
            Command::ReadBuffer => return Ok(Some(self.read_buffer(self.last_aid))),
            Command::ReadModified => return Ok(Some(self.read_modified(self.last_aid))),
            Command::ReadModifiedAll => return Ok(Some(self.read_modified_all(self.last_aid))),
        }
        Ok(None)
    }

    fn erase(&mut self, size: crate::datastream::Size) {
        self.buffer = Buffer::new(size);
        self.cursor = Address(0);
        self.reply_mode = ReplyMode::Field;
    }

    fn write(&mut self, stream: &[u8], from: Address) -> Result<(), BadStream> {
        // A write may be a command alone; then there is no WCC to obey.
        let Some(&wcc) = stream.get(1) else { return Ok(()) };
        let wcc = Wcc::of(wcc);
        if wcc.reset_modified {
            self.buffer.reset_modified(|_| true);
        }
        let mut writing = Writing { address: from, extended: Extended::default(), after_text: false };
        for order in orders(stream, ORDERS_OFFSET) {
            self.obey_order(order?, &mut writing)?;
        }
        if wcc.restore_keyboard {
            self.restore_keyboard();
        }
        self.alarms += u32::from(wcc.alarm);
        Ok(())
    }

    fn obey_order(&mut self, order: Order<'_>, writing: &mut Writing) -> Result<(), BadStream> {
        let was_text = std::mem::replace(&mut writing.after_text, false);
        match order {
            Order::Text(characters) => {
                for &character in characters {
                    self.put(writing, character, false);
                }
                writing.after_text = true;
            }
            Order::GraphicEscape(character) => {
                self.put(writing, character, true);
                writing.after_text = true;
            }
            Order::SetBufferAddress(address) => writing.address = self.checked(address)?,
            Order::StartField(field) => {
                self.buffer.start_field(writing.address, &[(attribute::FIELD, field.code())]);
                writing.address = self.buffer.after(writing.address);
            }
            Order::StartFieldExtended(pairs) => {
                self.buffer.start_field(writing.address, &pairs);
                writing.address = self.buffer.after(writing.address);
            }
            Order::ModifyField(pairs) => {
                if self.buffer.get(writing.address).field.is_none() {
                    return Err(BadStream::NoField(writing.address.0));
                }
                self.buffer.modify_field(writing.address, &pairs);
                writing.address = self.buffer.after(writing.address);
            }
            Order::SetAttribute(kind, value) => {
                writing.extended.set(kind, value);
                writing.after_text = was_text;
            }
            Order::InsertCursor => self.cursor = writing.address,
            Order::ProgramTab => {
                self.program_tab(writing, was_text);
                // A tab that came to the screen's end lets the next one go on clearing.
                writing.after_text = was_text && writing.address == Address(0);
            }
            Order::RepeatToAddress { stop, character, graphic } => {
                let stop = self.checked(stop)?;
                // The same address means once around.
                loop {
                    self.put(writing, character, graphic);
                    if writing.address == stop {
                        break;
                    }
                }
            }
            Order::EraseUnprotectedToAddress(stop) => {
                let stop = self.checked(stop)?;
                let from = writing.address;
                // The same address means once around.
                let places = self.buffer.round_from(from).take_while(|&at| at != stop || at == from);
                for at in self.buffer.unprotected(places) {
                    self.buffer.clear(at);
                }
                writing.address = stop;
            }
        }
        Ok(())
    }

    fn put(&mut self, writing: &mut Writing, character: u8, graphic: bool) {
        *self.buffer.get_mut(writing.address) =
            Cell { character, graphic, field: None, extended: writing.extended };
        writing.address = self.buffer.after(writing.address);
    }

    /// Goes to the first character of the next unprotected field that has any, not beyond the screen's end. After text,
    /// the rest of the present field is cleared.
    fn program_tab(&mut self, writing: &mut Writing, clear: bool) {
        let from = writing.address;
        if self.buffer.get(from).field.is_some_and(|attribute| !attribute.is_protected()) {
            writing.address = self.buffer.after(from);
            return;
        }
        let places = (from.0..self.buffer.positions()).map(Address);
        let found = places.clone().find(|&at| self.buffer.is_entry(at));
        if clear {
            let end = found.map_or(self.buffer.positions(), |at| at.0);
            for at in places.take_while(|at| at.0 < end) {
                if self.buffer.get(at).field.is_some() {
                    break;
                }
                self.buffer.clear(at);
            }
        }
        writing.address = found.map_or(Address(0), |at| self.buffer.after(at));
    }

    fn checked(&self, address: Address) -> Result<Address, BadStream> {
        let positions = self.buffer.positions();
        match address.0 < positions {
            true => Ok(address),
            false => Err(BadStream::OutsideScreen { address: address.0, positions }),
        }
    }

    fn restore_keyboard(&mut self) {
        self.keyboard = Keyboard::Unlocked;
        self.last_aid = Aid::None;
        self.insert = false;
    }

    /// Clears unprotected characters and all modified data tags, and puts the cursor into the first unprotected field.
    fn erase_all_unprotected(&mut self) {
        if self.buffer.is_formatted() {
            self.clear_unprotected();
        } else {
            self.buffer = Buffer::new(self.size());
        }
        self.restore_keyboard();
        self.home();
    }

    /// Clears the characters that the user may change, and resets that they were changed.
    pub(super) fn clear_unprotected(&mut self) {
        for at in self.buffer.unprotected(self.buffer.round_from(Address(0))) {
            self.buffer.clear(at);
        }
        self.buffer.reset_modified(|attribute| !attribute.is_protected());
    }

    fn write_structured_fields(&mut self, stream: &[u8]) -> Result<Option<Vec<u8>>, BadStream> {
        let mut answer = None;
        let mut at = 1;
        while at < stream.len() {
            let bad = BadStream::BadStructuredField(at);
            let &[high, low] = stream[at..].first_chunk().ok_or(bad.clone())?;
            let len = match usize::from(u16::from_be_bytes([high, low])) {
                0 => stream.len() - at,
                len => len,
            };
            if len < STRUCTURED_FIELD_LEN_MIN {
                return Err(bad);
            }
            let field = stream.get(at + 2..at + len).ok_or(bad)?;
            answer = self.obey_structured_field(field, at)?.or(answer);
            at += len;
        }
        Ok(answer)
    }

    fn obey_structured_field(&mut self, field: &[u8], at: usize) -> Result<Option<Vec<u8>>, BadStream> {
        /// Read Partition for the whole terminal.
        const NO_PARTITION: u8 = 0xFF;
        const ALTERNATE: u8 = 0x80;
        match *field {
            [structured_field::READ_PARTITION, NO_PARTITION, 0x02 | 0x03, ..] => {
                Ok(Some(write_query_reply(&self.capabilities)))
            }
            [structured_field::READ_PARTITION, _, command] => self.obey(&[command]),
            [structured_field::ERASE_RESET, ALTERNATE] => {
                self.erase(self.capabilities.alternate_size);
                Ok(None)
            }
            [structured_field::ERASE_RESET, _] => {
                self.erase(self.capabilities.default_size);
                Ok(None)
            }
            [structured_field::SET_REPLY_MODE, _, mode, ..] => {
                self.reply_mode = match mode {
                    0 => ReplyMode::Field,
                    1 => ReplyMode::ExtendedField,
                    _ => ReplyMode::Character,
                };
                Ok(None)
            }
            [structured_field::OUTBOUND_3270DS, _, command, ..]
                if Command::of(command).is_some_and(|c| c != Command::WriteStructuredField) =>
            {
                self.obey(&field[2..])
            }
            [id, ..] => Err(BadStream::UnknownStructuredField(id)),
            [] => Err(BadStream::BadStructuredField(at)),
        }
    }
}
