//! Numbers of sequences and identity columns: each is given out once, whatever becomes of the unit of work.
//!
//! Numbers are noted as given out some time before they are, in a store whose changes stay. A kill loses those that were noted and not
//! given out; a number that a committed unit of work has used was noted before it in the log.

use records::UnitOfWork;

use crate::catalogue::Sequence;
use crate::failure::{Failure, Tried, corrupt};
use crate::limits;
use crate::range::Key;
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

/// A number as it is noted: the next one after a start; nothing at the end.
fn note(next: Option<i64>) -> Vec<u8> {
    next.map_or_else(Vec::new, |next| next.to_be_bytes().to_vec())
}

impl Work {
    /// NEXT VALUE: the next number of a sequence.
    ///
    /// # Errors
    /// -359 at its end.
    pub fn next_value(&mut self, unit: &mut dyn UnitOfWork, sequence: &Sequence) -> Tried<i64> {
        let key = Key::from_slice(&sequence.id.0.to_be_bytes());
        let known = self.tables.given.lock().get(&sequence.id).copied();
        let given = match known {
            Some(given) => given,
            None => self.noted(unit, sequence, &key)?,
        };
        let Some(number) = given.next else {
            return Err(Failure::new(-359, [sequence.name.to_string()]).into());
        };
        if given.left == 0 {
            let ahead = (0..limits::NOTED_AHEAD).try_fold(number, |number, _| sequence.after(number));
            let record = note(ahead);
            let put = unit.put(self.tables.numbers, &key, &record).now().ok();
            let Some(put) = put else { return self.later(Awaited::Number(self.tables.numbers, key, record)) };
            put?;
        }
        Ok(self.give(sequence, number))
    }

    /// What was noted before the start.
    fn noted(&mut self, unit: &mut dyn UnitOfWork, sequence: &Sequence, key: &Key) -> Tried<Given> {
        let mut record = Vec::new();
        let next = match self.read(unit, self.tables.numbers, key, &mut record)? {
            false => Some(sequence.start),
            true if record.is_empty() => None,
            true => {
                let bytes = record.as_slice().try_into().map_err(|_| corrupt("a number of a sequence"))?;
                Some(i64::from_be_bytes(bytes))
            }
        };
        Ok(*self.tables.given.lock().entry(sequence.id).or_insert(Given { next, left: 0 }))
    }

    /// Gives out the next number, which is `number` unless another task was quicker: then what is noted covers both.
    fn give(&self, sequence: &Sequence, number: i64) -> i64 {
        let mut all = self.tables.given.lock();
        let given = all.entry(sequence.id).or_insert(Given { next: Some(number), left: 0 });
        let number = given.next.unwrap_or(number);
        given.left = if given.left == 0 { limits::NOTED_AHEAD - 1 } else { given.left - 1 };
        given.next = sequence.after(number);
        number
    }
}
