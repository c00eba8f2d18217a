//! The watchdog: a thread that notices a TCB which does not come back to its event loop.
//!
//! A program in its own code, and nearly all that the COBOL runtime does for it, is ended by ICVR. What holds the thread all the
//! same holds every task of that TCB: the log says so once, with the task, its program and its line, and once more when the
//! TCB goes on. Meanwhile no task begins there, and other TCBs accept the clients of its ports.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Instant;

use parking_lot::Mutex;

use super::placement::Door;
use crate::limits::{STUCK_TCB_AFTER, WATCH_EVERY};
use crate::name::Name8;
use crate::region::Region;

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

fn watch(region: &Weak<Region>, ended: &AtomicBool) {
    let mut sights: Vec<Sight> = Vec::new();
    while !ended.load(Ordering::Relaxed) {
        let Some(region) = region.upgrade() else { return };
        let doors = region.dispatcher().tcbs.doors();
        sights.resize_with(doors.len(), || Sight { dispatches: 0, since: Instant::now(), stuck: false });
        for (door, sight) in doors.iter().zip(&mut sights) {
            look(&region, door, sight);
        }
        drop(region);
        std::thread::park_timeout(WATCH_EVERY);
    }
}

fn look(region: &Region, door: &Door, sight: &mut Sight) {
    let dispatches = door.meter.dispatches.get();
    if door.meter.busy_since().is_none() || dispatches != sight.dispatches {
        if sight.stuck {
            let name = &door.meter.name;
            tracing::warn!(target: "DS", "TCB {name} goes on after {} s", sight.since.elapsed().as_secs());
            door.meter.stuck.send_replace(false);
        }
        *sight = Sight { dispatches, since: Instant::now(), stuck: false };
        return;
    }
    // What it shows now is read when it has had time to.
    if let Some(beacon) = door.meter.beacon.get() {
        beacon.ask();
    }
    if !sight.stuck && sight.since.elapsed() >= STUCK_TCB_AFTER {
        sight.stuck = true;
        door.meter.stuck.send_replace(true);
        tell(region, door, sight);
    }
}

fn tell(region: &Region, door: &Door, sight: &Sight) {
    let number = door.meter.task.get();
    let task = u32::try_from(number).ok().and_then(|number| region.dispatcher().task(number));
    let who = task.map_or_else(
        || String::from("it runs no task"),
        |task| format!("task {} ({}) runs", task.number, task.transaction),
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
