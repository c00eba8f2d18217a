//! Characters of Unicode by their number: in UTF-8, or national ones, of which some take two units.
//!
//! Positions count from 1: bytes in UTF-8, units of two bytes in national characters.

/// The encoding of characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// UTF-8.
    Utf8,
    /// UTF-16, the higher byte first.
    National,
}

/// The characters of a text with their positions, up to what is none.
struct Characters<'t> {
    text: &'t [u8],
    form: Form,
    at: usize,
}

impl Characters<'_> {
    /// The next character with its first byte; an error at what is none.
    fn next_one(&mut self) -> Option<Result<(usize, char), usize>> {
        let (at, rest) = (self.at, self.text.get(self.at..).filter(|rest| !rest.is_empty())?);
        let found = match self.form {
            Form::Utf8 => first_of_utf8(rest),
            Form::National => first_of_national(rest),
        };
        Some(match found {
            Some(character) => {
                self.at += match self.form {
                    Form::Utf8 => character.len_utf8(),
                    Form::National => 2 * character.len_utf16(),
                };
                Ok((at, character))
            }
            None => {
                self.at = self.text.len();
                Err(at)
            }
        })
    }
}

impl Iterator for Characters<'_> {
    type Item = Result<(usize, char), usize>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_one()
    }
}

pub(crate) fn first_of_utf8(rest: &[u8]) -> Option<char> {
    /// Bytes of a character, at most.
    const LENGTH_MAX: usize = 4;
    let head = &rest[..rest.len().min(LENGTH_MAX)];
    let valid = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&head[..error.valid_up_to()]).ok()?,
    };
    valid.chars().next()
}

fn first_of_national(rest: &[u8]) -> Option<char> {
    let units = rest.chunks_exact(2).take(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
    char::decode_utf16(units).next()?.ok()
}

fn characters(text: &[u8], form: Form) -> Characters<'_> {
    Characters { text, form, at: 0 }
}

/// A position from 1 of a byte.
fn position(at: usize, form: Form) -> usize {
    match form {
        Form::Utf8 => at + 1,
        Form::National => at / 2 + 1,
    }
}

/// Counts the characters; `None` if the text is not valid.
pub fn length(text: &[u8], form: Form) -> Option<usize> {
    characters(text, form).try_fold(0, |count, character| character.ok().map(|_| count + 1))
}

/// Returns the position at which the character of a number, from 1, begins; 0 if there is none. `None` if the text
/// before it is not valid.
pub fn position_of(text: &[u8], number: i64, form: Form) -> Option<usize> {
    Some(nth(text, number, form)?.map_or(0, |(at, _)| position(at, form)))
}

/// Bytes of the character of a number, from 1, in UTF-8, or units of a national one; 0 if there is none.
pub fn width_of(text: &[u8], number: i64, form: Form) -> Option<usize> {
    let width = |character: char| match form {
        Form::Utf8 => character.len_utf8(),
        Form::National => character.len_utf16(),
    };
    Some(nth(text, number, form)?.map_or(0, |(_, character)| width(character)))
}

fn nth(text: &[u8], number: i64, form: Form) -> Option<Option<(usize, char)>> {
    let Some(skipped) = number.checked_sub(1).and_then(|number| usize::try_from(number).ok()) else {
        return Some(None);
    };
    let mut all = characters(text, form);
    for _ in 0..skipped {
        match all.next() {
            Some(character) => character.ok()?,
            None => return Some(None),
        };
    }
    all.next().transpose().ok()
}

/// Returns so many characters from the one of a number on; `None` if they are missing or not valid.
pub fn part(text: &[u8], start: i64, count: i64, form: Form) -> Option<&[u8]> {
    let skipped = usize::try_from(start.checked_sub(1)?).ok()?;
    let count = usize::try_from(count).ok()?;
    let mut all = characters(text, form);
    for _ in 0..skipped {
        all.next()?.ok()?;
    }
    let from = all.at;
    for _ in 0..count {
        all.next()?.ok()?;
    }
    text.get(from..all.at)
}

/// Returns the position of the first character beyond U+FFFF; 0 if there is none.
pub fn first_supplementary(text: &[u8], form: Form) -> usize {
    let mut found = characters(text, form).flatten().filter(|(_, character)| u32::from(*character) > 0xFFFF);
    found.next().map_or(0, |(at, _)| position(at, form))
}

/// Returns the position from which the text is not valid; 0 if it is all valid.
pub fn first_invalid(text: &[u8], form: Form) -> usize {
    characters(text, form).find_map(Result::err).map_or(0, |at| position(at, form))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &[u8] = b"K\xC3\xA4fer";

    #[test]
    fn characters_of_utf_8() {
        assert_eq!(length(NAME, Form::Utf8), Some(5));
        let positions: Vec<_> = (0..=6).map(|number| position_of(NAME, number, Form::Utf8)).collect();
        assert_eq!(positions, [0, 1, 2, 4, 5, 6, 0].map(Some));
        let widths: Vec<_> = (1..=6).map(|number| width_of(NAME, number, Form::Utf8)).collect();
        assert_eq!(widths, [1, 2, 1, 1, 1, 0].map(Some));
        assert_eq!(part(NAME, 2, 2, Form::Utf8), Some(&b"\xC3\xA4f"[..]));
        assert_eq!(part(NAME, 5, 1, Form::Utf8), Some(&b"r"[..]));
        assert_eq!((part(NAME, 5, 2, Form::Utf8), part(NAME, 0, 1, Form::Utf8)), (None, None));
        assert_eq!(first_supplementary("a😀".as_bytes(), Form::Utf8), 2);
        assert_eq!(first_invalid(b"ab\xC3", Form::Utf8), 3);
        assert_eq!((first_invalid(NAME, Form::Utf8), length(b"\xFF", Form::Utf8)), (0, None));
    }

    #[test]
    fn characters_of_two_units() {
        let text: Vec<u8> = "a😀b".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(length(&text, Form::National), Some(3));
        assert_eq!(position_of(&text, 3, Form::National), Some(4));
        assert_eq!(width_of(&text, 2, Form::National), Some(2));
        assert_eq!(part(&text, 2, 1, Form::National), Some(&text[2..6]));
        assert_eq!(first_supplementary(&text, Form::National), 2);
        assert_eq!(first_invalid(&[0, b'a', 0xD8, 0], Form::National), 2);
    }

    #[test]
    fn nothing_makes_it_panic() {
        let random = &mut fastrand::Rng::with_seed(4);
        for _ in 0..5000 {
            let text: Vec<u8> = (0..random.usize(..12)).map(|_| random.u8(..)).collect();
            let (start, count) = (random.i64(-2..9), random.i64(-2..9));
            for form in [Form::Utf8, Form::National] {
                let valid = first_invalid(&text, form) == 0;
                assert_eq!(length(&text, form).is_some(), valid, "{text:?}");
                part(&text, start, count, form);
                width_of(&text, start, form);
                position_of(&text, start, form);
                first_supplementary(&text, form);
            }
        }
    }
}
