//! Task numbers: which are taken, by tasks that run and by those that wait to be let in.

/// Task numbers have five digits.
pub(super) const TASK_NUMBER_MAX: u32 = 99_999;
/// Numbers of a word.
const BITS: u32 = u64::BITS;
/// Words for all numbers; that of 0, which no task has, is among them.
const WORDS: usize = (TASK_NUMBER_MAX / BITS + 1) as usize;

/// A bit for each number: taken.
pub(super) struct Numbers {
    last: u32,
    taken: Box<[u64; WORDS]>,
}

impl Default for Numbers {
    fn default() -> Self {
        let mut taken = Box::new([0; WORDS]);
        taken[0] = 1;
        (TASK_NUMBER_MAX + 1..WORDS as u32 * BITS).for_each(|none| taken[place(none)] |= bit(none));
        Self { last: 0, taken }
    }
}

fn place(number: u32) -> usize {
    (number / BITS) as usize
}

fn bit(number: u32) -> u64 {
    1 << (number % BITS)
}

impl Numbers {
    /// The next free number: behind the last one, and from the first one again behind the highest. `None` if all are
    /// taken.
    pub fn take(&mut self) -> Option<u32> {
        let from = self.last + 1;
        let number = self.free(place(from), !(bit(from) - 1)).or_else(|| self.free(0, u64::MAX))?;
        self.taken[place(number)] |= bit(number);
        self.last = number % TASK_NUMBER_MAX;
        Some(number)
    }

    /// The first free number from a word on, of which only some bits count.
    fn free(&self, first: usize, of_first: u64) -> Option<u32> {
        (first..WORDS).find_map(|at| {
            let counts = if at == first { of_first } else { u64::MAX };
            let free = !self.taken[at] & counts;
            (free != 0).then(|| at as u32 * BITS + free.trailing_zeros())
        })
    }

    /// Gives a number back.
    pub fn give(&mut self, number: u32) {
        if number <= TASK_NUMBER_MAX {
            self.taken[place(number)] &= !bit(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_given_in_turn_and_none_twice() {
        let mut numbers = Numbers::default();
        assert_eq!([(); 3].map(|()| numbers.take()), [Some(1), Some(2), Some(3)]);
        numbers.give(2);
        assert_eq!(numbers.take(), Some(4), "2 comes when its turn does");
        assert_eq!((5..=TASK_NUMBER_MAX).find(|number| numbers.take() != Some(*number)), None);
        assert_eq!(numbers.take(), Some(2));
        assert_eq!(numbers.take(), None);
        numbers.give(TASK_NUMBER_MAX);
        numbers.give(64);
        assert_eq!([(); 3].map(|()| numbers.take()), [Some(64), Some(TASK_NUMBER_MAX), None]);
        numbers.give(63);
        assert_eq!(numbers.take(), Some(63));
    }
}
