//! Characters: moves, figurative constants, editing, DISPLAY.

use std::borrow::Cow;
use std::ops::Range;

use cobol_runtime::national;

use super::abend::ProgramFault;
use super::fit::{fit, fit_within};
use super::machine::{Machine, Span};
use super::shared::{SHARED, ZEROS};
use super::storage::Seen;
use super::{edit, fields};
use cobol_ir::program::{BytePlace, Class, Number, Shown, Text};

/// Moves bytes from the left, one by one, as the machine does: a field that is moved onto itself a few bytes on is filled
/// with its first ones.
#[inline]
fn one_by_one(memory: &mut [u8], from: usize, to: Range<usize>) {
    if from < to.start && to.start - from < to.len() {
        for at in 0..to.len() {
            memory[to.start + at] = memory[from + at];
        }
    } else {
        memory.copy_within(from..from + to.len(), to.start);
    }
}

/// Returns true if a place lies in storage that others see.
pub(super) fn is_shared(place: &Range<usize>) -> bool {
    place.start >= SHARED as usize
}

impl Machine<'_> {
    pub(super) fn move_text(&mut self, from: &Text, to: &BytePlace, right: bool) -> Result<(), ProgramFault> {
        match from {
            Text::Repeated(place) => {
                let span = self.span(place)?;
                let to = self.stored_span(to)?;
                self.repeat(&span, to);
            }
            Text::Place(place) => {
                let from = self.span(place)?;
                let to = self.stored_span(to)?;
                self.move_span(from, to, right);
            }
            Text::Digits(..) | Text::Unsigned(..) | Text::Function(_) => {
                let text = self.text(from, 0)?.into_owned();
                let to = self.stored_span(to)?;
                self.put_fit(to, &text, right);
            }
        }
        Ok(())
    }

    /// Bytes again and again, until a range is full.
    pub(super) fn repeat(&mut self, pattern: &Span, to: Range<usize>) {
        let program = self.program;
        let own;
        let pattern = match pattern {
            Span::Constant(range) => &program.constants[range.clone()],
            Span::Zeros(range) => &ZEROS[range.clone()],
            Span::Task(range) => {
                own = self.task.look(range.clone()).into_owned();
                &own[..]
            }
        };
        self.task.change(to, |bytes| match *pattern {
            [byte] => bytes.fill(byte),
            _ => bytes.iter_mut().zip(pattern.iter().cycle()).for_each(|(to, from)| *to = *from),
        });
    }

    /// Characters from one range to another, cut or padded with spaces.
    #[inline]
    pub(super) fn move_span(&mut self, from: Span, to: Range<usize>, right: bool) {
        match from {
            Span::Task(from) if is_shared(&from) || is_shared(&to) => self.move_shared(from, to, right),
            Span::Task(from) if !right && from.len() >= to.len() => {
                one_by_one(self.task.memory_mut(), from.start, to);
            }
            Span::Task(from) => fit_within(self.task.memory_mut(), from, to, right),
            Span::Constant(from) => {
                let program = self.program;
                self.put_fit(to, &program.constants[from], right);
            }
            Span::Zeros(from) => self.put_fit(to, &ZEROS[from], right),
        }
    }

    /// Characters to a place, cut or padded with spaces. All of it is stored.
    #[inline]
    pub(super) fn put_fit(&mut self, to: Range<usize>, text: &[u8], right: bool) {
        if is_shared(&to) {
            let mut bytes = Seen::from_elem(0, to.len());
            fit(text, &mut bytes, right);
            self.task.put(to, &bytes);
        } else {
            fit(text, &mut self.task.memory_mut()[to], right);
        }
    }

    /// Characters to a place, of which one lies in storage that others see, or both: as if they lay in the task's own.
    fn move_shared(&mut self, from: Range<usize>, to: Range<usize>, right: bool) {
        match (is_shared(&from), is_shared(&to)) {
            (true, false) if !right => {
                let (length, spaces) = (from.len().min(to.len()), to.len().saturating_sub(from.len()));
                self.task.take_in(from.start..from.start + length, to.start);
                self.task.memory_mut()[to.end - spaces..to.end].fill(b' ');
                return;
            }
            (false, true) if !right && from.len() >= to.len() => {
                return self.task.give_out(from.start..from.start + to.len(), to.start);
            }
            _ => {}
        }
        let behind = to.start.wrapping_sub(from.start);
        let mut text = match is_shared(&from) {
            true => self.task.copied(from.clone()),
            false => Seen::from_slice(&self.task.memory()[from.clone()]),
        };
        if !right && from.len() >= to.len() && (1..to.len()).contains(&behind) {
            for at in behind..to.len() {
                text[at] = text[at - behind];
            }
        }
        self.put_fit(to, &text, right);
    }

    pub(super) fn move_national(&mut self, from: &Text, to: &BytePlace) -> Result<(), ProgramFault> {
        let length = to.fixed_length().unwrap_or(0) as usize;
        let text = self.text(from, length)?.into_owned();
        let to = self.stored_span(to)?;
        self.task.change(to, |bytes| national::fit(&text, bytes));
        Ok(())
    }

    pub(super) fn edit_text(
        &mut self,
        from: &Text,
        to: &BytePlace,
        picture: u32,
    ) -> Result<(), ProgramFault> {
        let to = self.stored_span(to)?;
        let text = self.text(from, to.len())?.into_owned();
        let picture = &self.program.pictures[picture as usize];
        self.task.change(to, |bytes| edit::edit_text(&text, picture, bytes));
        Ok(())
    }

    pub(super) fn edit_national(
        &mut self,
        from: &Text,
        to: &BytePlace,
        picture: u32,
    ) -> Result<(), ProgramFault> {
        let to = self.stored_span(to)?;
        let text = self.text(from, to.len())?.into_owned();
        let picture = &self.program.pictures[picture as usize];
        self.task.change(to, |bytes| edit::edit_national(&text, picture, bytes));
        Ok(())
    }

    /// Characters; what is repeated, as often as `length` asks for.
    pub(super) fn text(&mut self, text: &Text, length: usize) -> Result<Cow<'_, [u8]>, ProgramFault> {
        match text {
            Text::Place(place) => {
                let span = self.span(place)?;
                Ok(self.read(&span))
            }
            Text::Repeated(place) => {
                let span = self.span(place)?;
                Ok(Cow::Owned(self.read(&span).iter().copied().cycle().take(length).collect()))
            }
            Text::Digits(number, digits) => Ok(Cow::Owned(self.digits(number, *digits)?)),
            Text::Unsigned(place, numeric) => {
                let span = self.span(place)?;
                Ok(Cow::Owned(fields::unsigned(&self.read(&span), *numeric)))
            }
            Text::Function(function) => Ok(Cow::Owned(self.text_function(function)?)),
        }
    }

    /// Number of a text's own characters; `None` if it has as many as needed.
    pub(super) fn text_length(&mut self, text: &Text) -> Result<Option<usize>, ProgramFault> {
        Ok(match text {
            Text::Repeated(_) => None,
            Text::Digits(_, digits) => Some(*digits as usize),
            Text::Place(place) => usize::try_from(self.linear(&place.length)?).ok(),
            Text::Unsigned(..) | Text::Function(_) => Some(self.text(text, 0)?.len()),
        })
    }

    fn digits(&mut self, number: &Number, digits: u32) -> Result<Vec<u8>, ProgramFault> {
        let (value, _) = self.number(number)?.aligned(0, false, digits);
        let text = format!("{:0width$}", value.unsigned_abs(), width = digits as usize);
        Ok(text.as_bytes()[text.len() - digits as usize..].to_vec())
    }

    pub(super) fn replicate(&mut self, place: &BytePlace, unit: usize) -> Result<(), ProgramFault> {
        let range = self.stored_span(place)?;
        self.task.change(range, |bytes| {
            let mut done = unit;
            while done < bytes.len() {
                let step = done.min(bytes.len() - done);
                bytes.copy_within(..step, done);
                done += step;
            }
        });
        Ok(())
    }

    pub(super) fn is_of_class(&mut self, text: &Text, class: &Class) -> Result<bool, ProgramFault> {
        Ok(class.has(&self.text(text, 1)?))
    }

    pub(super) fn show(&mut self, item: &Shown, out: &mut Vec<u8>) -> Result<(), ProgramFault> {
        match item {
            Shown::Text(place) => {
                let span = self.span(place)?;
                out.extend_from_slice(&self.read(&span));
            }
            Shown::Function(function) => {
                let text = self.text_function(function)?;
                out.extend_from_slice(&text);
            }
            Shown::Number(place, numeric, signs) => {
                let span = self.span(place)?;
                fields::show(&self.read(&span), *numeric, *signs, out)?;
            }
            Shown::Floating(real, width) => {
                let shown = self.real(real)?.shown(*width);
                out.extend_from_slice(shown.as_bytes());
            }
            Shown::Whole(number, digits) => {
                let text = self.digits(number, *digits)?;
                out.extend_from_slice(&text);
            }
        }
        Ok(())
    }
}
