//! The meaning of a program's bytes as text.

/// The characters in which a program holds its text: a property of the program.
///
/// Every border where such bytes become text, or text such bytes, needs it: queues, containers, documents, SQL,
/// sockets, DISPLAY, messages. There is one so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Characters {
    /// ISO 8859-1: each byte is the number of a character.
    #[default]
    Latin1,
}

impl Characters {
    /// The replacement for a character that has no byte.
    pub const SUBSTITUTE: u8 = b'?';

    /// The number of the set (CCSID).
    pub const fn number(self) -> u16 {
        match self {
            Self::Latin1 => 819,
        }
    }

    /// The character of a byte.
    pub const fn character(self, byte: u8) -> char {
        match self {
            Self::Latin1 => byte as char,
        }
    }

    /// The byte of a character; `None` if it has no byte.
    pub fn byte(self, character: char) -> Option<u8> {
        match self {
            Self::Latin1 => u8::try_from(character).ok(),
        }
    }

    /// Bytes of a program as text.
    pub fn text(self, bytes: &[u8]) -> String {
        bytes.iter().map(|byte| self.character(*byte)).collect()
    }

    /// A text as a program holds it; [`Self::SUBSTITUTE`] for characters that have no byte.
    pub fn bytes(self, text: &str) -> Vec<u8> {
        text.chars().map(|character| self.byte(character).unwrap_or(Self::SUBSTITUTE)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_text_and_the_same_bytes_again() {
        let all: Vec<u8> = (0..=u8::MAX).collect();
        let characters = Characters::default();
        assert_eq!(characters.bytes(&characters.text(&all)), all);
    }

    #[test]
    fn a_character_without_a_place_becomes_another() {
        assert_eq!(Characters::Latin1.bytes("é €"), b"\xE9 ?");
        assert_eq!(Characters::Latin1.byte('€'), None);
    }
}
