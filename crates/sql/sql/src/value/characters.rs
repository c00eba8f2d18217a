//! Characters of programs on their way to a server and back.
//!
//! Db2 keeps any byte in CHAR and VARCHAR; PostgreSQL's texts take every character but the one of number 0. A program's bytes are
//! the characters 0 to 255, and go as UTF-8; X'00' takes the place of X'01' there, so that it sorts before all others, and X'01'
//! a place that no byte has.

use std::borrow::Cow;

use ebcdic::Characters;

use super::Unfit;

/// The character that stands for X'00' at the server.
const ZERO: char = '\u{1}';
/// The character that stands for X'01' there, one for private use.
const ONE: char = '\u{E001}';

/// Returns true if a byte is the same at the server.
fn is_same(byte: u8) -> bool {
    matches!(byte, 2..=0x7F)
}

/// Adds a program's bytes as the server has them.
pub(crate) fn send(bytes: &[u8], out: &mut Vec<u8>) {
    if bytes.iter().all(|byte| is_same(*byte)) {
        out.extend_from_slice(bytes);
        return;
    }
    let mut buffer = [0; 4];
    for byte in bytes {
        let character = at_server(Characters::default().character(*byte));
        out.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
    }
}

/// A statement's text as the server takes it: constants in it have the same characters as host variables.
pub fn sent(text: &str) -> Vec<u8> {
    text.chars().map(at_server).collect::<String>().into_bytes()
}

fn at_server(character: char) -> char {
    match character {
        '\0' => ZERO,
        '\u{1}' => ONE,
        other => other,
    }
}

/// A text of the server as a program's bytes.
///
/// # Errors
/// It has a character that no byte stands for, or is none.
pub fn receive(text: &[u8]) -> Result<Cow<'_, [u8]>, Unfit> {
    if text.iter().all(|byte| is_same(*byte)) {
        return Ok(Cow::Borrowed(text));
    }
    let text = std::str::from_utf8(text).map_err(|_| Unfit::CHARACTER)?;
    let byte = |character| match character {
        ZERO => Some(0),
        ONE => Some(1),
        other => Characters::default().byte(other),
    };
    let bytes: Option<Vec<u8>> = text.chars().map(byte).collect();
    bytes.map(Cow::Owned).ok_or(Unfit::CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        let all: Vec<u8> = (0..=u8::MAX).collect();
        let mut out = Vec::new();
        send(&all, &mut out);
        assert!(!out.contains(&0));
        assert_eq!(receive(&out).unwrap(), all);
        assert_eq!(sent(&Characters::default().text(&all)), out);
    }

    #[test]
    fn order_is_kept_but_for_one_byte() {
        let at_server = |byte: u8| {
            let mut out = Vec::new();
            send(&[byte], &mut out);
            out
        };
        let others: Vec<u8> = (0..=u8::MAX).filter(|byte| *byte != 1).collect();
        assert!(others.windows(2).all(|pair| at_server(pair[0]) < at_server(pair[1])));
    }

    #[test]
    fn what_no_byte_stands_for_is_refused() {
        assert!(receive("€".as_bytes()).is_err());
        assert!(receive(b"\xE4").is_err());
        assert!(matches!(receive(b"plain").unwrap(), Cow::Borrowed(_)));
    }
}
