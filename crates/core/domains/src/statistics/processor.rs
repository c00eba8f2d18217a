//! The processor time of the process by its parts: tasks, the rest of the TCBs' work, and every other thread by its name.
//!
//! ```text
//! TCBs ──► Meter: TASKS (dispatches), BESIDE (clients, timers, messages), SWITCHING (what is left of the threads' clocks)
//! other threads ──► their own clocks, by name; those that have ended, as they were seen last ──► ENDED: the rest
//! ```
//!
//! Invariant: the parts make up what the operating system has counted for the process, unless the region's own clocks
//! have counted too much. No part ever becomes smaller.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use parking_lot::Mutex;
use spec::measures::stat;

use super::{Collected, Collector, Statistics};
use kernel::meters::{self, Meter, Tally};
use kernel::region::Region;

/// The parts of TCBs, and the threads that have ended between two looks.
const TASKS: &str = "TASKS";
const BESIDE: &str = "BESIDE";
const SWITCHING: &str = "SWITCHING";
const ENDED: &str = "ENDED";

/// Names of threads that are told apart: others are one part.
const NAMES_MAX: usize = 64;
const OTHERS: &str = "OTHERS";

/// The teller of the parts.
pub(super) fn teller() -> Arc<dyn Collector> {
    Arc::new(Teller(Mutex::default()))
}

struct Teller(Mutex<Seen>);

/// The threads as they were seen last.
#[derive(Default)]
struct Seen {
    /// Living ones by number: name and nanoseconds.
    living: HashMap<u64, (String, u64)>,
    /// Nanoseconds of those that have ended since, by name.
    gone: BTreeMap<String, u64>,
    switching: u64,
    ended: u64,
}

impl Seen {
    /// Looks at the threads that there are now.
    fn look(&mut self, now: HashMap<u64, (String, u64)>) {
        for (thread, (name, processor)) in std::mem::replace(&mut self.living, now) {
            let lives =
                self.living.get(&thread).is_some_and(|(same, more)| *same == name && *more >= processor);
            if !lives {
                let name = if self.gone.len() < NAMES_MAX { name } else { OTHERS.to_owned() };
                *self.gone.entry(name).or_default() += processor;
            }
        }
    }

    /// Number of threads and nanoseconds by name.
    fn by_name(&self) -> BTreeMap<String, (u64, u64)> {
        let mut parts: BTreeMap<String, (u64, u64)> =
            self.gone.iter().map(|(name, processor)| (name.clone(), (0, *processor))).collect();
        for (name, processor) in self.living.values() {
            let is_known = parts.contains_key(name) || parts.len() < NAMES_MAX;
            let part = parts.entry(if is_known { name.clone() } else { OTHERS.to_owned() }).or_default();
            part.0 += 1;
            part.1 += processor;
        }
        parts
    }
}

impl Collector for Teller {
    fn collect(&self, region: &Region, into: &mut Collected, _: bool) {
        let meters = Statistics::of(region).meters();
        let tcbs: Vec<u64> = meters.iter().map(|meter| meter.thread()).collect();
        let mut seen = self.0.lock();
        seen.look(meters::threads().into_iter().filter(|(thread, _)| !tcbs.contains(thread)).collect());
        let sum = |of: fn(&Meter) -> &Tally| meters.iter().map(|meter| of(meter).get()).sum::<u64>();
        let tcb_ns: u64 = meters.iter().map(|meter| meter.processor_ns()).sum();
        let (tasks, beside) = (sum(|meter| &meter.work_ns), sum(|meter| &meter.beside_ns));
        seen.switching = tcb_ns.saturating_sub(tasks + beside).max(seen.switching);
        let process = meters::process_ns();
        let others = seen.by_name();
        let other_ns: u64 = others.values().map(|(_, processor)| processor).sum();
        seen.ended = process.saturating_sub(tcb_ns + other_ns).max(seen.ended);
        into.region()
            .number(stat::DSTDS_CICSTCB_COUNT, meters.len() as u64)
            .number(stat::DSTDS_CICSTCB_CPUTIME, tcb_ns)
            .number(stat::DSTDS_NONCICSTCB_COUNT, seen.living.len() as u64)
            .number(stat::DSTDS_NONCICSTCB_CPUTIME, other_ns + seen.ended);
        into.region().number(stat::SPUPROC, process);
        for (name, threads, processor) in [
            (TASKS, meters.len() as u64, tasks),
            (BESIDE, 0, beside),
            (SWITCHING, 0, seen.switching),
            (ENDED, 0, seen.ended),
        ] {
            into.resource(name).number(stat::SPUCPU, processor).number(stat::SPUTHRDS, threads);
        }
        for (name, (threads, processor)) in others {
            into.resource(format!("THREAD.{name}"))
                .number(stat::SPUCPU, processor)
                .number(stat::SPUTHRDS, threads);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_has_ended_stays_in_its_part_and_its_number_may_come_again() {
        let mut seen = Seen::default();
        let thread = |number: u64, name: &str, processor: u64| (number, (name.to_owned(), processor));
        seen.look(HashMap::from([thread(1, "log", 5), thread(2, "log", 7), thread(3, "timer", 1)]));
        seen.look(HashMap::from([thread(1, "log", 6), thread(2, "timer", 2), thread(3, "timer", 0)]));
        let expected = [("log", (1, 13)), ("timer", (2, 3))];
        let parts = seen.by_name();
        let parts: Vec<_> = parts.iter().map(|(name, part)| (name.as_str(), *part)).collect();
        assert_eq!(parts, expected);
    }
}
