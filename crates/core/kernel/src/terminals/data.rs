//! Between a program's characters and a data stream, where a program writes or reads the stream itself: SEND, RECEIVE.
//!
//! Text crosses the code page. An order keeps its bytes, and so do the address or the attributes behind it: programs
//! write them as hexadecimal constants, which keep their bytes.
//!
//! Four orders have the codes of printing characters here: RA is `<`, SA `(`, SFE `)`, MF `,`. Such a byte is an order
//! where what stands behind it could be its operands and is hardly a text; see [`order`].

use ebcdic::CodePage;
use tn3270::datastream::{Inbound, Input, attribute, code};

/// Pairs of attributes that an order may have.
const PAIRS_MAX: usize = 8;
/// The blank of terminals; below it are no characters.
const BLANK: u8 = 0x40;
/// The first printing character of programs: half an address in 14 bits is less.
const PRINTING: u8 = 0x20;
/// The two bits that make a field attribute or half an address a graphic byte.
const GRAPHIC: u8 = 0xC0;

/// An order in a program's data.
#[derive(Clone, Copy)]
enum Order {
    /// Its bytes are sent as they are, so many.
    Bytes(usize),
    /// One whose last byte is a character.
    Repeat,
    /// SF: behind it stands a field attribute.
    StartField,
    /// So many pairs of attributes stand behind its count.
    Pairs(usize),
}

impl Order {
    fn length(self) -> usize {
        match self {
            Self::Bytes(length) => length,
            Self::Repeat => 4,
            Self::StartField => 2,
            Self::Pairs(count) => 2 + 2 * count,
        }
    }
}

/// The order at the beginning of some data; `None`: a character. `behind`: an order stands right before it.
fn order(data: &[u8], behind: bool) -> Option<Order> {
    match *data {
        [code::SBA | code::EUA, ..] => Some(Order::Bytes(3)),
        [code::GE, ..] => Some(Order::Bytes(2)),
        [code::IC | code::PT, ..] => Some(Order::Bytes(1)),
        [code::SF, ..] => Some(Order::StartField),
        [code::SFE | code::MF, count, ref pairs @ ..] => {
            let count = usize::from(count);
            let known = (1..=PAIRS_MAX).contains(&count) && pairs.len() >= 2 * count;
            let known = known && pairs.chunks_exact(2).take(count).all(|pair| is_attribute(pair[0]));
            known.then_some(Order::Pairs(count))
        }
        [code::SA, kind, value, ..] => {
            let plain = kind != attribute::FIELD && is_attribute(kind);
            (plain && is_value(value)).then_some(Order::Bytes(3))
        }
        // Behind SBA text seldom begins with `<`, and an address is seldom two letters.
        [code::RA, first, second, _, ..] => {
            let halves = is_graphic(first) && is_graphic(second);
            let letters = first.is_ascii_alphanumeric() || second.is_ascii_alphanumeric();
            let in_14_bits = first < PRINTING;
            (in_14_bits || halves && (behind || !letters)).then_some(Order::Repeat)
        }
        _ => None,
    }
}

fn is_attribute(kind: u8) -> bool {
    use attribute::{
        BACKGROUND, CHARACTER_SET, COLOUR, FIELD, HIGHLIGHT, OUTLINING, RESET, TRANSPARENCY, VALIDATION,
    };
    let known =
        [RESET, FIELD, VALIDATION, OUTLINING, HIGHLIGHT, COLOUR, CHARACTER_SET, BACKGROUND, TRANSPARENCY];
    known.contains(&kind)
}

/// Returns true if a byte can be the value of a character's attribute: none, or a digit of terminals.
fn is_value(byte: u8) -> bool {
    byte == 0 || byte >= 0xF0
}

/// Returns true if a byte is one of the 64 by which terminals write six bits.
fn is_graphic(byte: u8) -> bool {
    let digit = byte & 0x0F;
    match byte & GRAPHIC {
        0x40 => matches!(digit, 0x0A..) || matches!(byte, 0x40 | 0x50 | 0x60 | 0x61),
        GRAPHIC => digit <= 9 && !matches!(byte, 0xC0 | 0xD0 | 0xE0 | 0xE1),
        _ => false,
    }
}

/// Returns true if the character that RA repeats is a byte of terminals, as in the rest of a hexadecimal constant:
/// one that is a plain character there. A literal that programs fill with (`-`, `*`, `_`, a blank) is none.
fn is_of_terminals(code_page: CodePage, byte: u8) -> bool {
    let shown = code_page.to_program(&[byte]);
    byte >= BLANK && shown.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ')
}

/// A program's data as the line gets it.
pub fn to_line(code_page: CodePage, data: &[u8]) -> Vec<u8> {
    let mut line = code_page.from_program(data);
    let (mut at, mut behind) = (0, false);
    while at < data.len() {
        let Some(order) = order(&data[at..], behind) else {
            (at, behind) = (at + 1, false);
            continue;
        };
        let end = (at + order.length()).min(data.len());
        let operands = &mut line[at..end];
        obey(code_page, order, &data[at..end], operands);
        (at, behind) = (end, true);
    }
    line
}

/// Puts an order's own bytes where those of characters were.
fn obey(code_page: CodePage, order: Order, data: &[u8], line: &mut [u8]) {
    // A field attribute that is a constant of DFHBMSCA is a character; a hexadecimal one is a byte.
    let attribute = |at: usize, line: &mut [u8]| {
        if data.get(at).is_some_and(|byte| is_graphic(*byte)) {
            line[at] = data[at];
        }
    };
    match order {
        Order::Bytes(_) => line.copy_from_slice(data),
        Order::StartField => {
            line[0] = data[0];
            attribute(1, line);
        }
        Order::Repeat => {
            let address = data.len().min(3);
            line[..address].copy_from_slice(&data[..address]);
            if data.get(3).is_some_and(|byte| is_of_terminals(code_page, *byte)) {
                line[3] = data[3];
            }
        }
        Order::Pairs(count) => {
            line[..2].copy_from_slice(&data[..2]);
            for at in (2..2 + 2 * count).step_by(2) {
                line[at] = data[at];
                if data[at] == attribute::FIELD {
                    attribute(at + 1, line);
                } else {
                    line[at + 1] = data[at + 1];
                }
            }
        }
    }
}

/// An input as a program reads it; of a formatted screen, each field behind its address.
pub fn from_line(code_page: CodePage, input: &Inbound, upper_case: bool) -> Vec<u8> {
    let text = |data: &[u8]| {
        let mut text = data.to_vec();
        if upper_case {
            code_page.upper_in_place(&mut text);
        }
        code_page.to_program_in_place(&mut text);
        text
    };
    match &input.input {
        Input::None | Input::Structured(_) => Vec::new(),
        Input::Unformatted { data, .. } => text(data),
        Input::Fields { fields, .. } => fields
            .iter()
            .flat_map(|field| {
                let mut bytes = vec![code::SBA];
                bytes.extend_from_slice(&field.address.encode());
                bytes.extend(text(&field.data));
                bytes
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(data: &[u8], expected: &[u8]) {
        assert_eq!(to_line(CodePage::Ibm037, data), expected);
    }

    #[test]
    fn orders_keep_their_bytes_and_text_crosses_the_code_page() {
        check(b"\x11\x40\x40\x1d\xf0AB\x13", b"\x11\x40\x40\x1d\xf0\xc1\xc2\x13");
        check(b"\x12\x40\x40\x05A", b"\x12\x40\x40\x05\xc1");
        check(b"\x29\x02\xc0\xf8\x42\xf2A", b"\x29\x02\xc0\xf8\x42\xf2\xc1");
        check(b"\x2c\x01\x41\xf4A", b"\x2c\x01\x41\xf4\xc1");
        check(b"\x28\x42\xf2A\x28\x00\x00", b"\x28\x42\xf2\xc1\x28\x00\x00");
        check(b"\x3c\x5d\x7f\x40A", b"\x3c\x5d\x7f\x40\xc1");
        check(b"\x3c\x00\x50*", b"\x3c\x00\x50\x5c");
        check(b"\x3c\x00\x50_", b"\x3c\x00\x50\x6d");
        check(b"\x3c\x00\x50\x6d", b"\x3c\x00\x50\x6d");
        check(b"\x11\x40\x40\x3cO\x4f\x00", b"\x11\x40\x40\x3c\x4f\x4f\x00");
    }

    #[test]
    fn printing_characters_are_text_where_they_are_no_orders() {
        check(b"(A), <OK>", b"\x4d\xc1\x5d\x6b\x40\x4c\xd6\xd2\x6e");
        check(b"<NO>.", b"\x4c\xd5\xd6\x6e\x4b");
        check(b"<= 10", b"\x4c\x7e\x40\xf1\xf0");
        check(b")", b"\x5d");
    }

    #[test]
    fn a_field_attribute_may_be_a_character_of_a_copybook() {
        // DFHBMPRF is `-`, DFHBMUNP is a blank.
        check(b"\x1d-\x1d ", b"\x1d\x60\x1d\x40");
    }

    #[test]
    fn an_order_that_is_cut_short_is_not_a_panic() {
        check(b"A\x11\x40", b"\xc1\x11\x40");
        check(b"\x11", b"\x11");
        check(b"\x1d", b"\x1d");
    }
}
