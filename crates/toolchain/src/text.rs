//! Sources as text.
//!
//! Programs run with one byte a character, in ISO 8859-1, which is what EBCDIC code pages convert to. A source may be
//! UTF-8 or ISO 8859-1; either way a literal keeps its length.

use ebcdic::Characters;
use std::fs;
use std::io;
use std::path::Path;

/// Reads a source file.
pub(crate) fn read(path: &Path) -> io::Result<String> {
    Ok(decode(fs::read(path)?))
}

/// A file's bytes as text.
pub(crate) fn decode(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| Characters::Latin1.text(&error.into_bytes()))
}

/// Line and column (from 1) of the first character that programs cannot hold.
pub(crate) fn foreign_character(text: &str) -> Option<(usize, usize)> {
    text.lines().enumerate().find_map(|(line, content)| {
        let column = content.chars().position(|character| Characters::default().byte(character).is_none())?;
        Some((line + 1, column + 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_in_either_encoding_is_the_same_text() {
        let latin = b"MOVE 'M\xfcnchen'".to_vec();
        let utf8 = "MOVE 'München'".as_bytes().to_vec();
        assert_eq!((decode(latin), decode(utf8)), ("MOVE 'München'".to_owned(), "MOVE 'München'".to_owned()));
    }

    #[test]
    fn a_character_that_programs_cannot_hold_has_a_place() {
        assert_eq!(foreign_character("MOVE 'ü'\nMOVE '€'"), Some((2, 7)));
        assert_eq!(foreign_character("MOVE 'ü'"), None);
    }
}
