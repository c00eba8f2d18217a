//! The order of SORT: of the records of a file, and of the occurrences of a table.

use std::cmp::Ordering;

use super::abend::ProgramFault;
use super::fields::digits_in;
use super::machine::Machine;
use cobol_ir::program::BytePlace;
use cobol_ir::program::files::{SortKey, SortOrder};

/// Compares two records by the keys of a SORT.
pub fn compare_records(order: &SortOrder, left: &[u8], right: &[u8]) -> Ordering {
    let mut by_key = order.keys.iter().map(|key| {
        let own = compare_key(order, key, part(left, key), part(right, key));
        if key.descending { own.reverse() } else { own }
    });
    by_key.find(|own| own.is_ne()).unwrap_or(Ordering::Equal)
}

fn compare_key(order: &SortOrder, key: &SortKey, left: &[u8], right: &[u8]) -> Ordering {
    let whole = key.length as usize;
    if let Some(numeric) = key.numeric
        && left.len() == whole
        && right.len() == whole
        && let (Ok(left), Ok(right)) = (digits_in(left, numeric), digits_in(right, numeric))
    {
        return left.cmp(&right);
    }
    // Bytes that hold no number are compared as they lie: SORT ends no program because of its data.
    match &order.collating {
        Some(table) if key.numeric.is_none() => {
            let place = |byte: &u8| table[usize::from(*byte)];
            left.iter().map(place).cmp(right.iter().map(place))
        }
        _ => left.cmp(right),
    }
}

/// The bytes of a key; a record that ends before it has fewer.
fn part<'r>(record: &'r [u8], key: &SortKey) -> &'r [u8] {
    let end = record.len().min((key.offset + key.length) as usize);
    record.get(key.offset as usize..end).unwrap_or_default()
}

impl Machine<'_> {
    /// Puts the occurrences of a table in order; those with equal keys stay in theirs.
    pub(super) fn sort_table(
        &mut self,
        table: &BytePlace,
        stride: u32,
        order: &SortOrder,
    ) -> Result<(), ProgramFault> {
        let range = self.stored_span(table)?;
        self.task.change(range, |bytes| {
            let before = bytes.to_vec();
            let mut occurrences: Vec<&[u8]> = before.chunks_exact(stride as usize).collect();
            occurrences.sort_by(|left, right| compare_records(order, left, right));
            for (to, from) in bytes.chunks_exact_mut(stride as usize).zip(occurrences) {
                to.copy_from_slice(from);
            }
        });
        Ok(())
    }
}
