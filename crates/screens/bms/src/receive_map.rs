//! RECEIVE MAP: the operator's input, to a program's record.
//!
//! Each received field gets its length, and its data justified and filled; a field that was erased gets length 0 and
//! the flag [`FLAG_ERASED`]. All else is X'00'.

use ebcdic::CodePage;
use thiserror::Error;
use tn3270::datastream::{self, Inbound, Input, Size};

use crate::layout::{Cell, LENGTH_ITEM, cells, symbolic_length};
use crate::map::{Field, Map};
use crate::place::{Area, Page, place};

/// Flag of a field that was modified to nothing.
pub const FLAG_ERASED: u8 = 0x80;
/// Flag of the field in which the cursor is, for maps with CURSLOC=YES.
pub const FLAG_CURSOR: u8 = 0x02;

/// The reason why nothing is received.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ReceiveError {
    /// No field of the map came in: condition MAPFAIL.
    #[error("no field of map {map} was received")]
    MapFail {
        /// The map.
        map: String,
    },
    /// The map gives no data to a program (MODE=OUT).
    #[error("map {map} is for output only")]
    OutputOnly {
        /// The map.
        map: String,
    },
    /// The map does not fit the screen: condition INVMPSZ.
    #[error("map {map} does not fit the screen")]
    MapTooLarge {
        /// The map.
        map: String,
    },
}

/// The record of a map with a terminal's input.
///
/// Input from a screen without fields has none of the map's. `uppercase` is the terminal's translation to upper case (UCTRAN), unless ASIS suppresses it.
pub fn receive_map(
    map: &Map,
    inbound: &Inbound,
    screen: Size,
    code_page: CodePage,
    uppercase: bool,
) -> Result<Vec<u8>, ReceiveError> {
    let name = || map.name.clone();
    if !map.mode.receives() {
        return Err(ReceiveError::OutputOnly { map: name() });
    }
    if inbound.aid.is_short() {
        return Err(ReceiveError::MapFail { map: name() });
    }
    let area = place(map, screen, Page::default()).map_err(|_| ReceiveError::MapTooLarge { map: name() })?;
    let mut receiver = Receiver {
        record: vec![0; symbolic_length(map)],
        fields: if let Input::Fields { fields, .. } = &inbound.input { fields } else { &[] },
        cursor: usize::from(inbound.cursor().unwrap_or_default().0),
        area,
        screen,
        program: code_page.to_program_table(),
        uppercase,
    };
    let mut received = false;
    for cell in cells(map) {
        received |= receiver.field(cell);
        received |= map.cursor_flagged && receiver.cursor(cell);
    }
    received.then_some(receiver.record).ok_or(ReceiveError::MapFail { map: name() })
}

struct Receiver<'r> {
    record: Vec<u8>,
    fields: &'r [datastream::Field],
    cursor: usize,
    area: Area,
    screen: Size,
    /// The program character of each EBCDIC byte.
    program: &'static ebcdic::Table,
    uppercase: bool,
}

impl<'r> Receiver<'r> {
    /// Fills in one field; false if it did not come in or has no name.
    fn field(&mut self, cell: Cell) -> bool {
        let (Some(items), Some(data)) = (cell.items, self.data(cell)) else { return false };
        if let Some(at) = items.length {
            // In a group the length is that of all its fields.
            let most = if cell.field.group.is_some() { data.len() } else { usize::from(cell.field.length) };
            let length = u16::try_from(data.len().min(most)).unwrap_or(u16::MAX);
            self.record[at..at + LENGTH_ITEM].copy_from_slice(&length.to_be_bytes());
        }
        if !data.is_empty() {
            let text = self.text(cell.field, data);
            fill(
                &mut self.record[items.data..items.data + usize::from(cell.field.length)],
                &text,
                cell.field,
            );
        } else if let Some(flag) = items.flag() {
            self.record[flag] |= FLAG_ERASED;
        }
        true
    }

    /// The data received for a cell. Later fields of a group have their part of the data received for the first.
    fn data(&self, cell: Cell) -> Option<&'r [u8]> {
        let start = self.area.data_position(cell.position, self.screen);
        self.fields.iter().find_map(|datastream::Field { address, data }| {
            let skipped = start.checked_sub(usize::from(address.0))?;
            if cell.heads { (skipped == 0).then_some(data.as_slice()) } else { data.get(skipped..) }
        })
    }

    /// Received data in the program's code, at most as long as the field.
    fn text(&self, field: &Field, data: &[u8]) -> Vec<u8> {
        let upper = self.uppercase && !field.mixed_case;
        let data = data.iter().take(usize::from(field.length));
        data.map(|character| {
            let character = self.program[usize::from(*character)];
            if upper { ebcdic::upper(character) } else { character }
        })
        .collect()
    }

    /// Flags a cell in which the cursor is.
    fn cursor(&mut self, cell: Cell) -> bool {
        let Some(flag) = cell.items.and_then(|items| items.flag()) else { return false };
        let start = self.area.data_position(cell.position, self.screen);
        let inside = (start..start + usize::from(cell.field.length)).contains(&self.cursor);
        if inside {
            self.record[flag] |= FLAG_CURSOR;
        }
        inside
    }
}

/// Puts text into a field's item as its JUSTIFY says.
fn fill(item: &mut [u8], text: &[u8], field: &Field) {
    item.fill(if field.justify.zero { b'0' } else { b' ' });
    let at = if field.justify.right { item.len() - text.len() } else { 0 };
    item[at..at + text.len()].copy_from_slice(text);
}
