//! STRING and UNSTRING.

use cobol_data::Numeric;
use cobol_runtime::Pace;
use cobol_runtime::strings::{self as routine, Delimiter, Piece};

use super::abend::Fault;
use super::decimal::Decimal;
use super::fields;
use super::machine::{Host, Machine};
use super::numbers::digits_of;
use super::texts::fit;
use crate::program::{Number, Place, Slot, Text, TextReceiver, Unstring, UnstringReceiver};

/// A number that a statement counts with.
type Counter = (Place, Numeric);

impl Machine<'_> {
    pub(super) fn string(
        &mut self,
        sources: &[(Text, Option<Text>)],
        into: &Place,
        pointer: Option<&Counter>,
        overflow: Slot,
        host: &mut dyn Host,
    ) -> Result<(), Fault> {
        let to = self.task_span(into)?;
        let start = self.pointer(pointer)?;
        // Senders and delimiters are evaluated before anything is stored.
        let mut texts = Vec::with_capacity(sources.len());
        for (source, delimiter) in sources {
            let delimiter = delimiter.as_ref().map(|text| self.unrepeated(text)).transpose()?;
            texts.push((self.unrepeated(source)?, delimiter));
        }
        let pieces: Vec<Piece<'_>> =
            texts.iter().map(|(text, delimiter)| Piece { text, delimiter: delimiter.as_deref() }).collect();
        let mut may_go_on = || !host.must_stop();
        let pace = &mut Pace::new(&mut may_go_on);
        let (next, over) = routine::string(&pieces, &mut self.task.memory_mut()[to], start, pace)?;
        if over {
            self.set_slot(overflow, 1);
        }
        match pointer {
            Some(pointer) if next != start => self.set_counter(pointer, next),
            _ => Ok(()),
        }
    }

    pub(super) fn unstring(&mut self, unstring: &Unstring, host: &mut dyn Host) -> Result<(), Fault> {
        let text = self.unrepeated(&unstring.from)?;
        let mut delimiters = Vec::with_capacity(unstring.delimiters.len());
        for (delimiter, all) in &unstring.delimiters {
            delimiters.push((self.unrepeated(delimiter)?, *all));
        }
        let delimiters: Vec<Delimiter<'_>> =
            delimiters.iter().map(|(text, all)| Delimiter { text, all: *all }).collect();
        let start = self.pointer(unstring.pointer.as_ref())?;
        let Some(mut rest) = routine::Unstring::new(&text, &delimiters, start) else {
            self.set_slot(unstring.overflow, 1);
            return Ok(());
        };
        let mut may_go_on = || !host.must_stop();
        let pace = &mut Pace::new(&mut may_go_on);
        let mut took = 0;
        for receiver in &unstring.into {
            let length = self.taken_by(receiver)?;
            let Some(taken) = rest.take(length, pace)? else { break };
            self.receive(&receiver.to, taken.text)?;
            if let Some(delimiter) = &receiver.delimiter {
                self.receive(delimiter, taken.delimiter)?;
            }
            if let Some(count) = &receiver.count {
                self.set_counter(count, taken.text.len() as i64)?;
            }
            took += 1;
        }
        if let Some(pointer) = &unstring.pointer {
            self.set_counter(pointer, rest.pointer())?;
        }
        if let Some(tallying) = &unstring.tallying {
            self.count(tallying, took)?;
        }
        if rest.is_left_over() {
            self.set_slot(unstring.overflow, 1);
        }
        Ok(())
    }

    /// How many characters a receiver takes where there are no delimiters.
    fn taken_by(&mut self, receiver: &UnstringReceiver) -> Result<usize, Fault> {
        match (&receiver.to, receiver.digits) {
            (_, Some(digits)) => Ok(digits as usize),
            (TextReceiver::Characters { place, .. } | TextReceiver::Number(place, _), None) => {
                Ok(self.task_span(place)?.len())
            }
        }
    }

    fn receive(&mut self, to: &TextReceiver, text: &[u8]) -> Result<(), Fault> {
        match to {
            TextReceiver::Characters { place, right } => {
                let range = self.task_span(place)?;
                fit(text, &mut self.task.memory_mut()[range], *right);
            }
            TextReceiver::Number(place, numeric) => {
                let range = self.task_span(place)?;
                let bytes = &mut self.task.memory_mut()[range];
                fields::store(digits_of(text), *numeric, false, false, bytes);
            }
        }
        Ok(())
    }

    // Counters.

    /// A pointer; without one, the first character.
    pub(super) fn pointer(&mut self, pointer: Option<&Counter>) -> Result<i64, Fault> {
        match pointer {
            Some((place, numeric)) => self.integer(&Number::Field(place.clone(), *numeric)),
            None => Ok(1),
        }
    }

    pub(super) fn set_counter(&mut self, (place, numeric): &Counter, value: i64) -> Result<(), Fault> {
        let range = self.task_span(place)?;
        let bytes = &mut self.task.memory_mut()[range];
        fields::store(Decimal::whole(value), *numeric, false, false, bytes);
        Ok(())
    }

    /// Adds to a counter.
    pub(super) fn count(&mut self, counter: &Counter, by: u64) -> Result<(), Fault> {
        let before = self.pointer(Some(counter))?;
        self.set_counter(counter, before.saturating_add_unsigned(by))
    }

    /// Characters; a figurative constant is one of them.
    pub(super) fn unrepeated(&mut self, text: &Text) -> Result<Vec<u8>, Fault> {
        let length = match text {
            Text::Repeated(place) => place.fixed_length().unwrap_or(1) as usize,
            _ => 0,
        };
        Ok(self.text(text, length)?.into_owned())
    }
}
