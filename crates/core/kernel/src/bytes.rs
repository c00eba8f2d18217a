//! Bytes as people read them.

use ebcdic::Characters;
use std::fmt::Write as _;

/// Bytes in a line of a dump, and in a word of it.
const LINE: usize = 16;
const WORD: usize = 4;
/// Characters of a whole line's words.
const WORDS_WIDTH: usize = LINE * 2 + LINE / WORD - 1;

/// Bytes as X'…'.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::from("X'");
    for byte in bytes {
        let _ = write!(text, "{byte:02X}");
    }
    text + "'"
}

/// Bytes as a text in quotation marks; before it in hexadecimal, where some are no characters that can be shown.
pub(crate) fn shown(bytes: &[u8]) -> String {
    let text: String = bytes.iter().map(|byte| character(*byte)).collect();
    let plain = bytes.iter().all(|byte| character(*byte) == Characters::default().character(*byte));
    if plain { format!("'{text}'") } else { format!("{} '{text}'", hexadecimal(bytes)) }
}

/// Bytes in lines of sixteen: offset, hexadecimal, characters.
pub(crate) fn lines(bytes: &[u8]) -> String {
    let mut text = String::new();
    for (index, line) in bytes.chunks(LINE).enumerate() {
        let _ = write!(text, "    {:06X} ", index * LINE);
        let words = line.chunks(WORD).map(|word| word.iter().map(|byte| format!("{byte:02X}")).collect());
        let words: Vec<String> = words.collect();
        let characters: String = line.iter().map(|byte| character(*byte)).collect();
        let _ = writeln!(text, " {:WORDS_WIDTH$}  |{characters}|", words.join(" "));
    }
    text
}

fn character(byte: u8) -> char {
    if byte.is_ascii_graphic() || byte == b' ' || byte >= 0xa0 {
        Characters::default().character(byte)
    } else {
        '.'
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_stand_in_lines_beside_their_characters() {
        let shown = lines(b"ACCT\0\x01\x02\x03 50 END \xff\x0d1");
        let shown: Vec<_> = shown.lines().map(str::trim_start).collect();
        assert_eq!(
            shown,
            [
                "000000  41434354 00010203 20353020 454E4420  |ACCT.... 50 END |",
                "000010  FF0D31                               |ÿ.1|",
            ]
        );
        assert_eq!(hexadecimal(b"\x00AB"), "X'004142'");
    }
}
