//! Writing a 3270 data stream: commands, write control character, orders, addresses.
//!
//! Out of scope: maps.

use tn3270::datastream::Size;

use crate::attribute::{Extended, FieldAttribute, six_bit_code};
use crate::display::{Erase, Screen, SendError};
use crate::map::{Control, LineWidth};

const WRITE: u8 = 0xF1;
const ERASE_WRITE: u8 = 0xF5;
const ERASE_WRITE_ALTERNATE: u8 = 0x7E;
const ERASE_ALL_UNPROTECTED: u8 = 0x6F;

const SET_BUFFER_ADDRESS: u8 = 0x11;
const ERASE_UNPROTECTED_TO_ADDRESS: u8 = 0x12;
const INSERT_CURSOR: u8 = 0x13;
const START_FIELD: u8 = 0x1D;
const START_FIELD_EXTENDED: u8 = 0x29;
const MODIFY_FIELD: u8 = 0x2C;

/// The type of the pair that holds the field attribute in SFE and MF.
const FIELD_ATTRIBUTE_TYPE: u8 = 0xC0;

/// Screens up to this many positions have 12-bit addresses, larger ones 14-bit.
const SHORT_ADDRESSES: usize = 1 << 12;

/// The EBCDIC blank.
pub const BLANK: u8 = 0x40;

/// Sets the WCC of a command that sets the modified data tags back.
const RESET_MDT: u8 = 0x01;
const RESTORE_KEYBOARD: u8 = 0x02;
const SOUND_ALARM: u8 = 0x04;
const START_PRINTER: u8 = 0x08;

/// Pairs of an extended attribute and its value.
pub type Pairs<'p> = &'p [(Extended, u8)];

/// A data stream in the making.
pub struct Stream {
    bytes: Vec<u8>,
    positions: usize,
    /// The position of the next character, if known.
    at: Option<usize>,
}

impl Stream {
    /// Starts a write: command, write control character and, for ERASEAUP, its order.
    pub fn write(erase: Erase, control: Control, screen: Screen) -> Result<Self, SendError> {
        let screen = screen.after(erase);
        let command = match erase {
            Erase::No | Erase::Unprotected => WRITE,
            _ if screen.alternate_in_use => ERASE_WRITE_ALTERNATE,
            _ => ERASE_WRITE,
        };
        let positions = screen.size().positions();
        if !screen.size().is_addressable() {
            return Err(SendError::Unaddressable(screen.size()));
        }
        // An erased screen is written from its first position; otherwise the terminal goes on where it was.
        let at = erase.is_whole().then_some(0);
        let mut stream = Self { bytes: vec![command, write_control(erase, control)], positions, at };
        if erase == Erase::Unprotected {
            stream.erase_unprotected();
        }
        Ok(stream)
    }

    /// The command that erases the unprotected fields, unlocks the keyboard and writes nothing.
    pub fn erase_all_unprotected() -> Vec<u8> {
        vec![ERASE_ALL_UNPROTECTED]
    }

    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }

    /// Moves to a position: the next character or order is written there.
    pub fn go_to(&mut self, position: usize) {
        let position = position % self.positions;
        if self.at != Some(position) {
            self.bytes.push(SET_BUFFER_ADDRESS);
            self.address(position);
            self.at = Some(position);
        }
    }

    /// Starts a field here.
    pub fn start_field(&mut self, attribute: FieldAttribute, pairs: Pairs) {
        if pairs.is_empty() {
            self.bytes.extend([START_FIELD, attribute.to_ebcdic()]);
        } else {
            self.bytes.push(START_FIELD_EXTENDED);
            self.pairs(Some(attribute), pairs);
        }
        self.advance(1);
    }

    /// Changes the given attributes of the field that starts here.
    pub fn modify_field(&mut self, attribute: Option<FieldAttribute>, pairs: Pairs) {
        self.bytes.push(MODIFY_FIELD);
        self.pairs(attribute, pairs);
        self.advance(1);
    }

    /// Writes characters here.
    pub fn characters(&mut self, characters: impl Iterator<Item = u8>) {
        let before = self.bytes.len();
        self.bytes.extend(characters.map(displayable));
        self.advance(self.bytes.len() - before);
    }

    /// Puts the cursor at a position.
    pub fn cursor(&mut self, position: usize) {
        self.go_to(position);
        self.bytes.push(INSERT_CURSOR);
    }

    fn pairs(&mut self, attribute: Option<FieldAttribute>, pairs: Pairs) {
        let first = attribute.map(|attribute| (FIELD_ATTRIBUTE_TYPE, attribute.to_ebcdic()));
        // There are fewer kinds than a byte counts.
        self.bytes.push((pairs.len() + usize::from(first.is_some())) as u8);
        let rest = pairs.iter().map(|(kind, value)| (kind.order_type(), *value));
        self.bytes.extend(first.into_iter().chain(rest).flat_map(|(kind, value)| [kind, value]));
    }

    /// From the first position to the first: the whole screen.
    fn erase_unprotected(&mut self) {
        self.go_to(0);
        self.bytes.push(ERASE_UNPROTECTED_TO_ADDRESS);
        self.address(0);
    }

    fn address(&mut self, position: usize) {
        // Positions are below 2 to the 14th, so both halves fit.
        if self.positions > SHORT_ADDRESSES {
            self.bytes.extend([(position >> 8) as u8, position as u8]);
        } else {
            self.bytes.extend([six_bit_code((position >> 6) as u8), six_bit_code(position as u8)]);
        }
    }

    fn advance(&mut self, count: usize) {
        self.at = self.at.map(|at| (at + count) % self.positions);
    }
}

/// The write control character.
fn write_control(erase: Erase, control: Control) -> u8 {
    let width = match control.width {
        LineWidth::AsFormatted => 0x00,
        LineWidth::L40 => 0x10,
        LineWidth::L64 => 0x20,
        LineWidth::L80 => 0x30,
    };
    // ERASEAUP also turns the modified data tags off; its order alone does not.
    let reset = control.frset || erase == Erase::Unprotected;
    let bits = [
        (control.print, START_PRINTER),
        (control.alarm, SOUND_ALARM),
        (control.freekb, RESTORE_KEYBOARD),
        (reset, RESET_MDT),
    ];
    six_bit_code(bits.into_iter().filter(|(wanted, _)| *wanted).fold(width, |all, (_, bit)| all | bit))
}

/// A character that the terminal takes as data. A byte that it would take for an order becomes a blank: one stray byte
/// of a program would make it misread the rest of the data stream.
fn displayable(character: u8) -> u8 {
    match character {
        // Null, and the format controls that a terminal shows or a printer obeys: form feed, carriage return, shift
        // out and in, new line, end of medium, duplicate, field mark, substitute.
        0x00 | 0x0C..=0x0F | 0x15 | 0x19 | 0x1C | 0x1E | 0x3F => character,
        0x01..=0x3F | 0xFF => BLANK,
        _ => character,
    }
}

/// The position of a cursor that a command asks for.
pub fn checked_cursor(position: u16, size: Size) -> Result<usize, SendError> {
    let inside = usize::from(position) < size.positions();
    inside.then_some(usize::from(position)).ok_or(SendError::CursorOutside { position })
}
