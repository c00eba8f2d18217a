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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_in_either_encoding_is_the_same_text() {
        let latin = b"MOVE 'M\xfcnchen'".to_vec();
        let utf8 = "MOVE 'München'".as_bytes().to_vec();
        assert_eq!((decode(latin), decode(utf8)), ("MOVE 'München'".to_owned(), "MOVE 'München'".to_owned()));
    }
}
