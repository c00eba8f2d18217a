//! Alphabets: PROGRAM COLLATING SEQUENCE, the figurative constants that it decides, symbolic characters.

use cobol_check::NameTarget;
use cobol_syntax::tree::{Alphabet, CharacterRange, Figurative, LiteralKind, Operand, Reference};
use ebcdic::CodePage;

use super::{Lowered, Lowering};

/// The place of each character in a collating sequence.
pub(crate) type Places = [u8; 256];

/// Alphabets that are the order of the program's own characters, ISO 8859-1.
const OWN: [&str; 4] = ["NATIVE", "STANDARD-1", "STANDARD-2", "ASCII"];

impl<'a> Lowering<'a> {
    /// Notes the collating sequence of the program.
    pub(super) fn collating_sequence(&mut self) -> Lowered<()> {
        let environment = &self.program.syntax.environment;
        let Some(name) = &environment.collating else { return Ok(()) };
        let found = environment.alphabets.iter().find(|alphabet| alphabet.name.text == name.text);
        let Some(alphabet) = found else {
            return self.refuse(name.at, format_args!("the collating sequence {}", name.text));
        };
        self.out.collating = self.places_of(alphabet)?.map(Box::new);
        Ok(())
    }

    /// The places that an alphabet gives to characters; `None` if they are those of the characters themselves.
    pub(crate) fn places_of(&mut self, alphabet: &'a Alphabet) -> Lowered<Option<Places>> {
        match &alphabet.system {
            Some(system) if OWN.contains(&&*system.text) => Ok(None),
            Some(system) if &*system.text == "EBCDIC" => Ok(Some(*CodePage::NUMERIC.from_program_table())),
            Some(system) => self.refuse(system.at, format_args!("the alphabet {}", system.text)),
            None => self.places_of_ranges(alphabet).map(Some),
        }
    }

    /// Characters in the order of their literals; what is not named comes behind, in its own order.
    fn places_of_ranges(&mut self, alphabet: &'a Alphabet) -> Lowered<Places> {
        let mut placed: [Option<usize>; 256] = [None; 256];
        let mut place = 0_usize;
        for CharacterRange { from, to, also } in &alphabet.ranges {
            let first = self.set_of_characters(from)?;
            let characters = match to {
                None => first,
                Some(to) => {
                    let last = self.set_of_characters(to)?;
                    let (Some(first), Some(last)) = (first.first(), last.first()) else { continue };
                    if first <= last { (*first..=*last).collect() } else { (*last..=*first).rev().collect() }
                }
            };
            for character in characters {
                let own = if *also { place.saturating_sub(1) } else { place };
                placed[usize::from(character)].get_or_insert(own);
                place = own + 1;
            }
        }
        let mut places = [0; 256];
        for (character, own) in placed.into_iter().enumerate() {
            let own = own.unwrap_or_else(|| {
                place += 1;
                place - 1
            });
            places[character] = own.min(255) as u8;
        }
        Ok(places)
    }

    /// The characters of a literal of an alphabet or a class; a number is the place of a character, from 1.
    pub(crate) fn set_of_characters(&mut self, operand: &'a Operand) -> Lowered<Vec<u8>> {
        match operand {
            Operand::Literal(literal) if literal.kind == LiteralKind::Number => {
                let character = literal.text.parse::<u16>().ok().and_then(|place| place.checked_sub(1));
                match character.and_then(|character| u8::try_from(character).ok()) {
                    Some(character) => Ok(vec![character]),
                    None => self.refuse(literal.at, "this place of a character"),
                }
            }
            Operand::Literal(literal) => self.literal_bytes(literal),
            Operand::Figurative(figurative, at) => match figurative {
                Figurative::Zero => Ok(vec![b'0']),
                Figurative::Space => Ok(vec![b' ']),
                Figurative::HighValue => Ok(vec![0xFF]),
                Figurative::LowValue | Figurative::Null => Ok(vec![0]),
                Figurative::Quote => Ok(vec![b'"']),
                Figurative::All(_) => self.refuse(*at, "this member of an alphabet or a class"),
            },
            other => self.refuse(other.at(), "this member of an alphabet or a class"),
        }
    }

    /// HIGH-VALUE: the last character of the collating sequence.
    pub(crate) fn high_value(&self) -> u8 {
        let last = |places: &Places| (0..=u8::MAX).max_by_key(|character| places[usize::from(*character)]);
        self.out.collating.as_deref().and_then(last).unwrap_or(u8::MAX)
    }

    /// LOW-VALUE: the first.
    pub(crate) fn low_value(&self) -> u8 {
        let first = |places: &Places| (0..=u8::MAX).min_by_key(|character| places[usize::from(*character)]);
        self.out.collating.as_deref().and_then(first).unwrap_or(0)
    }

    /// The character of a name of SYMBOLIC CHARACTERS; `None` if the name stands for something else.
    pub(crate) fn symbolic_character(&mut self, reference: &'a Reference) -> Lowered<Option<u8>> {
        let Some(NameTarget::Symbolic(index)) = self.program.target(reference.id) else { return Ok(None) };
        let Some((_, literal)) = self.program.syntax.environment.symbolic.get(index) else {
            return self.refuse(reference.at(), "this symbolic character");
        };
        let character = literal.text.parse::<u16>().ok().and_then(|place| place.checked_sub(1));
        match character.and_then(|character| u8::try_from(character).ok()) {
            Some(character) => Ok(Some(character)),
            None => self.refuse(literal.at, "this place of a character"),
        }
    }
}
