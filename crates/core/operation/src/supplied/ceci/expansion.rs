//! One value on a screen of its own: as characters, 64 in a row, or as hexadecimal digits beside their characters.
//!
//! ```text
//! 1        the command
//! 2        the value's name and its length
//! 3 …      rows of the value
//! last-1   the response, last the keys
//! ```

use ebcdic::Characters;
use spec::OptionId;
use tn3270::datastream::Size;

use super::value::Value;
use crate::supplied::desk::Reply;
use crate::supplied::panel::{Panel, PanelPlace};

/// The first row of the value.
const FIRST_ROW: u16 = 3;
/// Rows of the foot.
const FOOT: u16 = 2;
/// Rows of the page before that a page begins with.
const OVERLAP: usize = 4;
/// Characters in a row.
const IN_A_ROW: usize = 64;
/// Bytes in a row of hexadecimal digits, and in each of its blocks.
const BYTES_IN_A_ROW: usize = 16;
const BYTES_IN_A_BLOCK: usize = 4;
/// The columns of the blocks, and that of their characters.
const BLOCKS: [u16; 4] = [2, 11, 20, 29];
const CHARACTERS: u16 = 39;
/// The column of a row's place in the value.
const PLACE: u16 = 68;
/// The place of a variable's length, and of a name that makes an option's value a variable.
pub(super) const LENGTH: PanelPlace = (2, 48);
pub(super) const NAME: PanelPlace = (2, 67);

/// The value that is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// Of the variable with this name.
    Variable(String),
    Option(OptionId),
}

/// A part of the value that may be typed over.
struct Piece {
    place: PanelPlace,
    /// The first of its bytes.
    at: usize,
    /// The number of its bytes.
    length: usize,
    hexadecimal: bool,
}

/// The number of rows that a page has on a screen.
fn rows(size: Size) -> usize {
    usize::from(size.rows.saturating_sub(FOOT + FIRST_ROW - 1).max(1))
}

/// The rows by which a key turns pages.
pub(super) fn step(size: Size) -> usize {
    rows(size).saturating_sub(OVERLAP).max(1)
}

/// The number of rows that a value has in all.
pub(super) fn rows_of(value: &Value, hexadecimal: bool) -> usize {
    value.characters().len().div_ceil(in_a_row(value, hexadecimal))
}

/// Returns true if a value goes on behind a page.
pub(super) fn goes_on(value: &Value, hexadecimal: bool, above: usize, size: Size) -> bool {
    rows_of(value, hexadecimal) > above + rows(size)
}

/// Digits of a number are read as they are.
fn in_a_row(value: &Value, hexadecimal: bool) -> usize {
    if hexadecimal && matches!(value, Value::Text(_)) { BYTES_IN_A_ROW } else { IN_A_ROW }
}

/// The parts of a value on a page.
fn pieces(value: &Value, hexadecimal: bool, above: usize, size: Size) -> Vec<Piece> {
    let length = value.characters().len();
    let in_a_row = in_a_row(value, hexadecimal);
    let mut pieces = Vec::new();
    for (row, start) in (FIRST_ROW..).zip((0..length).step_by(in_a_row).skip(above).take(rows(size))) {
        let end = (start + in_a_row).min(length);
        if in_a_row == IN_A_ROW {
            pieces.push(Piece { place: (row, 2), at: start, length: end - start, hexadecimal: false });
            continue;
        }
        for (column, at) in BLOCKS.iter().zip((start..end).step_by(BYTES_IN_A_BLOCK)) {
            let length = BYTES_IN_A_BLOCK.min(end - at);
            pieces.push(Piece { place: (row, *column), at, length, hexadecimal: true });
        }
        pieces.push(Piece { place: (row, CHARACTERS), at: start, length: end - start, hexadecimal: false });
    }
    pieces
}

/// Draws the head and the rows of a value.
pub(super) fn draw(panel: &mut Panel, of: &Of, value: &Value, hexadecimal: bool, above: usize, size: Size) {
    match of {
        Of::Variable(name) => {
            panel.bright((2, 2), &format!("EXPANSION OF: {name}")).text((2, 40), "LENGTH=");
            panel.entry(LENGTH, 6, &value.length());
        }
        Of::Option(option) => {
            panel.bright((2, 2), &format!("EXPANSION OF: OPTION= {}", option.name()));
            panel.text((2, 40), &format!("LENGTH= {}", value.length()));
            panel.text((2, 61), "NAME=").entry(NAME, 10, "");
        }
    }
    let bytes = value.characters();
    for piece in pieces(value, hexadecimal, above, size) {
        let part = &bytes[piece.at..piece.at + piece.length];
        if piece.hexadecimal {
            let digits: String = part.iter().map(|byte| format!("{byte:02X}")).collect();
            panel.entry(piece.place, digits.len(), &digits);
        } else {
            panel.entry(piece.place, part.len(), &shown(part));
        }
        if piece.place.1 == 2 && bytes.len() > IN_A_ROW {
            panel.text((piece.place.0, PLACE), &format!("{:05}", piece.at));
        }
    }
}

fn shown(bytes: &[u8]) -> String {
    let printing = |character: char| if character.is_control() { '.' } else { character };
    Characters::default().text(bytes).chars().map(printing).collect()
}

/// Puts what was typed over into the value.
///
/// # Errors
/// A sentence about what cannot be its value; what is right before it is taken.
pub(super) fn take(
    reply: &Reply,
    value: &mut Value,
    hexadecimal: bool,
    above: usize,
    size: Size,
) -> Result<bool, String> {
    let mut changed = false;
    let before = value.characters();
    for piece in pieces(value, hexadecimal, above, size) {
        let Some(typed) = reply.typed(piece.place) else { continue };
        let bytes = if piece.hexadecimal {
            digits(typed).ok_or_else(|| format!("{typed} ARE NO HEXADECIMAL DIGITS"))?
        } else {
            let mut bytes = Characters::default().bytes(typed);
            bytes.resize(piece.length, b' ');
            // A character that only stands for a byte leaves it as it is.
            for (byte, old) in bytes.iter_mut().zip(&before[piece.at..]) {
                let stands_for = *byte == b'.' && char::from(*old).is_control();
                *byte = if stands_for { *old } else { *byte };
            }
            bytes
        };
        value.put(piece.at, &bytes[..bytes.len().min(piece.length)])?;
        changed = true;
    }
    Ok(changed)
}

/// The bytes of pairs of digits.
fn digits(typed: &str) -> Option<Vec<u8>> {
    let nibble = |digit: u8| char::from(digit).to_digit(16);
    let byte = |pair: &[u8]| match pair {
        [high, low] => u8::try_from(nibble(*high)? << 4 | nibble(*low)?).ok(),
        _ => None,
    };
    typed.trim().as_bytes().chunks(2).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use spec::opt;

    use super::*;
    use crate::supplied::panel::tests::check_on;

    const SIZE: Size = Size { rows: 8, columns: 80 };

    #[test]
    fn a_text_in_rows_from_the_second_page_on() {
        let value = Value::Text("0123456789".repeat(30).into_bytes());
        let mut panel = Panel::default();
        draw(&mut panel, &Of::Variable("&LONG".to_owned()), &value, false, 1, SIZE);
        check_on(
            SIZE,
            &panel,
            expect![[r#"
            |
            | EXPANSION OF: &LONG                   LENGTH= +00300
            | 4567890123456789012345678901234567890123456789012345678901234567  00064
            | 8901234567890123456789012345678901234567890123456789012345678901  00128
            | 2345678901234567890123456789012345678901234567890123456789012345  00192
            | 67890123456789012345678901234567890123456789                      00256
        "#]],
        );
    }

    #[test]
    fn bytes_of_an_option_beside_their_characters() {
        let value = Value::Text([b"AB\x00D".to_vec(), b"EFGHIJKLMNOPQR".to_vec()].concat());
        let mut panel = Panel::default();
        draw(&mut panel, &Of::Option(opt::FROM), &value, true, 0, SIZE);
        check_on(
            SIZE,
            &panel,
            expect![[r#"
            |
            | EXPANSION OF: OPTION= FROM            LENGTH= +00018       NAME=
            | 41420044 45464748 494A4B4C 4D4E4F50  AB.DEFGHIJKLMNOP
            | 5152                                 QR
        "#]],
        );
        assert_eq!(rows_of(&value, true), 2);
    }

    #[test]
    fn digits_are_pairs() {
        assert_eq!(digits("C1c2 "), Some(vec![0xc1, 0xc2]));
        assert_eq!((digits("C"), digits("XX"), digits("+1")), (None, None, None));
    }
}
