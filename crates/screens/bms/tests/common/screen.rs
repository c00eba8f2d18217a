//! A 3270 screen just good enough to look at: it obeys the data streams of BMS, and an operator can type on it.

use std::fmt::Write;

use bms::{Display, Erase, Extended, ExtendedSet, FieldAttribute, Screen};
use tn3270::datastream::{Address, Aid, Field, Inbound, Input, Size};

pub const CODE_PAGE: ebcdic::CodePage = ebcdic::CodePage::Ibm037;

pub const MODEL_2: Size = Size::new(24, 80);
/// The character before each line of a picture: it keeps the blanks of expected pictures apart from their indentation.
const MARGIN: char = '|';
pub const ENTER: Aid = Aid::Enter;

/// A colour terminal of one size.
pub fn terminal(size: Size) -> Display {
    let features =
        [Extended::Colour, Extended::Symbols, Extended::Highlight, Extended::Validation, Extended::Outline];
    Display { screen: Screen::of(size), features: ExtendedSet::of(&features), code_page: CODE_PAGE }
}

/// A terminal without extended attributes.
pub fn monochrome(size: Size) -> Display {
    Display { features: ExtendedSet::NONE, ..terminal(size) }
}

/// The record that a key sends: the cursor's position, and modified fields by the position of their first character.
pub fn inbound(aid: Aid, cursor: u16, fields: Vec<(u16, Vec<u8>)>) -> Inbound {
    let field = |(address, data)| Field { address: Address(address), data };
    let fields = fields.into_iter().map(field).collect();
    Inbound { aid, input: Input::Fields { cursor: Address(cursor), fields } }
}

/// One position of the screen.
#[derive(Clone, Default)]
struct Position {
    character: u8,
    /// The field that starts here: its attribute, and its extended attributes by type.
    starts: Option<(FieldAttribute, Vec<(u8, u8)>)>,
}

pub struct Emulator {
    size: Size,
    alternate: Size,
    positions: Vec<Position>,
    pub cursor: usize,
    pub alarm: bool,
    pub unlocked: bool,
}

impl Emulator {
    pub fn new(size: Size) -> Self {
        Self::of(size, size)
    }

    /// A screen of two sizes.
    pub fn of(size: Size, alternate: Size) -> Self {
        let positions = vec![Position::default(); size.positions()];
        Self { size, alternate, positions, cursor: 0, alarm: false, unlocked: false }
    }

    /// Obeys a data stream.
    pub fn write(&mut self, stream: &[u8]) {
        let (command, rest) = stream.split_first().expect("a command");
        match command {
            0xF1 => {}
            0xF5 => self.erase(self.size),
            0x7E => self.erase(self.alternate),
            0x6F => {
                self.erase_unprotected();
                self.unlocked = true;
                return;
            }
            other => panic!("command {other:02X}"),
        }
        let (control, orders) = rest.split_first().expect("a write control character");
        self.alarm = control & 0x04 != 0;
        self.unlocked |= control & 0x02 != 0;
        if control & 0x01 != 0 {
            self.reset_modified();
        }
        self.orders(orders);
    }

    fn orders(&mut self, orders: &[u8]) {
        let mut at = self.cursor;
        let mut rest = orders.iter().copied();
        let mut next = || rest.next();
        while let Some(byte) = next() {
            let mut take = || next().expect("the rest of an order");
            match byte {
                0x11 => at = self.address([take(), take()]),
                0x12 => {
                    self.address([take(), take()]);
                    self.erase_unprotected();
                }
                0x13 => self.cursor = at,
                0x1D => {
                    self.positions[at].starts = Some((attribute(take()), Vec::new()));
                    at = self.after(at);
                }
                0x29 | 0x2C => {
                    let mut field = match &self.positions[at].starts {
                        Some(field) if byte == 0x2C => field.clone(),
                        _ => (FieldAttribute::UNPROTECTED, Vec::new()),
                    };
                    for _ in 0..take() {
                        match (take(), take()) {
                            (0xC0, value) => field.0 = attribute(value),
                            (kind, value) => {
                                field.1.retain(|(other, _)| *other != kind);
                                field.1.extend((value != 0).then_some((kind, value)));
                            }
                        }
                    }
                    self.positions[at].starts = Some(field);
                    at = self.after(at);
                }
                character => {
                    self.positions[at] = Position { character, starts: None };
                    at = self.after(at);
                }
            }
        }
    }

    fn address(&self, bytes: [u8; 2]) -> usize {
        let [high, low] = bytes.map(usize::from);
        let address = if bytes[0] & 0xC0 == 0 { high << 8 | low } else { (high & 0x3F) << 6 | low & 0x3F };
        assert!(address < self.positions.len(), "address {address}");
        address
    }

    fn after(&self, at: usize) -> usize {
        (at + 1) % self.positions.len()
    }

    fn erase(&mut self, size: Size) {
        self.size = size;
        self.positions = vec![Position::default(); size.positions()];
        self.cursor = 0;
    }

    fn erase_unprotected(&mut self) {
        for start in self.starts() {
            if let Some((attribute, _)) = &self.positions[start].starts
                && !attribute.has(FieldAttribute::PROTECTED)
            {
                for at in self.inside(start) {
                    self.positions[at].character = 0;
                }
            }
        }
    }

    fn reset_modified(&mut self) {
        for position in &mut self.positions {
            if let Some((attribute, _)) = &mut position.starts {
                *attribute = FieldAttribute::from_ebcdic(attribute.to_ebcdic() & 0xFE);
            }
        }
    }

    fn starts(&self) -> Vec<usize> {
        (0..self.positions.len()).filter(|at| self.positions[*at].starts.is_some()).collect()
    }

    /// The positions of the field that starts here.
    fn inside(&self, start: usize) -> Vec<usize> {
        let count = self.positions.len();
        let around = (1..count).map(|step| (start + step) % count);
        around.take_while(|at| self.positions[*at].starts.is_none()).collect()
    }

    /// Types at a line and column, as an operator: the field counts as modified.
    pub fn key(&mut self, line: usize, column: usize, text: &str) {
        let first = self.at(line, column);
        for (at, byte) in (first..).zip(text.bytes()) {
            assert!(self.positions[at].starts.is_none(), "the field is full");
            self.positions[at].character = CODE_PAGE.from_program(&[byte])[0];
        }
        self.cursor = first + text.len();
        self.modify(first);
    }

    /// Erases from a line and column to the field's end.
    pub fn erase_to_end_of_field(&mut self, line: usize, column: usize) {
        let first = self.at(line, column);
        let field = (first..self.positions.len()).take_while(|at| self.positions[*at].starts.is_none());
        for at in field.collect::<Vec<_>>() {
            self.positions[at].character = 0;
        }
        self.cursor = first;
        self.modify(first);
    }

    fn at(&self, line: usize, column: usize) -> usize {
        (line - 1) * usize::from(self.size.columns) + column - 1
    }

    fn modify(&mut self, at: usize) {
        let start = (0..at).rev().find(|at| self.positions[*at].starts.is_some()).expect("a field");
        let (attribute, _) = self.positions[start].starts.as_mut().expect("a field");
        assert!(!attribute.has(FieldAttribute::PROTECTED), "the field is protected");
        *attribute = attribute.with(FieldAttribute::MODIFIED);
    }

    /// The record that a read modified gives.
    pub fn press(&self, aid: Aid) -> Inbound {
        let modified = self.starts().into_iter().filter(|start| {
            let field = self.positions[*start].starts.as_ref();
            field.is_some_and(|(attribute, _)| attribute.has(FieldAttribute::MODIFIED))
        });
        let fields = modified.map(|start| {
            let characters = self.inside(start).into_iter().map(|at| self.positions[at].character);
            (self.after(start) as u16, characters.filter(|character| *character != 0).collect())
        });
        inbound(aid, self.cursor as u16, fields.collect())
    }

    /// The lines up to the last that holds anything; dark fields as the operator sees them.
    pub fn picture(&self) -> String {
        let columns = usize::from(self.size.columns);
        let mut dark = false;
        let mut picture = String::new();
        for line in self.positions.chunks(columns) {
            let mut text = String::new();
            for position in line {
                if let Some((attribute, _)) = &position.starts {
                    dark = attribute.has(FieldAttribute::DARK);
                }
                let shown = position.starts.is_none() && position.character != 0 && !dark;
                text.push(if shown { shown_as(position.character) } else { ' ' });
            }
            let _ = writeln!(picture, "{MARGIN}{}", text.trim_end());
        }
        format!("{}\n", picture.trim_end_matches(['\n', MARGIN]))
    }

    /// Every field: the place of its attribute, the attribute, its content.
    pub fn fields(&self) -> String {
        let columns = usize::from(self.size.columns);
        let mut list = String::new();
        for start in self.starts() {
            let Some((attribute, pairs)) = &self.positions[start].starts else { continue };
            let held = self.inside(start).into_iter().map(|at| self.positions[at].character);
            let held: String = held.filter(|held| *held != 0).map(shown_as).collect();
            let pairs: String =
                pairs.iter().map(|(kind, value)| format!(" {kind:02X}={value:02X}")).collect();
            let (line, column) = (start / columns + 1, start % columns + 1);
            let _ = writeln!(list, "({line},{column}) {}{pairs} '{}'", words(*attribute), held.trim_end());
        }
        list
    }

    /// The cursor's line and column.
    pub fn cursor(&self) -> (usize, usize) {
        let columns = usize::from(self.size.columns);
        (self.cursor / columns + 1, self.cursor % columns + 1)
    }

    /// The screen as BMS must know it.
    pub fn screen(&self, erase: Erase) -> Screen {
        Screen { default: MODEL_2, alternate: self.alternate, alternate_in_use: false }.after(erase)
    }
}

fn shown_as(character: u8) -> char {
    char::from(CODE_PAGE.to_program(&[character])[0])
}

/// An attribute character must be one of the graphic characters of six bits.
fn attribute(character: u8) -> FieldAttribute {
    let attribute = FieldAttribute::from_ebcdic(character);
    assert_eq!(attribute.to_ebcdic(), character, "attribute {character:02X}");
    attribute
}

fn words(attribute: FieldAttribute) -> String {
    let protection = match () {
        () if attribute.has(FieldAttribute::AUTOSKIP) => "askip",
        () if attribute.has(FieldAttribute::PROTECTED) => "prot",
        () if attribute.has(FieldAttribute::NUMERIC) => "num",
        () => "unprot",
    };
    let intensity = match () {
        () if attribute.has(FieldAttribute::DARK) => " drk",
        () if attribute.has(FieldAttribute::BRIGHT) => " brt",
        () => "",
    };
    let modified = if attribute.has(FieldAttribute::MODIFIED) { " mdt" } else { "" };
    format!("{protection}{intensity}{modified}")
}
