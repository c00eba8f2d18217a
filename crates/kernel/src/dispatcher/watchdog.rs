//! The watchdog: a thread that notices a TCB which does not come back to its event loop.
//!
//! A program in its own code, and nearly all that the COBOL runtime does for it, is ended by ICVR. What holds the thread all the
//! same holds every task of that TCB: the log says so once, with the task, its program and its line, and once more when the
//! TCB goes on. Meanwhile no task begins there, and other TCBs accept the clients of its ports.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::placement::Door;
use crate::limits::{STUCK_TCB_AFTER, WATCH_EVERY};
use crate::name::Name8;
use crate::region::Region;
use crate::statistics::Meter;

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

/// How a TCB was seen last.
struct Sight {
    dispatches: u64,
    since: Instant,
    stuck: bool,
}

/// What is new about a TCB.
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
        for (place, door) in region.dispatcher().tcbs.doors().iter().enumerate() {
            if sights.len() == place {
                sights.push(Sight::new(&door.meter, now));
            }
            look(&region, door, &mut sights[place], now);
        }
        drop(region);
        std::thread::park_timeout(WATCH_EVERY);
    }
}

fn look(region: &Region, door: &Door, sight: &mut Sight, now: Instant) {
    match sight.again(&door.meter, now) {
        Some(News::Stuck) => {
            door.meter.stuck.send_replace(true);
            tell(region, door, sight);
        }
        Some(News::GoesOn(after)) => {
            door.meter.stuck.send_replace(false);
            tracing::warn!(target: "DS", "TCB {} goes on after {} s", door.meter.name, after.as_secs());
        }
        // What it shows now is read when it has had time to.
        None if sight.since < now => door.meter.beacon.get().map_or((), |beacon| beacon.ask()),
        None => {}
    }
}

fn tell(region: &Region, door: &Door, sight: &Sight) {
    let number = door.meter.task.get();
    let task = u32::try_from(number).ok().and_then(|number| region.dispatcher().task(number));
    let who = task.map_or_else(
        || String::from("it runs no task"),
        |task| format!("task {} ({}) runs", task.number, task.transaction.name),
    );
    tracing::error!(
        target: "DS",
        "TCB {} has not come back for {} s: {who}{}; {} more tasks wait for it",
        door.meter.name,
        sight.since.elapsed().as_secs(),
        place(region, door),
        door.tasks().saturating_sub(1),
    );
}

/// The program that runs there and its line, as its user has it.
fn place(region: &Region, door: &Door) -> String {
    let Some((program, line)) = door.meter.beacon.get().and_then(|beacon| beacon.place()) else {
        return String::new();
    };
    let module = region.programs.called(Name8::from(program.as_str())).loaded();
    match module.and_then(|module| (module.lines)(line)) {
        Some((file, line)) => format!(" in {program}, {file} line {line}"),
        None => format!(" in {program}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
