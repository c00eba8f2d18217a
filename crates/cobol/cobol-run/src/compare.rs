//! Characters compared: the shorter side is taken as if spaces followed it.

use std::cmp::Ordering;

use super::abend::ProgramFault;
use super::machine::{Machine, Span};
use cobol_ir::program::Text;

impl Machine<'_> {
    pub(super) fn compare_nationals(&mut self, left: &Text, right: &Text) -> Result<Ordering, ProgramFault> {
        let lengths = (self.text_length(left)?, self.text_length(right)?);
        let length = lengths.0.or(lengths.1).unwrap_or(2);
        let left = self.text(left, lengths.1.unwrap_or(length))?.into_owned();
        let right = self.text(right, length)?;
        Ok(cobol_runtime::national::compare(&left, &right))
    }

    pub(super) fn compare_texts(&mut self, left: &Text, right: &Text) -> Result<Ordering, ProgramFault> {
        if self.program.collating.is_none()
            && let Some(order) = self.compare_places(left, right)?
        {
            return Ok(order);
        }
        let lengths = (self.text_length(left)?, self.text_length(right)?);
        let (left_length, right_length) = match lengths {
            (Some(left), Some(right)) => (left, right),
            (Some(one), None) | (None, Some(one)) => (one, one),
            (None, None) => (1, 1),
        };
        let left = self.text(left, left_length)?.into_owned();
        let collating = self.program.collating.as_deref();
        let right = self.text(right, right_length)?;
        Ok(match collating {
            None => padded(&left, &right, b' '),
            Some(places) => {
                let placed = |text: &[u8]| -> Vec<u8> {
                    text.iter().map(|character| places[usize::from(*character)]).collect()
                };
                padded(&placed(&left), &placed(&right), places[usize::from(b' ')])
            }
        })
    }

    /// Characters that need not be copied; none for others.
    fn compare_places(&mut self, left: &Text, right: &Text) -> Result<Option<Ordering>, ProgramFault> {
        let (Text::Place(one) | Text::Repeated(one), Text::Place(other) | Text::Repeated(other)) =
            (left, right)
        else {
            return Ok(None);
        };
        let (one, other) = (self.span(one)?, self.span(other)?);
        Ok(self.compare_spans((left, &one), (right, &other)))
    }

    /// The order of the bytes of two texts; `None` where neither is a place.
    #[inline]
    pub(super) fn compare_spans(
        &self,
        (left, one): (&Text, &Span),
        (right, other): (&Text, &Span),
    ) -> Option<Ordering> {
        let (one, other) = (self.read(one), self.read(other));
        match (left, right) {
            (Text::Place(_), Text::Place(_)) => Some(padded(&one, &other, b' ')),
            (Text::Place(_), Text::Repeated(_)) => Some(repeated(&one, &other)),
            (Text::Repeated(_), Text::Place(_)) => Some(repeated(&other, &one).reverse()),
            _ => None,
        }
    }
}

/// Order of characters and others that are repeated as often as needed.
fn repeated(text: &[u8], pattern: &[u8]) -> Ordering {
    match *pattern {
        [byte] => other_than(text, byte).map_or(Ordering::Equal, |other| other.cmp(&byte)),
        _ => text.iter().cmp(pattern.iter().cycle().take(text.len())),
    }
}

/// The first byte that is another.
fn other_than(text: &[u8], byte: u8) -> Option<u8> {
    let (words, rest) = text.as_chunks::<8>();
    let other = words.iter().find(|word| **word != [byte; 8]).map_or(rest, |word| &word[..]);
    other.iter().copied().find(|own| *own != byte)
}

pub(super) fn padded(left: &[u8], right: &[u8], space: u8) -> Ordering {
    let common = left.len().min(right.len());
    let blanks = |rest: &[u8]| other_than(rest, space).map(|other| other.cmp(&space));
    left[..common].cmp(&right[..common]).then_with(|| {
        let longer = blanks(&left[common..]);
        longer.or(blanks(&right[common..]).map(Ordering::reverse)).unwrap_or(Ordering::Equal)
    })
}
