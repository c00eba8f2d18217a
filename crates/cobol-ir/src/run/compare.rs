//! Characters compared: the shorter side is taken as if spaces followed it.

use std::cmp::Ordering;

use super::abend::Fault;
use super::machine::Machine;
use crate::program::Text;

impl Machine<'_> {
    pub(super) fn compare_texts(&mut self, left: &Text, right: &Text) -> Result<Ordering, Fault> {
        let lengths = (self.text_length(left)?, self.text_length(right)?);
        let (left_length, right_length) = match lengths {
            (Some(left), Some(right)) => (left, right),
            (Some(one), None) | (None, Some(one)) => (one, one),
            (None, None) => (1, 1),
        };
        let left = self.text(left, left_length)?.into_owned();
        let right = self.text(right, right_length)?;
        Ok(padded(&left, &right))
    }
}

pub(super) fn padded(left: &[u8], right: &[u8]) -> Ordering {
    let common = left.len().min(right.len());
    let blanks = |rest: &[u8]| rest.iter().map(|byte| byte.cmp(&b' ')).find(|order| order.is_ne());
    left[..common].cmp(&right[..common]).then_with(|| {
        let longer = blanks(&left[common..]);
        longer.or(blanks(&right[common..]).map(Ordering::reverse)).unwrap_or(Ordering::Equal)
    })
}
