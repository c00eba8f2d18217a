//! Building a stream to a terminal.

use super::address::Address;
use super::attributes::FieldAttribute;
use super::command::{Command, Wcc, structured_field};
use super::order::{code, is_character};

const BLANK: u8 = 0x40;

/// A stream in the making: each call appends one order, in the order a terminal will obey them.
#[derive(Clone, Debug)]
pub struct Outbound {
    bytes: Vec<u8>,
}

impl Outbound {
    /// A write of any of the three kinds.
    pub fn write(command: Command, wcc: Wcc) -> Self {
        debug_assert!(command.has_orders(), "{command:?} takes no WCC");
        Self { bytes: vec![command.code(), wcc.code()] }
    }

    /// A command without orders: the reads, and Erase All Unprotected.
    pub fn bare(command: Command) -> Vec<u8> {
        vec![command.code()]
    }

    /// The stream.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }

    /// SBA: the next data go to an address.
    pub fn set_buffer_address(&mut self, address: Address) -> &mut Self {
        self.order(code::SBA, &address.encode())
    }

    /// SF: a field starts.
    pub fn start_field(&mut self, attribute: FieldAttribute) -> &mut Self {
        self.order(code::SF, &[attribute.code()])
    }

    /// SFE: a field starts, with extended attributes as (type, value); at most 254 of them are sent.
    pub fn start_field_extended(
        &mut self,
        attribute: FieldAttribute,
        pairs: impl IntoIterator<Item = (u8, u8)>,
    ) -> &mut Self {
        let field = (super::attributes::attribute::FIELD, attribute.code());
        self.pairs(code::SFE, std::iter::once(field).chain(pairs))
    }

    /// MF: attributes of the field that starts here change.
    pub fn modify_field(&mut self, pairs: impl IntoIterator<Item = (u8, u8)>) -> &mut Self {
        self.pairs(code::MF, pairs)
    }

    /// SA: an attribute of the characters that follow.
    pub fn set_attribute(&mut self, kind: u8, value: u8) -> &mut Self {
        self.order(code::SA, &[kind, value])
    }

    /// IC: the cursor is placed here.
    pub fn insert_cursor(&mut self) -> &mut Self {
        self.order(code::IC, &[])
    }

    /// PT: on to the next unprotected field.
    pub fn program_tab(&mut self) -> &mut Self {
        self.order(code::PT, &[])
    }

    /// RA: a character up to an address, exclusive.
    pub fn repeat_to_address(&mut self, stop: Address, character: u8) -> &mut Self {
        self.order(code::RA, &stop.encode()).text(&[character])
    }

    /// EUA: unprotected characters are erased up to an address, exclusive.
    pub fn erase_unprotected_to_address(&mut self, stop: Address) -> &mut Self {
        self.order(code::EUA, &stop.encode())
    }

    /// GE: one character of the graphic set.
    pub fn graphic_escape(&mut self, character: u8) -> &mut Self {
        self.order(code::GE, &[character])
    }

    /// Characters. Bytes that a terminal would take for orders, or reject, are sent as blanks: data never command.
    pub fn text(&mut self, characters: &[u8]) -> &mut Self {
        self.bytes.extend(characters.iter().map(|&byte| if is_character(byte) { byte } else { BLANK }));
        self
    }

    /// Bytes as they are: a stream that a program has built.
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    fn order(&mut self, code: u8, operands: &[u8]) -> &mut Self {
        self.bytes.push(code);
        self.bytes.extend_from_slice(operands);
        self
    }

    fn pairs(&mut self, code: u8, pairs: impl IntoIterator<Item = (u8, u8)>) -> &mut Self {
        let pairs: Vec<_> = pairs.into_iter().take(usize::from(u8::MAX)).collect();
        self.order(code, &[pairs.len() as u8]);
        self.bytes.extend(pairs.into_iter().flat_map(|(kind, value)| [kind, value]));
        self
    }
}

/// The question to which a terminal answers with its [`super::Capabilities`].
pub fn read_partition_query() -> Vec<u8> {
    const ALL_PARTITIONS: u8 = 0xFF;
    const QUERY: u8 = 0x02;
    let write = Command::WriteStructuredField.code();
    vec![write, 0x00, 0x05, structured_field::READ_PARTITION, ALL_PARTITIONS, QUERY]
}
