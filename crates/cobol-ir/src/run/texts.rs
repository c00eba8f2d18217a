//! Characters: moves, figurative constants, editing, DISPLAY.

use std::borrow::Cow;

use super::abend::Fault;
use super::machine::{Machine, Span};
use super::{edit, fields};
use crate::program::{Class, Number, Place, Shown, Text};

impl Machine<'_> {
    pub(super) fn move_text(&mut self, from: &Text, to: &Place, right: bool) -> Result<(), Fault> {
        match from {
            Text::Repeated(place) => {
                let span = self.span(place)?;
                let to = self.task_span(to)?;
                let pattern = self.read(&span).to_vec();
                let bytes = self.task.memory_mut()[to].iter_mut();
                bytes.zip(pattern.iter().cycle()).for_each(|(to, from)| *to = *from);
            }
            Text::Place(place) => {
                let from = self.span(place)?;
                let to = self.task_span(to)?;
                match from {
                    Span::Task(from) if !right && from.len() >= to.len() => {
                        let end = from.start + to.len();
                        self.task.memory_mut().copy_within(from.start..end, to.start);
                    }
                    from => {
                        let text = self.read(&from).to_vec();
                        fit(&text, &mut self.task.memory_mut()[to], right);
                    }
                }
            }
            Text::Digits(number, digits) => {
                let text = self.digits(number, *digits)?;
                let to = self.task_span(to)?;
                fit(&text, &mut self.task.memory_mut()[to], right);
            }
        }
        Ok(())
    }

    pub(super) fn edit_text(&mut self, from: &Text, to: &Place, picture: u32) -> Result<(), Fault> {
        let to = self.task_span(to)?;
        let text = self.text(from, to.len())?.into_owned();
        let picture = &self.program.pictures[picture as usize];
        edit::edit_text(&text, picture, &mut self.task.memory_mut()[to]);
        Ok(())
    }

    /// Characters; what is repeated, as often as `length` asks for.
    pub(super) fn text(&mut self, text: &Text, length: usize) -> Result<Cow<'_, [u8]>, Fault> {
        match text {
            Text::Place(place) => {
                let span = self.span(place)?;
                Ok(Cow::Borrowed(self.read(&span)))
            }
            Text::Repeated(place) => {
                let span = self.span(place)?;
                Ok(Cow::Owned(self.read(&span).iter().copied().cycle().take(length).collect()))
            }
            Text::Digits(number, digits) => Ok(Cow::Owned(self.digits(number, *digits)?)),
        }
    }

    /// How many characters a text has of its own; none if it has as many as needed.
    pub(super) fn text_length(&mut self, text: &Text) -> Result<Option<usize>, Fault> {
        Ok(match text {
            Text::Repeated(_) => None,
            Text::Digits(_, digits) => Some(*digits as usize),
            Text::Place(place) => usize::try_from(self.linear(&place.length)?).ok(),
        })
    }

    fn digits(&mut self, number: &Number, digits: u32) -> Result<Vec<u8>, Fault> {
        let (value, _) = self.number(number)?.aligned(0, false, digits);
        let text = format!("{:0width$}", value.unsigned_abs(), width = digits as usize);
        Ok(text.as_bytes()[text.len() - digits as usize..].to_vec())
    }

    pub(super) fn replicate(&mut self, place: &Place, unit: usize) -> Result<(), Fault> {
        let range = self.task_span(place)?;
        let bytes = &mut self.task.memory_mut()[range];
        let mut done = unit;
        while done < bytes.len() {
            let step = done.min(bytes.len() - done);
            bytes.copy_within(..step, done);
            done += step;
        }
        Ok(())
    }

    pub(super) fn is_of_class(&mut self, place: &Place, class: &Class) -> Result<bool, Fault> {
        let span = self.span(place)?;
        let is_member = |byte: &u8| match class {
            Class::Digits => byte.is_ascii_digit(),
            Class::Letters => byte.is_ascii_alphabetic() || *byte == b' ',
            Class::Lower => byte.is_ascii_lowercase() || *byte == b' ',
            Class::Upper => byte.is_ascii_uppercase() || *byte == b' ',
            Class::Named(members) => members[usize::from(*byte)],
        };
        Ok(self.read(&span).iter().all(is_member))
    }

    pub(super) fn show(&mut self, item: &Shown, out: &mut Vec<u8>) -> Result<(), Fault> {
        match item {
            Shown::Text(place) => {
                let span = self.span(place)?;
                out.extend_from_slice(self.read(&span));
            }
            Shown::Number(place, numeric) => {
                let span = self.span(place)?;
                fields::show(self.read(&span), *numeric, out)?;
            }
            Shown::Whole(number, digits) => {
                let text = self.digits(number, *digits)?;
                out.extend_from_slice(&text);
            }
        }
        Ok(())
    }
}

/// Characters into an area: cut or padded with spaces, at the right or at the left.
fn fit(text: &[u8], to: &mut [u8], right: bool) {
    let length = text.len().min(to.len());
    if right {
        let (pad, rest) = to.split_at_mut(to.len() - length);
        pad.fill(b' ');
        rest.copy_from_slice(&text[text.len() - length..]);
    } else {
        let (head, pad) = to.split_at_mut(length);
        head.copy_from_slice(&text[..length]);
        pad.fill(b' ');
    }
}
