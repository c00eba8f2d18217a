//! STRING, UNSTRING and INSPECT of national characters: the same routines, on units of two bytes.

use cobol_runtime::inspect::{self, Borders as Found};
use cobol_runtime::{Pace, national, strings};

use super::abend::ProgramFault;
use super::machine::{Host, Machine};
use super::strings::pieces;
use cobol_ir::program::{
    Borders, BytePlace, Inspect, NationalText, Replacement, Tally, Text, TextReceiver, UnstringReceiver,
    Wanted,
};

/// Characters that a phrase names, as they are now.
#[derive(Default)]
struct Words {
    wanted: Vec<u16>,
    by: Vec<u16>,
    before: Option<Vec<u16>>,
    after: Option<Vec<u16>>,
}

impl Words {
    fn borders(&self) -> Found<'_, u16> {
        Found { before: self.before.as_deref(), after: self.after.as_deref() }
    }

    fn wanted(&self, wanted: &Wanted) -> inspect::Wanted<'_, u16> {
        match wanted {
            Wanted::Characters => inspect::Wanted::Characters,
            Wanted::All(_) => inspect::Wanted::All(&self.wanted),
            Wanted::Leading(_) => inspect::Wanted::Leading(&self.wanted),
            Wanted::First(_) => inspect::Wanted::First(&self.wanted),
        }
    }
}

fn units(bytes: &[u8]) -> Vec<u16> {
    bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect()
}

fn bytes(units: &[u16]) -> Vec<u8> {
    units.iter().copied().flat_map(u16::to_be_bytes).collect()
}

impl Machine<'_> {
    pub(super) fn national(
        &mut self,
        statement: &NationalText,
        host: &mut dyn Host,
    ) -> Result<(), ProgramFault> {
        let mut may_go_on = || !host.must_stop();
        let pace = &mut Pace::new(&mut may_go_on);
        match statement {
            NationalText::String { sources, into, pointer, overflow } => {
                let start = self.pointer(pointer.as_ref())?;
                let texts = self.texts_of(sources, Self::units)?;
                let mut to = self.place_units(into)?;
                let ended = strings::string(&pieces(&texts), &mut to, start, pace)?;
                self.put_units(into, &to)?;
                self.string_ended(pointer.as_ref(), *overflow, start, ended)
            }
            NationalText::Unstring(unstring) => {
                self.unstring_of(unstring, pace, Self::units, Self::national_taken_by, Self::receive_national)
            }
            NationalText::Inspect(inspect) => self.inspect_national(inspect, pace),
        }
    }

    /// Number of characters that a receiver takes without delimiters.
    fn national_taken_by(&mut self, receiver: &UnstringReceiver) -> Result<usize, ProgramFault> {
        Ok(self.stored_span(receiver.to.place())?.len() / 2)
    }

    fn receive_national(&mut self, to: &TextReceiver, text: &[u16]) -> Result<(), ProgramFault> {
        let range = self.stored_span(to.place())?;
        self.task.change(range, |to| national::fit(&bytes(text), to));
        Ok(())
    }

    fn inspect_national(&mut self, inspect: &Inspect, pace: &mut Pace<'_>) -> Result<(), ProgramFault> {
        match inspect {
            Inspect::Tally { text, phrases, counters } => {
                let text = self.units(text)?;
                let mut counts = vec![0; counters.len()];
                let words = self.tally_words(phrases)?;
                let tallies: Vec<inspect::Tally<'_, u16>> = phrases
                    .iter()
                    .zip(&words)
                    .map(|(phrase, words)| inspect::Tally {
                        counter: phrase.counter as usize,
                        wanted: words.wanted(&phrase.wanted),
                        borders: words.borders(),
                    })
                    .collect();
                inspect::tally(&text, &tallies, &mut counts, pace)?;
                for (counter, count) in counters.iter().zip(counts) {
                    self.count(counter, count)?;
                }
                Ok(())
            }
            Inspect::Replace { place, phrases } => {
                let words = self.replacement_words(phrases)?;
                let replacements: Vec<inspect::Replacement<'_, u16>> = phrases
                    .iter()
                    .zip(&words)
                    .map(|(phrase, words)| inspect::Replacement {
                        wanted: words.wanted(&phrase.wanted),
                        by: &words.by,
                        borders: words.borders(),
                    })
                    .collect();
                let mut text = self.place_units(place)?;
                inspect::replace(&mut text, &replacements, pace)?;
                self.put_units(place, &text)
            }
            Inspect::Convert { place, from, to, borders } => {
                let words =
                    Words { wanted: self.units(from)?, by: self.units(to)?, ..self.border_words(borders)? };
                if words.wanted.len() != words.by.len() && !matches!(to, Text::Repeated(_)) {
                    return Err(ProgramFault::Range);
                }
                let mut text = self.place_units(place)?;
                inspect::convert(&mut text, &words.wanted, &words.by, words.borders(), pace)?;
                self.put_units(place, &text)
            }
        }
    }

    fn tally_words(&mut self, phrases: &[Tally]) -> Result<Vec<Words>, ProgramFault> {
        let mut words = Vec::with_capacity(phrases.len());
        for phrase in phrases {
            let borders = self.border_words(&phrase.borders)?;
            words.push(Words { wanted: self.wanted_units(&phrase.wanted)?, ..borders });
        }
        Ok(words)
    }

    fn replacement_words(&mut self, phrases: &[Replacement]) -> Result<Vec<Words>, ProgramFault> {
        let mut words = Vec::with_capacity(phrases.len());
        for phrase in phrases {
            let wanted = self.wanted_units(&phrase.wanted)?;
            let by = self.units(&phrase.by)?;
            let length = if phrase.wanted == Wanted::Characters { 1 } else { wanted.len() };
            if by.len() != length && !matches!(phrase.by, Text::Repeated(_)) {
                return Err(ProgramFault::Range);
            }
            words.push(Words { wanted, by, ..self.border_words(&phrase.borders)? });
        }
        Ok(words)
    }

    fn border_words(&mut self, borders: &Borders) -> Result<Words, ProgramFault> {
        let mut of = |text: &Option<Text>| text.as_ref().map(|text| self.units(text)).transpose();
        Ok(Words { before: of(&borders.before)?, after: of(&borders.after)?, ..Words::default() })
    }

    fn wanted_units(&mut self, wanted: &Wanted) -> Result<Vec<u16>, ProgramFault> {
        match wanted {
            Wanted::Characters => Ok(Vec::new()),
            Wanted::All(text) | Wanted::Leading(text) | Wanted::First(text) => self.units(text),
        }
    }

    /// A text in units; a figurative constant is one of them.
    fn units(&mut self, text: &Text) -> Result<Vec<u16>, ProgramFault> {
        Ok(units(&self.unrepeated(text)?))
    }

    fn place_units(&mut self, place: &BytePlace) -> Result<Vec<u16>, ProgramFault> {
        let range = self.stored_span(place)?;
        Ok(units(&self.task.look(range)))
    }

    /// Units back to where they come from.
    fn put_units(&mut self, place: &BytePlace, text: &[u16]) -> Result<(), ProgramFault> {
        let range = self.stored_span(place)?;
        let text = bytes(text);
        let length = text.len().min(range.len());
        self.task.put(range.start..range.start + length, &text[..length]);
        Ok(())
    }
}
