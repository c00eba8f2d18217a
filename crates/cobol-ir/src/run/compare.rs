//! Characters compared: the shorter side is taken as if spaces followed it.

use std::cmp::Ordering;

use super::abend::Fault;
use super::machine::Machine;
use crate::program::Text;

impl Machine<'_> {
    pub(super) fn compare_nationals(&mut self, left: &Text, right: &Text) -> Result<Ordering, Fault> {
        let lengths = (self.text_length(left)?, self.text_length(right)?);
        let length = lengths.0.or(lengths.1).unwrap_or(2);
        let left = self.text(left, lengths.1.unwrap_or(length))?.into_owned();
        let right = self.text(right, length)?;
        Ok(cobol_runtime::national::compare(&left, &right))
    }

    pub(super) fn compare_texts(&mut self, left: &Text, right: &Text) -> Result<Ordering, Fault> {
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
}

pub(super) fn padded(left: &[u8], right: &[u8], space: u8) -> Ordering {
    let common = left.len().min(right.len());
    let blanks = |rest: &[u8]| rest.iter().map(|byte| byte.cmp(&space)).find(|order| order.is_ne());
    left[..common].cmp(&right[..common]).then_with(|| {
        let longer = blanks(&left[common..]);
        longer.or(blanks(&right[common..]).map(Ordering::reverse)).unwrap_or(Ordering::Equal)
    })
}
