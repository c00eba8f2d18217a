//! Between a program's characters and a data stream, where a program writes or reads the stream itself: SEND, RECEIVE.
//!
//! Text crosses the code page. An order keeps its bytes, and so do the address or the attributes behind it: programs
//! write them as hexadecimal constants, which keep their bytes. Orders whose code is a printing character here (RA, SA,
//! SFE, MF are `<`, `(`, `)`, `,`) are taken for text: a program that needs them uses maps.

use ebcdic::CodePage;
use tn3270::datastream::{Inbound, Input, code};

/// The bytes behind an order's code; `None` for a character.
fn operands(byte: u8) -> Option<usize> {
    match byte {
        code::SBA | code::EUA => Some(2),
        code::SF | code::GE => Some(1),
        code::IC | code::PT => Some(0),
        _ => None,
    }
}

/// A program's data as the line gets it.
pub(super) fn to_line(code_page: CodePage, data: &[u8]) -> Vec<u8> {
    let mut line = code_page.from_program(data);
    let mut at = 0;
    while at < data.len() {
        at = match operands(data[at]) {
            None => at + 1,
            Some(count) => {
                let end = (at + 1 + count).min(data.len());
                line[at..end].copy_from_slice(&data[at..end]);
                end
            }
        };
    }
    line
}

/// An input as a program reads it; of a formatted screen, each field behind its address.
pub(super) fn from_line(code_page: CodePage, input: &Inbound, upper_case: bool) -> Vec<u8> {
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

    #[test]
    fn orders_keep_their_bytes_and_text_crosses_the_code_page() {
        let data = b"\x11\x40\x40\x1d\xf0AB\x13";
        assert_eq!(to_line(CodePage::Ibm037, data), b"\x11\x40\x40\x1d\xf0\xc1\xc2\x13");
    }

    #[test]
    fn an_order_that_is_cut_short_is_not_a_panic() {
        assert_eq!(to_line(CodePage::Ibm037, b"A\x11\x40"), b"\xc1\x11\x40");
        assert_eq!(to_line(CodePage::Ibm037, b"\x11"), b"\x11");
    }
}
