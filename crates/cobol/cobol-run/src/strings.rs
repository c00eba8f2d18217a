//! STRING and UNSTRING.

use std::borrow::Cow;
use std::ops::Range;

use cobol_runtime::strings::{self as routine, Delimiter, Piece};
use cobol_runtime::{Character, Pace};
use cobol_types::Numeric;

use super::abend::ProgramFault;
use super::decimal::Decimal;
use super::fields;
use super::machine::{Host, Machine, Span};
use super::numbers::digits_of;
use super::texts::is_shared;
use cobol_ir::program::{BytePlace, Segment, Slot, Text, TextReceiver, Unstring, UnstringReceiver};

/// A number that a statement counts with.
type Counter = (BytePlace, Numeric);

/// A sender of STRING that need not be copied: where it lies, up to its delimiter, and how much there is of it.
struct Sender {
    span: Span,
    cost: usize,
}

impl<'m> Machine<'m> {
    pub(super) fn string(
        &mut self,
        sources: &[(Text, Option<Text>)],
        into: &BytePlace,
        pointer: Option<&Counter>,
        overflow: Slot,
        host: &mut dyn Host,
    ) -> Result<(), ProgramFault> {
        let to = self.stored_span(into)?;
        let start = self.pointer(pointer)?;
        let mut may_go_on = || !host.must_stop();
        let pace = &mut Pace::new(&mut may_go_on);
        let (next, over) = match self.senders(sources, &to)? {
            Some(senders) => self.string_in_place(&senders, to, start, pace)?,
            None => self.string_of_copies(sources, to, start, pace)?,
        };
        self.string_ended(pointer, overflow, start, (next, over))
    }

    /// A STRING has come to its end: where its pointer stands, and whether it overflowed.
    pub(super) fn string_ended(
        &mut self,
        pointer: Option<&Counter>,
        overflow: Slot,
        start: i64,
        (next, over): (i64, bool),
    ) -> Result<(), ProgramFault> {
        if over {
            self.set_slot(overflow, 1);
        }
        match pointer {
            Some(pointer) if next != start => self.set_counter(pointer, next),
            _ => Ok(()),
        }
    }

    /// Senders and delimiters, read in their order before anything is stored.
    pub(super) fn texts_of<R>(
        &mut self,
        sources: &[(Text, Option<Text>)],
        read: impl Fn(&mut Self, &Text) -> Result<R, ProgramFault>,
    ) -> Result<Vec<(R, Option<R>)>, ProgramFault> {
        let mut texts = Vec::with_capacity(sources.len());
        for (source, delimiter) in sources {
            let delimiter = delimiter.as_ref().map(|text| read(self, text)).transpose()?;
            texts.push((read(self, source)?, delimiter));
        }
        Ok(texts)
    }

    /// The senders as they lie; `None` if one of them is no place, or lies where others see it, or over the receiver while a delimiter
    /// is looked for. The result of senders that overlap the receiver is not defined: those that are sent whole go one behind the other.
    fn senders(
        &mut self,
        sources: &[(Text, Option<Text>)],
        to: &Range<usize>,
    ) -> Result<Option<Vec<Sender>>, ProgramFault> {
        if is_shared(to) {
            return Ok(None);
        }
        let mut senders = Vec::with_capacity(sources.len());
        let whole = sources.iter().all(|(_, delimiter)| delimiter.is_none());
        for (source, delimiter) in sources {
            let (Text::Place(place) | Text::Repeated(place)) = source else { return Ok(None) };
            let delimiter = match delimiter {
                Some(text) => self.unrepeated(text)?,
                None => Cow::Borrowed(&[][..]),
            };
            let span = self.span(place)?;
            let text = self.read(&span);
            let cost = 1 + text.len() / 16;
            let end = routine::piece_end(&text, &delimiter);
            let span = span.up_to(end);
            let over = |range: &Range<usize>| !whole && range.start < to.end && to.start < range.end;
            if matches!(&span, Span::Task(range) if is_shared(range) || over(range)) {
                return Ok(None);
            }
            senders.push(Sender { span, cost });
        }
        Ok(Some(senders))
    }

    /// [`routine::string`] of senders that the receiver does not change.
    fn string_in_place(
        &mut self,
        senders: &[Sender],
        to: Range<usize>,
        start: i64,
        pace: &mut Pace<'_>,
    ) -> Result<(i64, bool), ProgramFault> {
        let program = self.program;
        let memory = self.task.memory_mut();
        let Some(mut at) = routine::place(start, to.len()) else { return Ok((start, true)) };
        for Sender { span, cost } in senders {
            pace.steps(*cost)?;
            let length = span.len().min(to.len() - at);
            let place = to.start + at;
            match span {
                Span::Task(range) => memory.copy_within(range.start..range.start + length, place),
                Span::Constant(range) => memory[place..place + length]
                    .copy_from_slice(&program.constants[range.start..range.start + length]),
                Span::Zeros(_) => memory[place..place + length].fill(0),
            }
            at += length;
            if length < span.len() {
                return Ok((at as i64 + 1, true));
            }
        }
        Ok((at as i64 + 1, false))
    }

    fn string_of_copies(
        &mut self,
        sources: &[(Text, Option<Text>)],
        to: Range<usize>,
        start: i64,
        pace: &mut Pace<'_>,
    ) -> Result<(i64, bool), ProgramFault> {
        let texts = self.texts_of(sources, Self::unrepeated)?;
        Ok(self.task.change(to, |bytes| routine::string(&pieces(&texts), bytes, start, pace))?)
    }

    pub(super) fn unstring(&mut self, unstring: &Unstring, host: &mut dyn Host) -> Result<(), ProgramFault> {
        let mut may_go_on = || !host.must_stop();
        let pace = &mut Pace::new(&mut may_go_on);
        self.unstring_of(unstring, pace, Self::unrepeated, Self::taken_by, Self::receive)
    }

    /// UNSTRING of characters of any width: the caller gives the ways to read a text, to count a receiver's
    /// characters, and to receive them.
    pub(super) fn unstring_of<T: Character, R: AsRef<[T]>>(
        &mut self,
        unstring: &Unstring,
        pace: &mut Pace<'_>,
        read: impl Fn(&mut Self, &Text) -> Result<R, ProgramFault>,
        taken_by: impl Fn(&mut Self, &UnstringReceiver) -> Result<usize, ProgramFault>,
        receive: impl Fn(&mut Self, &TextReceiver, &[T]) -> Result<(), ProgramFault>,
    ) -> Result<(), ProgramFault> {
        let text = read(self, &unstring.from)?;
        let mut delimiters = Vec::with_capacity(unstring.delimiters.len());
        for (delimiter, all) in &unstring.delimiters {
            delimiters.push((read(self, delimiter)?, *all));
        }
        let delimiters: Vec<Delimiter<'_, T>> =
            delimiters.iter().map(|(text, all)| Delimiter { text: text.as_ref(), all: *all }).collect();
        let start = self.pointer(unstring.pointer.as_ref())?;
        let Some(mut rest) = routine::Unstring::new(text.as_ref(), &delimiters, start) else {
            self.set_slot(unstring.overflow, 1);
            return Ok(());
        };
        let mut took = 0;
        for receiver in &unstring.into {
            let length = taken_by(self, receiver)?;
            let Some(taken) = rest.take(length, pace)? else { break };
            receive(self, &receiver.to, taken.text)?;
            if let Some(delimiter) = &receiver.delimiter {
                receive(self, delimiter, taken.delimiter)?;
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

    /// Number of characters that a receiver takes without delimiters.
    fn taken_by(&mut self, receiver: &UnstringReceiver) -> Result<usize, ProgramFault> {
        match (&receiver.to, receiver.digits) {
            (_, Some(digits)) => Ok(digits as usize),
            (to, None) => Ok(self.stored_span(to.place())?.len()),
        }
    }

    fn receive(&mut self, to: &TextReceiver, text: &[u8]) -> Result<(), ProgramFault> {
        match to {
            TextReceiver::Characters { place, right } => {
                let range = self.stored_span(place)?;
                self.put_fit(range, text, *right);
            }
            TextReceiver::Utf8(to) => self.put_utf8(text, to)?,
            TextReceiver::Number(place, numeric) => {
                let range = self.stored_span(place)?;
                let store = |bytes: &mut [u8]| fields::store(digits_of(text), *numeric, false, false, bytes);
                self.task.change(range, store);
            }
        }
        Ok(())
    }

    // Counters.

    /// A pointer; without one, the first character.
    pub(super) fn pointer(&mut self, pointer: Option<&Counter>) -> Result<i64, ProgramFault> {
        match pointer {
            Some((place, numeric)) => {
                let span = self.span(place)?;
                Ok(fields::load(&self.read(&span), *numeric)?.integer())
            }
            None => Ok(1),
        }
    }

    pub(super) fn set_counter(&mut self, (place, numeric): &Counter, value: i64) -> Result<(), ProgramFault> {
        let range = self.stored_span(place)?;
        let store = |bytes: &mut [u8]| fields::store(Decimal::whole(value), *numeric, false, false, bytes);
        self.task.change(range, store);
        Ok(())
    }

    /// Adds to a counter.
    pub(super) fn count(&mut self, counter: &Counter, by: u64) -> Result<(), ProgramFault> {
        let before = self.pointer(Some(counter))?;
        self.set_counter(counter, before.saturating_add_unsigned(by))
    }

    /// Characters; a figurative constant is one of them.
    pub(super) fn unrepeated(&mut self, text: &Text) -> Result<Cow<'m, [u8]>, ProgramFault> {
        let program = self.program;
        if let Text::Place(place) | Text::Repeated(place) = text
            && place.segment == Segment::Constant
            && let Span::Constant(range) = self.span(place)?
        {
            return Ok(Cow::Borrowed(&program.constants[range]));
        }
        let length = match text {
            Text::Repeated(place) => place.fixed_length().unwrap_or(1) as usize,
            _ => 0,
        };
        Ok(Cow::Owned(self.text(text, length)?.into_owned()))
    }
}

/// The pieces of a STRING.
pub(super) fn pieces<T, R: AsRef<[T]>>(texts: &[(R, Option<R>)]) -> Vec<Piece<'_, T>> {
    texts
        .iter()
        .map(|(text, delimiter)| Piece {
            text: text.as_ref(),
            delimiter: delimiter.as_ref().map(AsRef::as_ref),
        })
        .collect()
}
