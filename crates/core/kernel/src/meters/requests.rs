//! Requests of a task, counted where commands are answered.

use spec::measures::REQUEST_SLOTS;

/// Numbers of a task's requests, by the counters of `spec::measures`.
#[derive(Clone, Debug)]
pub struct Requests {
    counts: [u32; REQUEST_SLOTS],
    /// A bit for each counter that is not 0: a task uses a handful of them.
    used: [u64; WORDS],
}

const WORDS: usize = REQUEST_SLOTS.div_ceil(u64::BITS as usize);

impl Default for Requests {
    fn default() -> Self {
        Self { counts: [0; REQUEST_SLOTS], used: [0; WORDS] }
    }
}

impl Requests {
    /// Counts a command, by its slot: always, since a test whether to count would cost as much.
    #[inline(always)]
    pub fn count(&mut self, slot: usize) {
        self.counts[slot] = self.counts[slot].wrapping_add(1);
        self.used[slot / u64::BITS as usize] |= 1 << (slot % u64::BITS as usize);
    }

    /// The count of a slot.
    pub fn of(&self, slot: usize) -> u64 {
        self.counts[slot].into()
    }

    /// The counters that are not 0.
    pub fn counted(&self) -> impl Iterator<Item = (usize, u64)> {
        let (mut word, mut left) = (0, self.used[0]);
        std::iter::from_fn(move || {
            while left == 0 {
                word += 1;
                left = *self.used.get(word)?;
            }
            let slot = word * u64::BITS as usize + left.trailing_zeros() as usize;
            left &= left - 1;
            Some((slot, u64::from(self.counts[slot])))
        })
    }
}

impl Requests {
    /// Those that have come since an earlier count of the same task.
    #[must_use]
    pub(crate) fn since(&self, earlier: &Self) -> Self {
        let mut left = Self::default();
        for (slot, count) in self.counted() {
            let more = (count as u32).wrapping_sub(earlier.counts[slot]);
            if more != 0 {
                left.counts[slot] = more;
                left.used[slot / u64::BITS as usize] |= 1 << (slot % u64::BITS as usize);
            }
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use spec::cmd;
    use spec::measures::slot;

    use super::*;

    #[test]
    fn commands_are_counted_apart() {
        let mut requests = Requests::default();
        for command in [cmd::WRITEQ_TS, cmd::ASKTIME, cmd::WRITEQ_TS] {
            requests.count(slot(command));
        }
        let mut expected = [(slot(cmd::ASKTIME), 1), (slot(cmd::WRITEQ_TS), 2)];
        expected.sort_unstable();
        assert_eq!(requests.counted().collect::<Vec<_>>(), expected);
        let earlier = requests.clone();
        requests.count(slot(cmd::ASKTIME));
        let more: Vec<_> = requests.since(&earlier).counted().collect();
        assert_eq!(more, [(slot(cmd::ASKTIME), 1)]);
    }
}
