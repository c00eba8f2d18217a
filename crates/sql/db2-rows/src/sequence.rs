//! Numbers of sequences and identity columns: each is given out once, whatever becomes of the unit of work.
//!
//! Numbers are noted as given out some time before they are, in a store whose changes stay. A kill loses those that were noted and not
//! given out; a number that a committed unit of work has used was noted before it in the log.

use std::sync::Arc;

use records::UnitOfWork;

use crate::catalogue::{Sequence, SequenceId};
use crate::failure::{Failure, Tried, corrupt};
use crate::limits;
use crate::tables::Given;
use crate::work::{Awaited, Work};

impl Sequence {
    /// The number so many steps behind another; `None` beyond the end.
    fn behind(&self, number: i64, steps: i64) -> Option<i64> {
        let next = self.increment.checked_mul(steps).and_then(|step| number.checked_add(step));
        next.filter(|next| (self.least..=self.greatest).contains(next))
    }

    /// The number after another; `None` at the end of one that does not begin again.
    fn after(&self, number: i64) -> Option<i64> {
        let again = if self.increment > 0 { self.least } else { self.greatest };
        self.behind(number, 1).or(self.cycles.then_some(again))
    }
}

impl Work {
    /// NEXT VALUE: the next number of a sequence.
    ///
    /// # Errors
    /// -359 at its end.
    pub fn next_value(&mut self, unit: &mut dyn UnitOfWork, sequence: &Sequence) -> Tried<i64> {
        let tables = Arc::clone(&self.tables);
        let key = sequence.id.0.to_be_bytes();
        let is_known = tables.given.lock().contains_key(&sequence.id);
        let noted = if is_known { Given::default() } else { self.noted(unit, sequence, &key)? };
        // In hand while more are noted: a note never takes the place of a later one.
        let mut all = tables.given.lock();
        let given = all.entry(sequence.id).or_insert(noted);
        let Some(number) = given.next else {
            return Err(Failure::new(-359, [sequence.name.to_string()]).into());
        };
        if given.left == 0 {
            let ahead = (0..limits::NOTED_AHEAD).try_fold(number, |number, _| sequence.after(number));
            self.put_note(unit, &key, ahead)?;
            given.left = limits::NOTED_AHEAD;
        }
        given.left -= 1;
        given.next = sequence.after(number);
        drop(all);
        self.numbers.previous.insert(sequence.id, number);
        Ok(number)
    }

    /// PREVIOUS VALUE: the last number that this task got of a sequence.
    pub fn previous_value(&self, sequence: &Sequence) -> Option<i64> {
        self.numbers.previous.get(&sequence.id).copied()
    }

    /// Notes the number that an identity column got in a row of this task.
    pub fn note_identity(&mut self, number: i64) {
        self.numbers.identity = Some(number);
    }

    /// IDENTITY_VAL_LOCAL: the last of these.
    pub fn identity_value(&self) -> Option<i64> {
        self.numbers.identity
    }

    /// Notes the first number of a new sequence: a former one may have had its number.
    pub(crate) fn note_first(&mut self, unit: &mut dyn UnitOfWork, id: SequenceId, start: i64) -> Tried<()> {
        self.put_note(unit, &id.0.to_be_bytes(), Some(start))
    }

    fn put_note(&mut self, unit: &mut dyn UnitOfWork, key: &[u8], next: Option<i64>) -> Tried<()> {
        let note = next.map_or_else(Vec::new, |next| next.to_be_bytes().to_vec());
        match unit.put(self.tables.numbers, key, &note).now().ok() {
            Some(put) => Ok(put?),
            None => self.later(Awaited::Room(self.tables.numbers)),
        }
    }

    /// The number that was noted before the start.
    fn noted(&mut self, unit: &mut dyn UnitOfWork, sequence: &Sequence, key: &[u8]) -> Tried<Given> {
        let mut record = Vec::new();
        let next = match self.read(unit, self.tables.numbers, key, &mut record)? {
            false => Some(sequence.start),
            true if record.is_empty() => None,
            true => {
                let bytes = record.as_slice().try_into().map_err(|_| corrupt("a number of a sequence"))?;
                Some(i64::from_be_bytes(bytes))
            }
        };
        Ok(Given { next, left: 0 })
    }
}
