//! SEND MAP: a map and a program's record to a data stream.
//!
//! For each field the program's values win over the map's where they are given; X'00' is "not given". The three kinds
//! of content send:
//!
//! | | attribute | extended attributes | data |
//! |---|---|---|---|
//! | map and data | program's, else map's | program's, else map's; X'FF' resets | program's, else INITIAL |
//! | MAPONLY | map's | map's | INITIAL |
//! | DATAONLY | program's, if given | program's, if given; X'FF' resets | program's, if given |
//!
//! Constants take part unless DATAONLY is asked for.

use smallvec::SmallVec;
use tn3270::datastream::Size;

use crate::attribute::{EXTENDED_KINDS, Extended, FieldAttribute};
use crate::display::{Display, Erase, SendError};
use crate::layout::{Cell, LENGTH_ITEM, cells};
use crate::map::{Control, Field, Initial, Map};
use crate::place::{Area, Page, place};
use crate::receive_map::{FLAG_CURSOR, FLAG_ERASED};
use crate::stream::{BLANK, Stream, checked_cursor};

/// The length that marks a field for the cursor.
const CURSOR_LENGTH: [u8; LENGTH_ITEM] = (-1i16).to_be_bytes();
/// An extended attribute of this value goes back to the terminal's default.
const RESET: u8 = 0xFF;
/// A value that is not given.
const NOT_GIVEN: u8 = 0x00;
/// The value, on the wire, of an extended attribute that the terminal chooses.
const DEVICE_DEFAULT: u8 = 0x00;

/// Options of SEND MAP.
#[derive(Clone, Copy, Debug, Default)]
pub struct MapOptions {
    /// ERASE and its kin.
    pub erase: Erase,
    /// Device controls; if none is asked for, the map's own hold.
    pub control: Control,
    /// The place of the cursor.
    pub cursor: Cursor,
    /// The content that is sent.
    pub content: Content,
    /// The page so far, for maps that are placed in relation to others.
    pub page: Page,
}

/// The place where SEND MAP puts the cursor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cursor {
    /// At the place that the map gives (IC); else it stays, or after an erase is at the first position.
    #[default]
    AsMap,
    /// At this position of the screen, from 0 (CURSOR(n)).
    At(u16),
    /// At the first field whose length is -1 (CURSOR).
    Symbolic,
}

/// Whose values SEND MAP sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Content {
    /// The program's and the map's.
    #[default]
    Both,
    /// The map's alone (MAPONLY).
    MapOnly,
    /// The program's alone (DATAONLY).
    DataOnly,
}

/// The data stream of a map with a program's record: command, write control character and orders.
///
/// Without a record the map's values are sent. A record that is too short counts as filled up with X'00'.
pub fn send_map(
    map: &Map,
    options: &MapOptions,
    record: Option<&[u8]>,
    display: &Display,
) -> Result<Vec<u8>, SendError> {
    let content = if record.is_none() { Content::MapOnly } else { options.content };
    if !map.mode.sends() && content != Content::MapOnly {
        return Err(SendError::InputOnly { map: map.name.clone() });
    }
    let screen = display.screen.after(options.erase).size();
    let area = place(map, screen, options.page)?;
    let control = if options.control == Control::default() { map.control } else { options.control };
    let mut stream = Stream::write(options.erase, control, display.screen)?;
    let record = Record { bytes: record.unwrap_or_default(), map };
    let mut sender = Sender { stream: &mut stream, area, screen, display };
    for cell in cells(map) {
        match content {
            Content::Both => sender.whole(cell, &record.values(cell)),
            Content::MapOnly => sender.whole(cell, &Values::default()),
            Content::DataOnly => sender.changes(cell, &record.values(cell)),
        }
    }
    if let Some(position) = cursor(options.cursor, content, &record, area, screen)? {
        stream.cursor(position);
    }
    Ok(stream.finish())
}

/// A program's record.
struct Record<'r> {
    bytes: &'r [u8],
    map: &'r Map,
}

/// The values that a program gives for one field.
#[derive(Default)]
struct Values<'r> {
    attribute: Option<u8>,
    /// By kind; X'00' where not given.
    extended: [u8; EXTENDED_KINDS],
    data: Option<&'r [u8]>,
}

impl<'r> Record<'r> {
    fn values(&self, cell: Cell) -> Values<'r> {
        let Some(items) = cell.items else { return Values::default() };
        let mut values = Values::default();
        if let (Some(flag), Some(first)) = (items.flag(), items.extended()) {
            values.attribute = self.byte(flag).filter(|byte| !is_flags(*byte));
            for (kind, at) in self.map.data_attributes.kinds().zip(first..) {
                values.extended[kind as usize] = self.byte(at).unwrap_or(NOT_GIVEN);
            }
        }
        if self.byte(items.data).is_some() {
            let end = self.bytes.len().min(items.data + usize::from(cell.field.length));
            values.data = (cell.field.length > 0).then(|| &self.bytes[items.data..end]);
        }
        values
    }

    /// A byte that the program gives.
    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied().filter(|byte| *byte != NOT_GIVEN)
    }

    fn asks_for_cursor(&self, cell: Cell) -> bool {
        let length = cell.items.and_then(|items| items.length);
        length
            .and_then(|at| self.bytes.get(at..at + LENGTH_ITEM))
            .is_some_and(|length| length == CURSOR_LENGTH)
    }
}

/// Returns true if an attribute byte holds the flags of a received record, which have the same place: a program that
/// sends back a received record has given no attribute, or an FSET field would lose its tag.
fn is_flags(byte: u8) -> bool {
    byte & !(FLAG_ERASED | FLAG_CURSOR) == 0
}

/// Writes cells into a data stream.
struct Sender<'s> {
    stream: &'s mut Stream,
    area: Area,
    screen: Size,
    display: &'s Display,
}

impl Sender<'_> {
    /// A field with its attributes, given by the program or by the map.
    fn whole(&mut self, cell: Cell, values: &Values) {
        if cell.heads {
            let attribute = values.attribute.map_or(cell.field.attribute, |byte| self.attribute(byte));
            let pairs = self.pairs(|kind| match values.extended[kind as usize] {
                NOT_GIVEN => Some(cell.field.extended.get(kind)).filter(|value| *value != DEVICE_DEFAULT),
                RESET => None,
                given => Some(self.on_the_wire(kind, given)),
            });
            self.stream.go_to(self.area.screen_position(cell.position, self.screen));
            self.stream.start_field(attribute, &pairs);
        }
        match (values.data, &cell.field.initial) {
            (Some(data), _) => self.program_data(cell, data),
            (None, initial) => self.initial(cell, initial),
        }
    }

    /// Writes the program's values for a field that is on the screen already.
    fn changes(&mut self, cell: Cell, values: &Values) {
        let attribute = values.attribute.map(|byte| self.attribute(byte));
        let pairs = self.pairs(|kind| match values.extended[kind as usize] {
            NOT_GIVEN => None,
            RESET => Some(DEVICE_DEFAULT),
            given => Some(self.on_the_wire(kind, given)),
        });
        if attribute.is_some() || !pairs.is_empty() {
            self.stream.go_to(self.area.screen_position(cell.position, self.screen));
            match attribute {
                // A terminal without extended attributes knows no other order, and has nothing else to keep.
                Some(attribute) if self.display.features.is_empty() => {
                    self.stream.start_field(attribute, &[])
                }
                _ => self.stream.modify_field(attribute, &pairs),
            }
        }
        if let Some(data) = values.data {
            self.program_data(cell, data);
        }
    }

    /// The extended attributes that are wanted and the terminal has, less values that would make it reject the data
    /// stream.
    fn pairs(&self, wanted: impl Fn(Extended) -> Option<u8>) -> SmallVec<[(Extended, u8); EXTENDED_KINDS]> {
        let kinds = self.display.features.kinds();
        kinds
            .filter_map(|kind| Some((kind, wanted(kind)?)))
            .filter(|(kind, value)| kind.accepts(*value))
            .collect()
    }

    /// A program's value of an extended attribute as the terminal gets it.
    fn on_the_wire(&self, kind: Extended, value: u8) -> u8 {
        if kind.is_number() { value } else { kind.meant(value, self.ebcdic()[usize::from(value)]) }
    }

    fn program_data(&mut self, cell: Cell, data: &[u8]) {
        let ebcdic = self.ebcdic();
        self.data(cell, data.iter().map(|character| ebcdic[usize::from(*character)]));
    }

    /// A field's initial value, filled up with blanks.
    fn initial(&mut self, cell: Cell, initial: &Initial) {
        let ebcdic = self.ebcdic();
        let fill = std::iter::repeat(BLANK);
        let length = usize::from(cell.field.length);
        match initial {
            Initial::None => {}
            Initial::Characters(text) => {
                let text = text.iter().map(|character| ebcdic[usize::from(*character)]);
                self.data(cell, text.chain(fill).take(length));
            }
            Initial::Bytes(bytes) => self.data(cell, bytes.iter().copied().chain(fill).take(length)),
        }
    }

    fn data(&mut self, cell: Cell, data: impl Iterator<Item = u8>) {
        self.stream.go_to(self.area.data_position(cell.position, self.screen));
        self.stream.characters(data);
    }

    /// The attribute of a program's attribute character.
    fn attribute(&self, character: u8) -> FieldAttribute {
        match character {
            RESET => FieldAttribute::from_ebcdic(character),
            _ => FieldAttribute::meant(character, self.ebcdic()[usize::from(character)]),
        }
    }

    /// The EBCDIC byte of each program character.
    fn ebcdic(&self) -> &'static ebcdic::Table {
        self.display.code_page.from_program_table()
    }
}

/// The position of the cursor, if the command or the map gives one.
fn cursor(
    cursor: Cursor,
    content: Content,
    record: &Record,
    area: Area,
    screen: Size,
) -> Result<Option<usize>, SendError> {
    let asked = match cursor {
        Cursor::At(position) => return checked_cursor(position, screen).map(Some),
        Cursor::Symbolic => cells(record.map).find(|cell| record.asks_for_cursor(*cell)),
        Cursor::AsMap => None,
    };
    let has_cursor = |field: &Field| field.cursor && content != Content::DataOnly;
    let cell = asked.or_else(|| cells(record.map).filter(|cell| has_cursor(cell.field)).last());
    Ok(cell.map(|cell| area.data_position(cell.position, screen)))
}
