//! Characters of messages as program characters, and back.

use ebcdic::CodePage;

use crate::fault::{FaultKind, MappingFault};

/// The meaning of program characters in a region, and the treatment of other characters.
#[derive(Clone, Copy, Debug)]
pub struct Charset {
    page: CodePage,
    /// The byte for a character that the page does not have; `None`: such a character is a fault.
    substitute: Option<u8>,
}

impl Charset {
    /// The characters of a region with this code page. A character that has no place is a fault.
    pub const fn of(page: CodePage) -> Self {
        Self { page, substitute: None }
    }

    /// The same, with a character for all that have no place.
    #[must_use]
    pub const fn with_substitute(self, substitute: u8) -> Self {
        Self { substitute: Some(substitute), ..self }
    }

    /// The character of a program's byte.
    pub fn character(&self, byte: u8) -> char {
        self.page.character(byte)
    }

    /// The program's byte for a character.
    pub fn byte(&self, character: char) -> Option<u8> {
        // Only the euro has another place than in ISO 8859-1; the sign that it replaces has no place.
        let byte = match character {
            '€' => (0..=u8::MAX).find(|byte| self.page.character(*byte) == '€'),
            _ => u8::try_from(character).ok().filter(|byte| self.page.character(*byte) == character),
        };
        byte.or(self.substitute)
    }

    /// Writes a text into a field and fills it with blanks; the answer is how many characters it had.
    ///
    /// # Errors
    /// A text longer than the field, or a character that has no place.
    pub fn write(&self, text: &str, into: &mut [u8]) -> Result<usize, MappingFault> {
        let bytes = text.as_bytes();
        let length = if bytes.is_ascii() {
            let Some(begin) = into.get_mut(..bytes.len()) else {
                return Err(too_long(bytes.len(), into.len()));
            };
            begin.copy_from_slice(bytes);
            bytes.len()
        } else {
            let characters = text.chars().count();
            if characters > into.len() {
                return Err(too_long(characters, into.len()));
            }
            for (place, character) in into.iter_mut().zip(text.chars()) {
                *place = self.byte(character).ok_or_else(|| {
                    let code = u32::from(character);
                    MappingFault::new(
                        FaultKind::InvalidCharacter,
                        format!("U+{code:04X} has no place in the region's code page"),
                    )
                })?;
            }
            characters
        };
        into[length..].fill(b' ');
        Ok(length)
    }
}

impl Default for Charset {
    fn default() -> Self {
        Self::of(CodePage::Ibm1047)
    }
}

fn too_long(characters: usize, room: usize) -> MappingFault {
    MappingFault::new(FaultKind::OutputOverflow, format!("{characters} characters do not fit into {room}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_character_has_its_place() {
        for page in CodePage::ALL {
            let charset = Charset::of(page);
            for byte in 0..=u8::MAX {
                assert_eq!(charset.byte(charset.character(byte)), Some(byte), "{}", page.name());
            }
        }
    }

    #[test]
    fn a_character_without_a_place_is_a_fault_or_becomes_another() {
        let mut field = [0; 4];
        let charset = Charset::default();
        assert_eq!(charset.write("é", &mut field), Ok(1));
        assert_eq!(field, [0xE9, b' ', b' ', b' ']);
        assert_eq!(
            charset.write("a→", &mut field).map_err(|fault| fault.kind),
            Err(FaultKind::InvalidCharacter)
        );
        assert_eq!(charset.with_substitute(b'?').write("a→b", &mut field), Ok(3));
        assert_eq!(&field, b"a?b ");
        assert_eq!(
            charset.write("12345", &mut field).map_err(|fault| fault.kind),
            Err(FaultKind::OutputOverflow)
        );
        assert_eq!(Charset::of(CodePage::Ibm1140).write("€", &mut field), Ok(1));
        assert_eq!(
            charset.write("€", &mut field).map_err(|fault| fault.kind),
            Err(FaultKind::InvalidCharacter)
        );
    }
}
