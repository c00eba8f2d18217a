//! Orders: the part of a stream after its WCC.

use super::BadStream;
use super::address::Address;
use super::attributes::FieldAttribute;

/// Codes of orders.
pub mod code {
    /// Program Tab.
    pub const PT: u8 = 0x05;
    /// Graphic Escape.
    pub const GE: u8 = 0x08;
    /// Set Buffer Address.
    pub const SBA: u8 = 0x11;
    /// Erase Unprotected to Address.
    pub const EUA: u8 = 0x12;
    /// Insert Cursor.
    pub const IC: u8 = 0x13;
    /// Start Field.
    pub const SF: u8 = 0x1D;
    /// Set Attribute.
    pub const SA: u8 = 0x28;
    /// Start Field Extended.
    pub const SFE: u8 = 0x29;
    /// Modify Field.
    pub const MF: u8 = 0x2C;
    /// Repeat to Address.
    pub const RA: u8 = 0x3C;
}

/// Bytes below X'40' that are characters: null, the format control orders and the shift codes.
const CONTROLS: [u8; 11] = [0x00, 0x0C, 0x0D, 0x0E, 0x0F, 0x15, 0x19, 0x1A, 0x1C, 0x1E, 0x3F];

/// One order, or the characters between two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order<'a> {
    /// Characters for the next positions.
    Text(&'a [u8]),
    /// One character of the graphic set.
    GraphicEscape(u8),
    /// Go to an address.
    SetBufferAddress(Address),
    /// Start a field.
    StartField(FieldAttribute),
    /// Start a field with attributes: (type, value) in the order sent.
    StartFieldExtended(Vec<(u8, u8)>),
    /// Change the field that starts here.
    ModifyField(Vec<(u8, u8)>),
    /// Set an attribute of the characters that follow.
    SetAttribute(u8, u8),
    /// Put the cursor here.
    InsertCursor,
    /// Go to the next unprotected field.
    ProgramTab,
    /// Repeat a character up to an address.
    RepeatToAddress {
        /// The address to stop at, exclusive.
        stop: Address,
        /// The character.
        character: u8,
        /// True if it is of the graphic set.
        graphic: bool,
    },
    /// Erase unprotected characters up to an address, exclusive.
    EraseUnprotectedToAddress(Address),
}

/// The orders of a stream, one after the other; after an error there are no more.
#[derive(Clone, Debug)]
pub struct Orders<'a> {
    stream: &'a [u8],
    at: usize,
}

/// The orders that start at an offset of a stream: 2 for a write command, after its WCC.
pub fn orders(stream: &[u8], from: usize) -> Orders<'_> {
    Orders { stream, at: from }
}

impl<'a> Iterator for Orders<'a> {
    type Item = Result<Order<'a>, BadStream>;

    fn next(&mut self) -> Option<Self::Item> {
        let &first = self.stream.get(self.at)?;
        let start = self.at;
        let order = match is_character(first) {
            true => Ok(self.text()),
            false => self.order(first),
        };
        if order.is_err() {
            self.at = self.stream.len();
        }
        debug_assert!(self.at > start, "each order takes a byte at least");
        Some(order)
    }
}

impl<'a> Orders<'a> {
    fn text(&mut self) -> Order<'a> {
        let rest = &self.stream[self.at..];
        let len = rest.iter().position(|&byte| !is_character(byte)).unwrap_or(rest.len());
        self.at += len;
        Order::Text(&rest[..len])
    }

    fn order(&mut self, first: u8) -> Result<Order<'a>, BadStream> {
        let start = self.at;
        self.at += 1;
        let order = match first {
            code::PT => Some(Order::ProgramTab),
            code::IC => Some(Order::InsertCursor),
            code::GE => self.byte().map(Order::GraphicEscape),
            code::SBA => self.address().map(Order::SetBufferAddress),
            code::EUA => self.address().map(Order::EraseUnprotectedToAddress),
            code::SF => self.byte().map(|byte| Order::StartField(FieldAttribute::of(byte))),
            code::SA => self.pair().map(|(kind, value)| Order::SetAttribute(kind, value)),
            code::SFE => self.pairs().map(Order::StartFieldExtended),
            code::MF => self.pairs().map(Order::ModifyField),
            code::RA => self.repeat(),
            _ => return Err(BadStream::UnknownOrder { code: first, offset: start }),
        };
        order.ok_or(BadStream::CutShort { code: first, offset: start })
    }

    fn repeat(&mut self) -> Option<Order<'a>> {
        let stop = self.address()?;
        let first = self.byte()?;
        let graphic = first == code::GE;
        let character = if graphic { self.byte()? } else { first };
        Some(Order::RepeatToAddress { stop, character, graphic })
    }

    fn pairs(&mut self) -> Option<Vec<(u8, u8)>> {
        (0..self.byte()?).map(|_| self.pair()).collect()
    }

    fn pair(&mut self) -> Option<(u8, u8)> {
        Some((self.byte()?, self.byte()?))
    }

    fn address(&mut self) -> Option<Address> {
        Some(Address::decode([self.byte()?, self.byte()?]))
    }

    fn byte(&mut self) -> Option<u8> {
        let &byte = self.stream.get(self.at)?;
        self.at += 1;
        Some(byte)
    }
}

/// Returns true if a terminal takes a byte as a character, printing or control.
pub(super) fn is_character(byte: u8) -> bool {
    byte >= 0x40 || CONTROLS.contains(&byte)
}
