//! National characters: UTF-16, the higher byte first.

use std::cmp::Ordering;

/// The characters that national ones come from or go to.
#[derive(Clone, Copy, Debug)]
pub enum Encoding<'t> {
    /// One byte is one character of ISO 8859-1: the program's own.
    Program,
    /// UTF-8.
    Utf8,
    /// One byte is one character; a table says which of the program's it is, and another the way back.
    Table(&'t [u8; 256], &'t [u8; 256]),
}

/// A space.
pub const SPACE: [u8; 2] = [0, b' '];
/// The replacement of a character that one byte cannot be.
const SUBSTITUTE: u8 = 0x1A;

/// National characters of others.
pub fn national_of(text: &[u8], from: Encoding<'_>) -> Vec<u8> {
    let units: Vec<u16> = match from {
        Encoding::Program => text.iter().map(|byte| u16::from(*byte)).collect(),
        Encoding::Table(to_program, _) => {
            text.iter().map(|byte| u16::from(to_program[usize::from(*byte)])).collect()
        }
        Encoding::Utf8 => String::from_utf8_lossy(text).encode_utf16().collect(),
    };
    units.into_iter().flat_map(u16::to_be_bytes).collect()
}

/// Others of national characters. Half a character counts as none.
pub fn display_of(national: &[u8], to: Encoding<'_>) -> Vec<u8> {
    let units = national.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
    let characters = char::decode_utf16(units).map(|one| one.unwrap_or(char::REPLACEMENT_CHARACTER));
    let in_one = |one: char| u8::try_from(u32::from(one)).ok();
    match to {
        Encoding::Program => characters.map(|one| in_one(one).unwrap_or(SUBSTITUTE)).collect(),
        Encoding::Table(_, from_program) => {
            characters.map(|one| from_program[usize::from(in_one(one).unwrap_or(SUBSTITUTE))]).collect()
        }
        Encoding::Utf8 => characters.collect::<String>().into_bytes(),
    }
}

/// National characters into an area: cut, or padded with spaces.
pub fn fit(text: &[u8], to: &mut [u8]) {
    let length = text.len().min(to.len());
    to[..length].copy_from_slice(&text[..length]);
    for (at, byte) in to[length..].iter_mut().enumerate() {
        *byte = SPACE[at % 2];
    }
}

/// National characters compared, the shorter side as if spaces followed it.
pub fn compare(left: &[u8], right: &[u8]) -> Ordering {
    let unit = |text: &[u8], at: usize| {
        text.get(at..at + 2).map_or(u16::from(b' '), |pair| u16::from_be_bytes([pair[0], pair[1]]))
    };
    let length = left.len().max(right.len());
    let orders = (0..length).step_by(2).map(|at| unit(left, at).cmp(&unit(right, at)));
    orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_go_to_and_fro() {
        assert_eq!(national_of(b"A\xE9", Encoding::Program), [0, b'A', 0, 0xE9]);
        assert_eq!(national_of("€".as_bytes(), Encoding::Utf8), [0x20, 0xAC]);
        assert_eq!(display_of(&[0x20, 0xAC, 0, b'1'], Encoding::Utf8), "€1".as_bytes());
        assert_eq!(display_of(&[0x20, 0xAC, 0, b'1', 0], Encoding::Program), [SUBSTITUTE, b'1']);
        assert_eq!(display_of(&[0xD8, 0], Encoding::Utf8), "\u{FFFD}".as_bytes());
    }

    #[test]
    fn spaces_follow() {
        let mut to = [9; 5];
        fit(&[0, b'A'], &mut to);
        assert_eq!(to, [0, b'A', 0, b' ', 0]);
        assert_eq!(compare(&[0, b'A'], &[0, b'A', 0, b' ']), Ordering::Equal);
        assert_eq!(compare(&[0, b'A'], &[0, b'A', 1, 0]), Ordering::Less);
    }
}
