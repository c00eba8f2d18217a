//! Items of UTF-8: how much of an item its characters take, and characters moved into one.
//!
//! Nothing here fails: a byte that belongs to no character counts as one, and stays as it is.

use std::ops::Range;

use crate::unicode::first_of_utf8;

/// The padding of an item.
const SPACE: u8 = b' ';

/// Bytes of the character that a text begins with; the text is not empty.
fn width(text: &[u8]) -> usize {
    match text.first() {
        Some(0x80..) => first_of_utf8(text).map_or(1, char::len_utf8),
        _ => 1,
    }
}

/// Bytes of so many characters, or of all if there are fewer; with how many are missing.
fn bytes_of(text: &[u8], characters: usize) -> (usize, usize) {
    let (mut at, mut missing) = (0, characters);
    while missing > 0 && at < text.len() {
        at += width(&text[at..]);
        missing -= 1;
    }
    (at, missing)
}

/// The first characters of a text, or all that there are.
pub fn head(text: &[u8], characters: usize) -> &[u8] {
    &text[..bytes_of(text, characters).0]
}

/// Counts the characters.
pub fn count(text: &[u8]) -> usize {
    let (mut at, mut count) = (0, 0);
    while at < text.len() {
        at += width(&text[at..]);
        count += 1;
    }
    count
}

/// Returns the bytes of the characters from one of a number, from 1, on: so many, or all that follow. `None` if one of
/// them is missing, or there are none.
pub fn span(text: &[u8], start: i64, length: Option<i64>) -> Option<Range<usize>> {
    let skipped = usize::try_from(start.checked_sub(1)?).ok()?;
    let (from, missing) = bytes_of(text, skipped);
    let rest = &text[from..];
    let (length, short) = match length {
        Some(length) => bytes_of(rest, usize::try_from(length).ok()?),
        None => (rest.len(), 0),
    };
    (missing == 0 && short == 0 && length > 0).then_some(from..from + length)
}

/// The longest beginning of a text that has no more bytes than that, and no part of a character.
fn whole(text: &[u8], bytes: usize) -> &[u8] {
    let mut at = 0;
    while at < text.len() {
        let next = at + width(&text[at..]);
        if next > bytes {
            break;
        }
        at = next;
    }
    &text[..at]
}

/// Puts characters into an item: cut after one of them, and filled up with spaces. An item of so many characters takes
/// no more of them. Returns the number of bytes that it took.
pub fn fit(text: &[u8], to: &mut [u8], characters: Option<usize>) -> usize {
    let text = characters.map_or(text, |characters| head(text, characters));
    let kept = if text.len() > to.len() { whole(text, to.len()) } else { text };
    let (begin, rest) = to.split_at_mut(kept.len());
    begin.copy_from_slice(kept);
    rest.fill(SPACE);
    kept.len()
}

/// Returns so many characters of a text, with spaces after it if it has fewer.
pub fn exactly(text: &[u8], characters: usize) -> Vec<u8> {
    let (bytes, missing) = bytes_of(text, characters);
    let mut all = text[..bytes].to_vec();
    all.resize(bytes + missing, SPACE);
    all
}

/// The number that a byte gets if it belongs to no character: one greater than that of the last character.
const NO_CHARACTER: u32 = 0x11_0000;

/// The characters of a text by their numbers.
pub fn characters(text: &[u8]) -> Vec<u32> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let character = first_of_utf8(&text[at..]);
        out.push(character.map_or(NO_CHARACTER + u32::from(text[at]), u32::from));
        at += width(&text[at..]);
    }
    out
}

/// The text of characters that [`characters`] has given.
pub fn text_of(characters: &[u32]) -> Vec<u8> {
    let mut out = Vec::with_capacity(characters.len());
    for character in characters {
        match char::from_u32(*character) {
            Some(character) => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            None => out.push(character.wrapping_sub(NO_CHARACTER) as u8),
        }
    }
    out
}

/// Each letter as the capital or the small one that it has, where that is one character.
pub fn in_case(text: &[u8], upper: bool) -> Vec<u8> {
    fn only(mut letters: impl Iterator<Item = char>) -> Option<char> {
        let first = letters.next();
        first.filter(|_| letters.next().is_none())
    }
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let (one, length) = (first_of_utf8(&text[at..]), width(&text[at..]));
        let other =
            one.and_then(|one| if upper { only(one.to_uppercase()) } else { only(one.to_lowercase()) });
        match other {
            Some(other) => out.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
            None => out.extend_from_slice(&text[at..at + length]),
        }
        at += length;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "Käfer€";

    #[test]
    fn characters_are_counted_not_bytes() {
        let name = NAME.as_bytes();
        assert_eq!(count(name), 6);
        assert_eq!(head(name, 2), "Kä".as_bytes());
        assert_eq!(head(name, 9), name);
        assert_eq!(span(name, 2, Some(2)), Some(1..4));
        assert_eq!(span(name, 6, None), Some(6..9));
        assert_eq!([span(name, 7, None), span(name, 0, Some(1)), span(name, 6, Some(2))], [None, None, None]);
        assert_eq!(exactly(name, 8), "Käfer€  ".as_bytes());
        assert_eq!(exactly(name, 2), "Kä".as_bytes());
    }

    #[test]
    fn no_character_is_cut() {
        let mut bytes = [0; 8];
        fit(NAME.as_bytes(), &mut bytes, None);
        assert_eq!(&bytes, "Käfer  ".as_bytes());
        fit(NAME.as_bytes(), &mut bytes, Some(2));
        assert_eq!(&bytes, "Kä     ".as_bytes());
    }

    #[test]
    fn letters_keep_to_one_character() {
        assert_eq!(in_case("Maß für Ärger".as_bytes(), true), "MAß FÜR ÄRGER".as_bytes());
        assert_eq!(in_case("ÄRGER".as_bytes(), false), "ärger".as_bytes());
        assert_eq!(in_case(b"a\xFFb", true), b"A\xFFB");
    }

    #[test]
    fn nothing_makes_it_panic() {
        let random = &mut fastrand::Rng::with_seed(11);
        for _ in 0..5000 {
            let text: Vec<u8> = (0..random.usize(..12)).map(|_| random.u8(..)).collect();
            let mut to = vec![0; random.usize(..9)];
            let characters = random.bool().then(|| random.usize(..6));
            fit(&text, &mut to, characters);
            span(&text, random.i64(-2..9), random.bool().then(|| random.i64(-2..9)));
            assert!(count(&text) <= text.len());
            assert_eq!(text_of(&super::characters(&text)), text);
            assert_eq!(count(&exactly(&text, 5)), 5, "{text:?}");
            in_case(&text, random.bool());
        }
    }
}
