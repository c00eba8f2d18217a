//! Functions that look for a text in another, or put one there.

use super::texts::upper;
use super::{Call, Function};
use crate::limits;
use crate::order::BLANK;
use crate::unfit::Unfit;
use crate::value::Value;

impl Call<'_> {
    pub(super) fn of_places(&self) -> Result<Value, Unfit> {
        match self.function {
            Function::Position => Ok(found(&self.text_at(0)?, &self.text_at(1)?, 0)),
            Function::Locate => {
                let start = if self.values.len() > 2 { self.whole_at(2)? } else { 1 };
                let start = usize::try_from(start)
                    .ok()
                    .and_then(|start| start.checked_sub(1))
                    .ok_or(Unfit::ARGUMENT)?;
                Ok(found(&self.text_at(1)?, &self.text_at(0)?, start))
            }
            Function::LocateInString => self.locate_in_string(),
            Function::Replace => self.replace().map(Value::Text),
            Function::Insert => self.overlaid(self.whole_at(1)?, self.whole_at(2)?, 3),
            Function::Overlay => {
                let length =
                    if self.values.len() > 3 { self.whole_at(3)? } else { self.text_at(1)?.len() as i64 };
                self.overlaid(self.whole_at(2)?, length, 1)
            }
            _ => self.translate().map(Value::Text),
        }
    }

    /// The first text with another, an argument, in the place of some characters.
    fn overlaid(&self, start: i64, length: i64, other: usize) -> Result<Value, Unfit> {
        let text = self.text_at(0)?;
        let start = usize::try_from(start).ok().and_then(|start| start.checked_sub(1));
        let start = start.filter(|start| *start <= text.len()).ok_or(Unfit::SUBSTRING)?;
        let length = usize::try_from(length).map_err(|_| Unfit::SUBSTRING)?;
        let behind = start.saturating_add(length).min(text.len());
        Ok(Value::Text([&text[..start], &self.text_at(other)?, &text[behind..]].concat()))
    }

    /// From a negative place it is looked for towards the beginning.
    fn locate_in_string(&self) -> Result<Value, Unfit> {
        let (text, wanted) = (self.text_at(0)?, self.text_at(1)?);
        let start = if self.values.len() > 2 { self.whole_at(2)? } else { 1 };
        let which = if self.values.len() > 3 { self.whole_at(3)? } else { 1 };
        let which =
            usize::try_from(which).ok().and_then(|which| which.checked_sub(1)).ok_or(Unfit::ARGUMENT)?;
        if wanted.is_empty() {
            return Ok(Value::Whole(1));
        }
        let is_at = |at: &usize| text[*at..].starts_with(&wanted);
        let distance = usize::try_from(start.unsigned_abs()).unwrap_or(usize::MAX);
        let place = match start {
            0 => return Err(Unfit::ARGUMENT),
            1.. => (distance - 1..text.len()).filter(is_at).nth(which),
            _ if distance > text.len() => None,
            _ => (0..=text.len() - distance).rev().filter(is_at).nth(which),
        };
        Ok(Value::Whole(place.map_or(0, |at| at as i64 + 1)))
    }

    fn replace(&self) -> Result<Vec<u8>, Unfit> {
        let (text, wanted, other) = (self.text_at(0)?, self.text_at(1)?, self.text_at(2)?);
        let (mut made, mut rest) = (Vec::new(), &*text);
        if wanted.is_empty() {
            return Ok(rest.to_vec());
        }
        while let Some(at) = place(rest, &wanted, 0) {
            made.extend_from_slice(&rest[..at]);
            made.extend_from_slice(&other);
            rest = &rest[at + wanted.len()..];
            if made.len() > limits::TEXT_MAX {
                return Err(Unfit::TOO_LONG);
            }
        }
        made.extend_from_slice(rest);
        Ok(made)
    }

    /// With one argument it is upper case; with more the second text's characters take the place of the third's.
    fn translate(&self) -> Result<Vec<u8>, Unfit> {
        let text = self.text_at(0)?;
        if self.values.len() == 1 {
            return Ok(upper(&text));
        }
        let (to, from) = (self.text_at(1)?, self.text_at(2)?);
        let filler = match self.values.len() {
            3 => BLANK,
            _ => match *self.text_at(3)? {
                [filler] => filler,
                _ => return Err(Unfit::ARGUMENT),
            },
        };
        let other = |byte: &u8| match from.iter().position(|other| other == byte) {
            Some(at) => to.get(at).copied().unwrap_or(filler),
            None => *byte,
        };
        Ok(text.iter().map(other).collect())
    }
}

/// The place of a text in another, from 1, at or behind a place from 0; 0 where it is not.
fn found(text: &[u8], wanted: &[u8], start: usize) -> Value {
    Value::Whole(place(text, wanted, start).map_or(0, |at| at as i64 + 1))
}

fn place(text: &[u8], wanted: &[u8], start: usize) -> Option<usize> {
    let last = text.len().checked_sub(wanted.len())?;
    (start..=last).find(|at| text[*at..].starts_with(wanted))
}
