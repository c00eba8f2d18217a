//! INSPECT.

use std::borrow::Cow;

use cobol_runtime::inspect::{self as routine, Borders as Found};
use cobol_runtime::routines::Routine;
use cobol_runtime::{Pace, Stopped};
use cobol_types::Numeric;

use super::abend::ProgramFault;
use super::fields;
use super::machine::{Host, Machine};
use cobol_ir::program::{Borders, BytePlace, Inspect, Replacement, Segment, Tally, Text, Wanted};

/// Bytes that are looked through at once, without asking whether to go on.
const SHORT_MAX: usize = 1 << 14;

/// Characters that a phrase names, as they are now.
#[derive(Default)]
struct Words<'m> {
    wanted: Cow<'m, [u8]>,
    by: Cow<'m, [u8]>,
    before: Option<Cow<'m, [u8]>>,
    after: Option<Cow<'m, [u8]>>,
}

impl Words<'_> {
    fn borders(&self) -> Found<'_> {
        Found { before: self.before.as_deref(), after: self.after.as_deref() }
    }

    fn wanted(&self, wanted: &Wanted) -> routine::Wanted<'_> {
        match wanted {
            Wanted::Characters => routine::Wanted::Characters,
            Wanted::All(_) => routine::Wanted::All(&self.wanted),
            Wanted::Leading(_) => routine::Wanted::Leading(&self.wanted),
            Wanted::First(_) => routine::Wanted::First(&self.wanted),
        }
    }
}

impl From<Stopped> for ProgramFault {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

impl<'m> Machine<'m> {
    /// Digits that INSPECT leaves of a number with a sign.
    pub(super) fn keep_sign(
        &mut self,
        from: &BytePlace,
        to: &BytePlace,
        numeric: Numeric,
    ) -> Result<(), ProgramFault> {
        let span = self.span(from)?;
        let digits = self.read(&span).to_vec();
        let to = self.stored_span(to)?;
        self.task.change(to, |bytes| fields::keep_sign(&digits, numeric, bytes));
        Ok(())
    }

    /// A routine on bytes, as CBL_XOR.
    pub(super) fn routine(
        &mut self,
        routine: Routine,
        source: Option<&BytePlace>,
        target: &BytePlace,
    ) -> Result<(), ProgramFault> {
        let source = match source {
            Some(place) => {
                let span = self.span(place)?;
                self.read(&span).to_vec()
            }
            None => Vec::new(),
        };
        let target = self.stored_span(target)?;
        routine.carry_out(&source, &mut self.task.memory_mut()[target]);
        Ok(())
    }

    pub(super) fn inspect(&mut self, inspect: &Inspect, host: &mut dyn Host) -> Result<(), ProgramFault> {
        if self.inspect_one(inspect)? {
            return Ok(());
        }
        let mut may_go_on = || !host.must_stop();
        let pace = &mut Pace::new(&mut may_go_on);
        match inspect {
            Inspect::Tally { text, phrases, counters } => {
                let mut counts = vec![0; counters.len()];
                self.tally(text, phrases, &mut counts, pace)?;
                for (counter, count) in counters.iter().zip(counts) {
                    self.count(counter, count)?;
                }
                Ok(())
            }
            Inspect::Replace { place, phrases } => self.replace(place, phrases, pace),
            Inspect::Convert { place, from, to, borders } => {
                let words = Words {
                    wanted: self.unrepeated(from)?,
                    by: self.unrepeated(to)?,
                    ..self.words(borders)?
                };
                let same = words.wanted.len() == words.by.len() || matches!(to, Text::Repeated(_));
                let range = self.stored_span(place)?;
                if !same {
                    return Err(ProgramFault::Range);
                }
                let convert =
                    |text: &mut [u8]| routine::convert(text, &words.wanted, &words.by, words.borders(), pace);
                Ok(self.task.change(range, convert)?)
            }
        }
    }

    /// ALL of one character without borders in a short item, which nearly every INSPECT looks for; whether it was that.
    fn inspect_one(&mut self, inspect: &Inspect) -> Result<bool, ProgramFault> {
        match inspect {
            Inspect::Tally { text: Text::Place(place), phrases, counters } => {
                let ([phrase], [counter]) = (&phrases[..], &counters[..]) else { return Ok(false) };
                let Some(wanted) = self.all_of_one(&phrase.wanted, &phrase.borders) else { return Ok(false) };
                let span = self.span(place)?;
                let text = self.read(&span);
                if text.len() > SHORT_MAX {
                    return Ok(false);
                }
                let count = text.iter().filter(|byte| **byte == wanted).count();
                self.count(counter, count as u64)?;
            }
            Inspect::Replace { place, phrases } => {
                let [phrase] = &phrases[..] else { return Ok(false) };
                let wanted = self.all_of_one(&phrase.wanted, &phrase.borders);
                let (Some(wanted), Some(by)) = (wanted, self.one_character(&phrase.by)) else {
                    return Ok(false);
                };
                let range = self.stored_span(place)?;
                if range.len() > SHORT_MAX {
                    return Ok(false);
                }
                self.task.change(range, |text| {
                    text.iter_mut().filter(|byte| **byte == wanted).for_each(|byte| *byte = by);
                });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn all_of_one(&self, wanted: &Wanted, borders: &Borders) -> Option<u8> {
        match (wanted, borders) {
            (Wanted::All(text), Borders { before: None, after: None }) => self.one_character(text),
            _ => None,
        }
    }

    /// A literal of one character.
    fn one_character(&self, text: &Text) -> Option<u8> {
        let (Text::Place(place) | Text::Repeated(place)) = text else { return None };
        match place.as_fixed().filter(|_| place.segment == Segment::Constant)? {
            (at, 1) => self.program.constants.get(at as usize).copied(),
            _ => None,
        }
    }

    fn tally(
        &mut self,
        text: &Text,
        phrases: &[Tally],
        counts: &mut [u64],
        pace: &mut Pace<'_>,
    ) -> Result<(), ProgramFault> {
        let mut words = Vec::with_capacity(phrases.len());
        for phrase in phrases {
            words.push(Words { wanted: self.wanted(&phrase.wanted)?, ..self.words(&phrase.borders)? });
        }
        let tallies: Vec<routine::Tally<'_>> = phrases
            .iter()
            .zip(&words)
            .map(|(phrase, words)| routine::Tally {
                counter: phrase.counter as usize,
                wanted: words.wanted(&phrase.wanted),
                borders: words.borders(),
            })
            .collect();
        let text = self.text(text, 1)?;
        Ok(routine::tally(&text, &tallies, counts, pace)?)
    }

    /// Replaces texts. A replacement is as long as the replaced text: the language reference demands it, and lengths
    /// that vary are looked at here.
    fn replace(
        &mut self,
        place: &BytePlace,
        phrases: &[Replacement],
        pace: &mut Pace<'_>,
    ) -> Result<(), ProgramFault> {
        let mut words = Vec::with_capacity(phrases.len());
        for phrase in phrases {
            let wanted = self.wanted(&phrase.wanted)?;
            let by = self.unrepeated(&phrase.by)?;
            let length = if phrase.wanted == Wanted::Characters { 1 } else { wanted.len() };
            if by.len() != length && !matches!(phrase.by, Text::Repeated(_)) {
                return Err(ProgramFault::Range);
            }
            words.push(Words { wanted, by, ..self.words(&phrase.borders)? });
        }
        let replacements: Vec<routine::Replacement<'_>> = phrases
            .iter()
            .zip(&words)
            .map(|(phrase, words)| routine::Replacement {
                wanted: words.wanted(&phrase.wanted),
                by: &words.by,
                borders: words.borders(),
            })
            .collect();
        let range = self.stored_span(place)?;
        Ok(self.task.change(range, |text| routine::replace(text, &replacements, pace))?)
    }

    fn words(&mut self, borders: &Borders) -> Result<Words<'m>, ProgramFault> {
        let mut of = |text: &Option<Text>| text.as_ref().map(|text| self.unrepeated(text)).transpose();
        Ok(Words { before: of(&borders.before)?, after: of(&borders.after)?, ..Words::default() })
    }

    fn wanted(&mut self, wanted: &Wanted) -> Result<Cow<'m, [u8]>, ProgramFault> {
        match wanted {
            Wanted::Characters => Ok(Cow::Borrowed(&[])),
            Wanted::All(text) | Wanted::Leading(text) | Wanted::First(text) => self.unrepeated(text),
        }
    }
}
