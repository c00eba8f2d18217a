//! SCS as a program writes it: its text crosses the code page, and controls keep their bytes.
//!
//! A byte below X'20' is a control. Others have the codes of printing characters here: CSP is `+`, PP is `4`, SA is `(`. Such a byte is
//! a control where what stands behind it could be its operands and is hardly a text; see [`control`]. LF and TRN have no operands by
//! which they could be told from `%` and `5`.

use ebcdic::CodePage;
use tn3270::datastream::{attribute, code};

/// Controls that have operands.
mod control_code {
    /// Select (a vertical channel): one operand.
    pub const SEL: u8 = 0x04;
    /// The first byte of those that set formats: a kind, and a count that counts itself.
    pub const CSP: u8 = 0x2B;
    /// Presentation Position: a direction and a number.
    pub const PP: u8 = 0x34;
}

/// Kinds behind CSP: horizontal and vertical format, line density, and their like.
const FORMATS: [u8; 10] = [0xC1, 0xC2, 0xC6, 0xC8, 0xD1, 0xD2, 0xD3, 0xD4, 0xFD, 0xFE];
/// Directions of PP, but for the one that is a letter here.
const DIRECTIONS: [u8; 3] = [0xC0, 0xC4, 0xC8];
/// The first printing character of programs.
const PRINTING: u8 = 0x20;
/// The first value of a character's attribute, beside none.
const VALUES: u8 = 0xF0;

/// A program's own SCS as a printer gets it.
pub(crate) fn to_line(code_page: CodePage, data: &[u8]) -> Vec<u8> {
    let mut line = code_page.from_program(data);
    let mut at = 0;
    while at < data.len() {
        let length = control(&data[at..]);
        line[at..at + length].copy_from_slice(&data[at..at + length]);
        at += length.max(1);
    }
    line
}

/// The length of the control with which some data begin, operands included; 0 if that is a character.
fn control(data: &[u8]) -> usize {
    let operands = match *data {
        [control_code::SEL, _, ..] => 1,
        [control_code::CSP, kind, count, ref rest @ ..]
            if FORMATS.contains(&kind) && (1..=rest.len() + 1).contains(&count.into()) =>
        {
            1 + usize::from(count)
        }
        [control_code::PP, direction, _, ..] if DIRECTIONS.contains(&direction) => 2,
        [code::SA, kind, value, ..] if is_attribute(kind) && (value == 0 || value >= VALUES) => 2,
        [first, ..] if first < PRINTING => 0,
        _ => return 0,
    };
    1 + operands
}

/// Returns true if a kind is one of a character's attributes.
fn is_attribute(kind: u8) -> bool {
    [attribute::RESET, attribute::HIGHLIGHT, attribute::COLOUR, attribute::CHARACTER_SET].contains(&kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(data: &[u8], expected: &[u8]) {
        assert_eq!(to_line(CodePage::Ibm037, data), expected, "{data:02X?}");
    }

    #[test]
    fn controls_keep_their_bytes_and_text_crosses_the_code_page() {
        check(b"A\x15B\x0c", b"\xc1\x15\xc2\x0c");
        check(b"\x0d\x05\x0b\x16", b"\x0d\x05\x0b\x16");
        check(b"\x04\x81A", b"\x04\x81\xc1");
    }

    #[test]
    fn formats_positions_and_attributes_keep_their_operands() {
        check(b"\x2b\xc1\x02\x50A", b"\x2b\xc1\x02\x50\xc1");
        check(b"\x2b\xc2\x04\x3c\x00\x3cA", b"\x2b\xc2\x04\x3c\x00\x3c\xc1");
        check(b"\x2b\xc6\x01A", b"\x2b\xc6\x01\xc1");
        check(b"\x34\xc0\x28A", b"\x34\xc0\x28\xc1");
        check(b"\x28\x42\xf2A\x28\x00\x00", b"\x28\x42\xf2\xc1\x28\x00\x00");
    }

    #[test]
    fn printing_characters_are_text_where_they_are_no_controls() {
        check(b"1+2=45%(B)", b"\xf1\x4e\xf2\x7e\xf4\xf5\x6c\x4d\xc2\x5d");
        check(b"5\x15", b"\xf5\x15");
    }

    #[test]
    fn a_control_that_is_cut_short_is_not_a_panic() {
        for data in [
            &b""[..],
            b"\x04",
            b"\x2b",
            b"\x2b\xc1",
            b"\x2b\xc1\x00",
            b"\x2b\xc1\xff\x50",
            b"\x34\xc0",
            b"\x28\x42",
        ] {
            assert_eq!(to_line(CodePage::Ibm037, data).len(), data.len(), "{data:02X?}");
        }
    }
}
