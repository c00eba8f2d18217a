//! The watchdog: a thread that notices a TCB which does not come back to its event loop.
//!
//! A program in its own code is ended by ICVR. What holds the thread all the
//! same holds every task of that TCB: the log says so once, with the task, its program and its line, and the tasks behind it, and
//! once more when the TCB goes on. Meanwhile no task begins there, and other TCBs accept the clients of its ports.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::placement::Door;
use crate::dispatcher::Dispatcher;
use crate::limits::{STUCK_TASKS_TOLD_MAX, STUCK_TCB_AFTER, WATCH_EVERY};
use crate::meters::Meter;
use crate::programs::Programs;
use crate::region::Region;
use crate::task::TaskControl;
use crate::words::counted;

/// The watchdog of a region.
#[derive(Default)]
pub(crate) struct Watchdog {
    ended: Arc<AtomicBool>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Watchdog {
    /// Starts its thread.
    ///
    /// # Errors
    /// The operating system's.
    pub fn start(&self, region: &Arc<Region>) -> io::Result<()> {
        let (watched, ended) = (Arc::downgrade(region), Arc::clone(&self.ended));
        let builder = std::thread::Builder::new().name("watchdog".to_owned());
        *self.thread.lock() = Some(builder.spawn(move || watch(&watched, &ended))?);
        Ok(())
    }

    /// Ends it.
    pub fn stop(&self) {
        self.ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.lock().take() {
            thread.thread().unpark();
            if thread.join().is_err() {
                tracing::error!(target: "DS", "the watchdog ended with a panic");
            }
        }
    }
}

/// Last look at a TCB.
struct Sight {
    dispatches: u64,
    since: Instant,
    stuck: bool,
}

/// News about a TCB.
#[derive(Debug, PartialEq, Eq)]
enum News {
    /// It has not come back for long.
    Stuck,
    /// It goes on after so long.
    GoesOn(Duration),
}

impl Sight {
    fn new(meter: &Meter, now: Instant) -> Self {
        Self { dispatches: meter.dispatches.get(), since: now, stuck: false }
    }

    /// Looks again. As long as it rests or dispatches one task after the other, there is nothing to say.
    fn again(&mut self, meter: &Meter, now: Instant) -> Option<News> {
        if meter.busy_since().is_none() || meter.dispatches.get() != self.dispatches {
            let before = std::mem::replace(self, Self::new(meter, now));
            return before.stuck.then(|| News::GoesOn(now - before.since));
        }
        let is_new = !self.stuck && now - self.since >= STUCK_TCB_AFTER;
        self.stuck |= is_new;
        is_new.then_some(News::Stuck)
    }
}

fn watch(region: &Weak<Region>, ended: &AtomicBool) {
    let mut sights: Vec<Sight> = Vec::new();
    while !ended.load(Ordering::Relaxed) {
        let Some(region) = region.upgrade() else { return };
        let now = Instant::now();
        for (place, door) in Dispatcher::of(&region).tcbs.doors().iter().enumerate() {
            if sights.len() == place {
                sights.push(Sight::new(&door.meter, now));
            }
            look(&region, (place, door), &mut sights[place], now);
        }
        drop(region);
        std::thread::park_timeout(WATCH_EVERY);
    }
}

fn look(region: &Region, (place, door): (usize, &Door), sight: &mut Sight, now: Instant) {
    match sight.again(&door.meter, now) {
        Some(News::Stuck) => {
            door.meter.stuck.send_replace(true);
            tell(region, place, door, sight);
        }
        Some(News::GoesOn(after)) => {
            door.meter.stuck.send_replace(false);
            tracing::warn!(target: "DS", "TCB {} goes on after {} s", door.meter.name, after.as_secs());
        }
        None => {}
    }
}

fn tell(region: &Region, place: usize, door: &Door, sight: &Sight) {
    let number = door.meter.task.get();
    let running = u32::try_from(number).ok().and_then(|number| Dispatcher::of(region).task(number));
    let who = running.as_ref().map_or_else(
        || String::from("it runs no task"),
        |task| format!("task {} ({}) runs", task.number, task.transaction.name),
    );
    tracing::error!(
        target: "DS",
        "TCB {} has not come back for {} s: {who}{}; {}",
        door.meter.name,
        sight.since.elapsed().as_secs(),
        stands_at(region, running.as_deref()),
        behind(&Dispatcher::of(region).tasks(), place, number),
    );
}

/// The program that stands in a command or CALL there, and its line.
fn stands_at(region: &Region, running: Option<&TaskControl>) -> String {
    const HOW: &str = ", in what that statement asks for";
    let Some((program, line)) = running.and_then(TaskControl::stands) else { return String::new() };
    match Programs::of(region).module_now(program) {
        Some(module) => format!(" in {program}, {} line {line}{HOW}", module.unit.source()),
        None => format!(" in {program}{HOW}"),
    }
}

/// The tasks of a TCB that wait behind the one that runs there: how many, and the first of them.
fn behind(tasks: &[Arc<TaskControl>], tcb: usize, running: u64) -> String {
    let waits = |task: &&Arc<TaskControl>| task.tcb() == tcb && u64::from(task.number) != running;
    let waiting: Vec<_> = tasks.iter().filter(waits).collect();
    if waiting.is_empty() {
        return String::from("no other task waits for it");
    }
    let named = waiting.iter().take(STUCK_TASKS_TOLD_MAX);
    let named: Vec<_> = named.map(|task| format!("{} ({})", task.number, task.transaction.name)).collect();
    let others = waiting.len() - named.len();
    let others = if others == 0 { String::new() } else { format!(", and {others} more") };
    format!("waiting for it: {}: {}{others}", counted(waiting.len(), "task"), named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::TaskParts;

    #[test]
    fn a_tcb_that_does_not_come_back_is_told_once_and_once_more_when_it_does() {
        let meter = Meter::new(String::from("QR"));
        let begun = Instant::now();
        let mut sight = Sight::new(&meter, begun);
        let late = begun + STUCK_TCB_AFTER;
        assert_eq!(sight.again(&meter, late), None, "it rests");
        meter.wakes_at(1);
        let mut sight = Sight::new(&meter, begun);
        assert_eq!(sight.again(&meter, late - Duration::from_millis(1)), None);
        assert_eq!(sight.again(&meter, late), Some(News::Stuck));
        assert_eq!(sight.again(&meter, late + STUCK_TCB_AFTER), None, "it is told already");
        meter.dispatched(false);
        assert_eq!(sight.again(&meter, late), Some(News::GoesOn(STUCK_TCB_AFTER)));
        // One task after the other: busy for long, and never stuck.
        for seconds in 0..100 {
            meter.dispatched(false);
            assert_eq!(sight.again(&meter, late + Duration::from_secs(seconds)), None);
        }
    }

    #[test]
    fn who_waits_behind_a_stuck_task_is_named_up_to_a_limit() {
        let tasks: Vec<_> = (1..=20)
            .map(|number| {
                let task = TaskControl::new(TaskParts::of_a_test(number, "WORK"));
                task.lives_on(usize::from(number > 5));
                Arc::new(task)
            })
            .collect();
        assert_eq!(behind(&tasks, 0, 2), "waiting for it: 4 tasks: 1 (WORK), 3 (WORK), 4 (WORK), 5 (WORK)");
        let many = behind(&tasks, 1, 6);
        assert!(many.starts_with("waiting for it: 14 tasks: 7 (WORK), "), "{many}");
        assert!(many.ends_with("16 (WORK), and 4 more"), "{many}");
        assert_eq!(behind(&tasks, 2, 0), "no other task waits for it");
    }
}
