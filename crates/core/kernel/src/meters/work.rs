//! Sums of the work of tasks: how many there were, their response and processor time, their requests.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

/// So many threads add without meeting.
const SHARES: usize = 8;

/// Upper bounds of the classes of response times, in microseconds; the last class has no bound.
pub const RESPONSE_BOUNDS_US: [u64; 13] = [
    1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
    10_000_000,
];
/// The parts that they make.
const PARTS: usize = RESPONSE_BOUNDS_US.len() + 1;

/// Sums over tasks, to which each TCB adds in a place of its own.
#[derive(Debug, Default)]
pub struct WorkSums {
    shares: [CachePadded<Share>; SHARES],
    /// Tasks by response time, from the first one on that ended while they were wanted.
    times: OnceLock<Box<[CachePadded<Times>; SHARES]>>,
}

/// Tasks by response time, and these times together.
#[derive(Debug, Default)]
struct Times {
    tasks: [AtomicU64; PARTS],
    together_ns: AtomicU64,
}

/// Tasks by response time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResponseTimes {
    /// Tasks up to each of [`RESPONSE_BOUNDS_US`] and above the one before; last those above all.
    pub tasks: [u64; PARTS],
    /// Their response times together.
    pub together_ns: u64,
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

    /// Adds a response time of a task that has ended on a TCB.
    pub(crate) fn add_time(&self, tcb: usize, response_ns: u64) {
        let times = &self.times.get_or_init(Box::default)[tcb % SHARES];
        let part = RESPONSE_BOUNDS_US.partition_point(|bound| bound * 1_000 < response_ns);
        times.tasks[part].fetch_add(1, Ordering::Relaxed);
        times.together_ns.fetch_add(response_ns, Ordering::Relaxed);
    }

    /// Tasks by response time; `None` if they were never wanted, or no task has ended since.
    pub fn times(&self) -> Option<ResponseTimes> {
        let mut all = ResponseTimes::default();
        for share in self.times.get()?.iter() {
            for (sum, tasks) in all.tasks.iter_mut().zip(&share.tasks) {
                *sum += tasks.load(Ordering::Relaxed);
            }
            all.together_ns += share.together_ns.load(Ordering::Relaxed);
        }
        Some(all)
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

    #[test]
    fn a_response_time_counts_up_to_the_bound_that_it_reaches() {
        let sums = WorkSums::default();
        assert_eq!(sums.times(), None, "nobody has wanted to know");
        for (tcb, us) in [(0, 0), (1, 1_000), (9, 1_001), (2, 10_000_000), (3, 10_000_001)] {
            sums.add_time(tcb, us * 1_000);
        }
        let times = sums.times().expect("five tasks");
        assert_eq!((times.tasks[0], times.tasks[1], times.tasks[12], times.tasks[13]), (2, 1, 1, 1));
        assert_eq!(times.together_ns, 20_002_002_000);
    }
}
