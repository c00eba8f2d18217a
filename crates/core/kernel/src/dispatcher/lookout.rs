//! News for the operator: MXT is reached, a task waits for long. Each is logged once when it begins and once when it
//! is over. The looks are also those of the locks at the clock.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use foldhash::HashMap;

use super::silence::sign_off_silent;
use crate::dispatcher::Dispatcher;
use crate::limits::{LONG_WAIT, LONG_WAITS_TOLD_MAX};
use crate::notices::{Notice, Notices};
use crate::region::Region;
use crate::task::{TaskControl, WaitKind};
use crate::waits::WaitsFor;
use crate::words::counted;

/// Interval of the looks.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// State of the region from one look to the next.
pub struct Lookout {
    limit: Limit,
    waits: HashMap<u32, LongWait>,
}

/// MXT.
#[derive(Default)]
struct Limit {
    /// Since when tasks have had to wait.
    since: Option<Instant>,
    /// Number of tasks that had to wait, at the last look and before the limit was reached.
    delayed: u64,
    before: u64,
}

/// A task that may wait for long.
struct LongWait {
    serial: u32,
    since: Instant,
    told: bool,
}

impl Lookout {
    /// Looks at a region until that is gone.
    pub async fn run(region: Weak<Region>) {
        let mut lookout = Self { limit: Limit::default(), waits: HashMap::default() };
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let Some(region) = region.upgrade() else { return };
            lookout.look(&region, Instant::now());
        }
    }

    fn look(&mut self, region: &Arc<Region>, now: Instant) {
        let dispatcher = Dispatcher::of(region);
        let told = self.limit.look(dispatcher.delayed(), dispatcher.waiting_for_limit(), now);
        match told {
            Some(Told::Reached) => {
                let (most, waiting) = (dispatcher.tasks_max(), dispatcher.waiting_for_limit());
                tracing::warn!(
                    target: "DS",
                    "MXT is reached: {} run, waiting to be let in: {waiting} (CEMT is let in; CEMT I TASK shows them)",
                    counted(most, "task")
                );
            }
            Some(Told::Over { waited, time }) => {
                tracing::info!(
                    target: "DS",
                    "MXT is no longer reached: {} had to wait in {} s",
                    counted(waited, "task"),
                    time.as_secs()
                );
            }
            None => {}
        }
        self.look_at_waits(&dispatcher.tasks(), now);
        region.lines.settle(now);
        region.records.locks().looks_at_clock();
        if let Some(longest) = region.options.sign_off_after {
            sign_off_silent(region, longest);
        }
        if Notices::are_wanted(region) {
            Notices::tell(region, None, Notice::Passed);
        }
    }

    fn look_at_waits(&mut self, tasks: &[Arc<TaskControl>], now: Instant) {
        let mut seen = HashMap::default();
        let mut telling = self.waits.values().filter(|wait| wait.told).count();
        for task in tasks {
            let suspension = task.wait_in_hand();
            let Some(kind) = suspension.kind.filter(|kind| is_short(*kind)) else { continue };
            let serial = suspension.serial;
            let before = self.waits.remove(&task.number);
            let mut wait = match before {
                Some(wait) if wait.serial == serial => wait,
                before => {
                    before.iter().filter(|wait| wait.told).for_each(|wait| over(task.number, wait, now));
                    LongWait { serial, since: now, told: false }
                }
            };
            if !wait.told && now - wait.since >= LONG_WAIT && telling < LONG_WAITS_TOLD_MAX {
                (wait.told, telling) = (true, telling + 1);
                tracing::warn!(
                    target: "DS",
                    "task {} ({}) has waited for {} s: {}",
                    task.number,
                    task.transaction.name,
                    (now - wait.since).as_secs(),
                    kind.row().name
                );
            }
            seen.insert(task.number, wait);
        }
        let gone = std::mem::replace(&mut self.waits, seen);
        gone.iter().filter(|(_, wait)| wait.told).for_each(|(number, wait)| over(*number, wait, now));
    }
}

fn over(number: u32, wait: &LongWait, now: Instant) {
    tracing::info!(target: "DS", "task {number} waits no longer, after {} s", (now - wait.since).as_secs());
}

/// Returns true if a wait of this kind should be short.
fn is_short(kind: WaitKind) -> bool {
    kind.row().waits_for == WaitsFor::Others
}

/// News about MXT.
#[derive(Debug, PartialEq, Eq)]
enum Told {
    Reached,
    Over { waited: u64, time: Duration },
}

impl Limit {
    /// `delayed`: tasks that had to wait so far; `waiting`: that do so now. A look without either ends it.
    fn look(&mut self, delayed: u64, waiting: usize, now: Instant) -> Option<Told> {
        let before = std::mem::replace(&mut self.delayed, delayed);
        let is_reached = delayed > before || waiting > 0;
        match (self.since, is_reached) {
            (None, true) => {
                (self.since, self.before) = (Some(now), before);
                Some(Told::Reached)
            }
            (Some(since), false) => {
                self.since = None;
                Some(Told::Over { waited: delayed - self.before, time: now - since })
            }
            (None, false) | (Some(_), true) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::TaskParts;

    #[test]
    fn reaching_mxt_is_told_once_and_its_end_once() {
        let (begin, second) = (Instant::now(), Duration::from_secs(1));
        let mut limit = Limit::default();
        let looks = [(0, 0), (3, 1), (9, 4), (9, 2), (12, 0), (12, 0), (12, 0), (13, 0), (13, 0)];
        let told: Vec<_> = looks
            .into_iter()
            .zip(1u32..)
            .filter_map(|((delayed, waiting), at)| limit.look(delayed, waiting, begin + at * second))
            .collect();
        let over = |waited, seconds: u32| Told::Over { waited, time: seconds * second };
        assert_eq!(told, [Told::Reached, over(12, 4), Told::Reached, over(1, 1)]);
    }

    #[tokio::test]
    async fn a_wait_is_told_when_it_is_long_and_forgotten_when_it_is_over() {
        let task = Arc::new(TaskControl::new(TaskParts::of_a_test(7, "WAIT")));
        let mut lookout = Lookout { limit: Limit::default(), waits: HashMap::default() };
        let begin = Instant::now();
        let tasks = [Arc::clone(&task)];
        {
            let waiting = task.wait(WaitKind::RECORD_LOCK, std::future::pending::<()>());
            let mut waiting = std::pin::pin!(waiting);
            tokio::select! {
                biased;
                _ = &mut waiting => panic!("nothing comes"),
                () = std::future::ready(()) => {}
            }
            lookout.look_at_waits(&tasks, begin);
            assert!(!lookout.waits[&7].told);
            lookout.look_at_waits(&tasks, begin + LONG_WAIT);
            assert!(lookout.waits[&7].told);
        }
        lookout.look_at_waits(&tasks, begin + LONG_WAIT);
        assert!(lookout.waits.is_empty());
    }
}
