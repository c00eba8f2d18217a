//! Sums of the work of tasks: how many there were, their response and processor time, their requests.

use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

/// So many threads add without meeting.
const SHARES: usize = 8;

/// Sums over tasks, to which each TCB adds in a place of its own.
#[derive(Debug, Default)]
pub struct WorkSums {
    shares: [CachePadded<Share>; SHARES],
}

#[derive(Debug, Default)]
struct Share {
    tasks: AtomicU64,
    response_ns: AtomicU64,
    response_max_ns: AtomicU64,
    processor_ns: AtomicU64,
    requests: AtomicU64,
}

/// The figures of one task, or of many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Tasks that have ended.
    pub tasks: u64,
    /// Their time from attach to end together.
    pub response_ns: u64,
    /// The longest.
    pub response_max_ns: u64,
    /// Their processor time together.
    pub processor_ns: u64,
    /// Their requests together.
    pub requests: u64,
}

impl WorkSums {
    /// Adds a task that has ended on a TCB.
    pub(crate) fn add(&self, tcb: usize, work: Work) {
        let share = &self.shares[tcb % SHARES];
        share.tasks.fetch_add(work.tasks, Ordering::Relaxed);
        share.response_ns.fetch_add(work.response_ns, Ordering::Relaxed);
        if work.response_max_ns > share.response_max_ns.load(Ordering::Relaxed) {
            share.response_max_ns.fetch_max(work.response_max_ns, Ordering::Relaxed);
        }
        share.processor_ns.fetch_add(work.processor_ns, Ordering::Relaxed);
        share.requests.fetch_add(work.requests, Ordering::Relaxed);
    }

    /// The sums. With `reset`, the longest response begins again.
    pub fn read(&self, reset: bool) -> Work {
        let mut all = Work::default();
        for share in &self.shares {
            all.tasks += share.tasks.load(Ordering::Relaxed);
            all.response_ns += share.response_ns.load(Ordering::Relaxed);
            all.processor_ns += share.processor_ns.load(Ordering::Relaxed);
            all.requests += share.requests.load(Ordering::Relaxed);
            let longest = &share.response_max_ns;
            let longest =
                if reset { longest.swap(0, Ordering::Relaxed) } else { longest.load(Ordering::Relaxed) };
            all.response_max_ns = all.response_max_ns.max(longest);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_all_tcbs_and_a_reset_forgets_the_longest_response() {
        let sums = WorkSums::default();
        for (tcb, response_ns) in [(0, 5), (1, 9), (8, 7)] {
            let work =
                Work { tasks: 1, response_ns, response_max_ns: response_ns, processor_ns: 2, requests: 3 };
            sums.add(tcb, work);
        }
        let expected = Work { tasks: 3, response_ns: 21, response_max_ns: 9, processor_ns: 6, requests: 9 };
        assert_eq!(sums.read(true), expected);
        assert_eq!(sums.read(false), Work { response_max_ns: 0, ..expected });
    }
}
