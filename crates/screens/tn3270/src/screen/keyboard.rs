//! The user's actions: typing, moving, and the keys that call the region.

use super::Screen;
use super::buffer::Buffer;
use crate::datastream::{Address, Aid, FieldAttribute};

/// The state of the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyboard {
    /// Yes.
    Unlocked,
    /// No: the region has not given the keyboard back since the last key that called it.
    SystemLocked,
    /// No: the user did something that the field forbids; [`Screen::reset`] helps.
    OperatorError(Refused),
}

/// The reason why a key does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The region has the keyboard.
    #[error("the keyboard is locked until the region answers")]
    SystemLocked,
    /// The cursor is not in a field for typing.
    #[error("the field is protected")]
    Protected,
    /// Letters do not go into a numeric field: the keyboard has the numeric lock.
    #[error("the field takes digits only")]
    Numeric,
    /// Insert mode, and the field's end is not empty.
    #[error("the field is full")]
    Overflow,
    /// The code page has no such character.
    #[error("the code page has no such character")]
    NoSuchCharacter,
}

impl Screen {
    /// Types a text, one character after the other; ends at the first that is refused.
    pub fn type_text(&mut self, text: &str) -> Result<(), Refused> {
        text.chars().try_for_each(|character| self.type_character(character))
    }

    /// Types one character.
    pub fn type_character(&mut self, character: char) -> Result<(), Refused> {
        let byte = self.code_page.typed(character).ok_or(Refused::NoSuchCharacter)?;
        self.type_byte(byte)
    }

    /// Types the character of a byte.
    pub fn type_byte(&mut self, byte: u8) -> Result<(), Refused> {
        self.usable()?;
        if self.buffer.is_protected(self.cursor) {
            return self.operator_error(Refused::Protected);
        }
        let field = self.buffer.field_at(self.cursor);
        if field.is_some_and(|field| field.attribute.is_numeric()) && !is_numeric(byte) {
            return self.operator_error(Refused::Numeric);
        }
        if self.insert && !self.make_room() {
            return self.operator_error(Refused::Overflow);
        }
        let cell = self.buffer.get_mut(self.cursor);
        (cell.character, cell.graphic) = (byte, false);
        self.buffer.set_modified(self.cursor, true);
        self.advance();
        Ok(())
    }

    /// Insert mode on or off.
    pub fn set_insert(&mut self, on: bool) {
        self.insert = on;
    }

    /// Puts the cursor somewhere: cursor keys, or a mouse.
    pub fn move_cursor(&mut self, address: Address) {
        self.cursor = Address(address.0 % self.buffer.positions());
    }

    /// TAB: to the next unprotected field.
    pub fn tab(&mut self) {
        let from = self.cursor;
        let found = self.buffer.round_from(from).find(|&at| self.buffer.is_entry(at));
        self.cursor = found.map_or(Address(0), |at| self.buffer.after(at));
    }

    /// BACKTAB: to the start of this field, or of the one before if the cursor is there already.
    pub fn back_tab(&mut self) {
        let from = self.buffer.before(self.cursor);
        let found = self.buffer.round_back_from(from).find(|&at| self.buffer.is_entry(at));
        self.cursor = found.map_or(Address(0), |at| self.buffer.after(at));
    }

    /// HOME: to the first unprotected field.
    pub fn home(&mut self) {
        let found = self.buffer.round_from(Address(0)).find(|&at| self.buffer.is_entry(at));
        self.cursor = found.map_or(Address(0), |at| self.buffer.after(at));
    }

    /// NEW LINE: to the first unprotected position of a following line.
    pub fn new_line(&mut self) {
        let columns = self.size().columns;
        let line = Address((self.cursor.0 / columns + 1) * columns % self.buffer.positions());
        self.cursor = line;
        if self.buffer.is_formatted() && self.buffer.is_protected(line) {
            self.tab();
        }
    }

    /// DELETE: takes the character under the cursor out of its field; without fields, out of its row.
    pub fn delete(&mut self) -> Result<(), Refused> {
        let left_in_row = self.size().columns - self.cursor.0 % self.size().columns;
        let mut places = self.changeable_to_field_end()?;
        if !self.buffer.is_formatted() {
            places.truncate(usize::from(left_in_row));
        }
        for pair in places.windows(2) {
            *self.buffer.get_mut(pair[0]) = *self.buffer.get(pair[1]);
        }
        if let Some(&last) = places.last() {
            self.buffer.clear(last);
        }
        Ok(())
    }

    /// ERASE EOF: clears from the cursor to the field's end.
    pub fn erase_end_of_field(&mut self) -> Result<(), Refused> {
        for at in self.changeable_to_field_end()? {
            self.buffer.clear(at);
        }
        Ok(())
    }

    /// ERASE INPUT: clears all unprotected fields.
    pub fn erase_input(&mut self) -> Result<(), Refused> {
        self.usable()?;
        self.clear_unprotected();
        self.home();
        Ok(())
    }

    /// RESET: forgets an operator's error and leaves insert mode.
    pub fn reset(&mut self) {
        if matches!(self.keyboard, Keyboard::OperatorError(_)) {
            self.keyboard = Keyboard::Unlocked;
        }
        self.insert = false;
    }

    /// A key that calls the region: the record to send. The keyboard is locked from here on.
    pub fn press(&mut self, aid: Aid) -> Result<Vec<u8>, Refused> {
        self.usable()?;
        self.keyboard = Keyboard::SystemLocked;
        self.last_aid = aid;
        if aid == Aid::Clear {
            self.buffer = Buffer::new(self.size());
            self.cursor = Address(0);
        }
        Ok(self.read_modified(aid))
    }

    fn usable(&self) -> Result<(), Refused> {
        match self.keyboard {
            Keyboard::Unlocked => Ok(()),
            Keyboard::SystemLocked => Err(Refused::SystemLocked),
            Keyboard::OperatorError(refused) => Err(refused),
        }
    }

    fn operator_error(&mut self, refused: Refused) -> Result<(), Refused> {
        self.keyboard = Keyboard::OperatorError(refused);
        Err(refused)
    }

    /// Moves past a typed character: over fields that are skipped automatically, and never onto an attribute.
    fn advance(&mut self) {
        self.cursor = self.buffer.after(self.cursor);
        if self.buffer.get(self.cursor).field.is_some_and(FieldAttribute::is_autoskip) {
            self.tab();
        }
        while self.buffer.get(self.cursor).field.is_some() {
            self.cursor = self.buffer.after(self.cursor);
        }
    }

    /// Moves the rest of the field by one, into a null at its end.
    fn make_room(&mut self) -> bool {
        let places = self.to_field_end();
        let Some(null) = places.iter().position(|&at| self.buffer.get(at).character == 0) else {
            return false;
        };
        for pair in places[..=null].windows(2).rev() {
            *self.buffer.get_mut(pair[1]) = *self.buffer.get(pair[0]);
        }
        true
    }

    fn changeable_to_field_end(&mut self) -> Result<Vec<Address>, Refused> {
        self.usable()?;
        if self.buffer.is_protected(self.cursor) {
            self.operator_error(Refused::Protected)?;
        }
        self.buffer.set_modified(self.cursor, true);
        Ok(self.to_field_end())
    }

    /// From the cursor to the end of its field; to the screen's end where there are no fields.
    fn to_field_end(&self) -> Vec<Address> {
        match self.buffer.field_at(self.cursor) {
            Some(field) => self.buffer.positions_of(field).skip_while(|&at| at != self.cursor).collect(),
            None => (self.cursor.0..self.buffer.positions()).map(Address).collect(),
        }
    }
}

/// Digits, minus, period and the DUP key.
fn is_numeric(byte: u8) -> bool {
    matches!(byte, 0xF0..=0xF9 | 0x60 | 0x4B | 0x1C)
}
