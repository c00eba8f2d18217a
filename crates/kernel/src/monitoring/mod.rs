//! Monitoring: one performance record for each task, while it is switched on.
//!
//! ```text
//! attach ──► Performance ──► dispatched, suspended (dispatch) ──► record (layout) ──► Recorder ──► file
//!                 ▲ WaitKind, names of waits    ▲ Requests: counted where a command is answered
//! ```
//!
//! What is measured hangs on the task's control block; a task that was attached while monitoring was off has none, and
//! costs one test for each dispatch. Requests are counted always, in the one place where commands are answered: the
//! statistics need them too.
//!
//! Invariants: time from attach to the first dispatch, dispatched time and suspended time make up the response time; a
//! task never waits for its record.

mod dispatch;
mod layout;

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub(crate) use dispatch::{Place, dispatched};

use crate::control::TaskControl;
use crate::meters::{Meter, Performance};
use crate::recorder::{Recorded, Recorder};
use crate::region::Region;

/// What is monitored when a region starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MonitoringOptions {
    /// MN: monitoring is on.
    pub on: bool,
    /// MNPER: performance records are written.
    pub performance: bool,
}

/// The monitoring of a region.
pub struct Monitoring {
    on: AtomicBool,
    performance: AtomicBool,
    recorder: Recorder,
    ended: Ended,
}

/// Monitored tasks that have ended.
#[derive(Default)]
pub struct Ended {
    /// How many.
    pub tasks: AtomicU64,
    /// Their response times together.
    pub response_ns: AtomicU64,
    /// The longest.
    pub response_max_ns: AtomicU64,
    /// Their processor time together.
    pub processor_ns: AtomicU64,
}

impl Monitoring {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Monitoring with a file folder, and a lane for each TCB.
    ///
    /// # Errors
    /// The operating system's, if there can be no thread to write records.
    pub fn new(options: MonitoringOptions, folder: PathBuf, tcbs: usize) -> io::Result<Self> {
        Ok(Self {
            on: AtomicBool::new(options.on),
            performance: AtomicBool::new(options.performance),
            recorder: Recorder::start(folder, "performance", &layout::layout(), tcbs)?,
            ended: Ended::default(),
        })
    }

    /// Whether it is on: STATUS.
    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    /// Whether the class of performance records is on: PERFCLASS.
    pub fn performance_is_on(&self) -> bool {
        self.performance.load(Ordering::Relaxed)
    }

    /// Switches monitoring, for tasks to come. Those that run keep what they began with.
    pub fn set_on(&self, on: bool) {
        self.on.store(on, Ordering::Relaxed);
    }

    /// Switches the class of performance records, for tasks to come.
    pub fn set_performance(&self, on: bool) {
        self.performance.store(on, Ordering::Relaxed);
    }

    /// What was written.
    pub fn recorded(&self) -> Recorded {
        self.recorder.recorded()
    }

    /// A task is attached: its measurement, if it is monitored.
    pub(crate) fn attached(&self) -> Option<Box<Performance>> {
        (self.is_on() && self.performance_is_on()).then(|| Box::new(Performance::new()))
    }

    /// Tasks that have ended.
    pub fn tasks_ended(&self) -> &Ended {
        &self.ended
    }

    /// Writes the records of all tasks that have ended, and waits for it.
    pub fn flush(&self) {
        self.recorder.flush();
    }

    /// Writes what there is, and takes no more.
    pub fn stop(&self) {
        self.recorder.stop();
    }
}

/// How many tasks there are in a region.
pub(crate) struct Tasks {
    /// MXT.
    pub most: usize,
    /// Those that run.
    pub running: usize,
}

/// A task has ended on a TCB: its record, if it is monitored.
pub(crate) fn task_ended(
    region: &Region,
    (tcb, meter): (usize, &Meter),
    control: &TaskControl,
    tasks: impl FnOnce() -> Tasks,
) {
    let Some(performance) = control.performance() else { return };
    let monitoring = Monitoring::of(region);
    let around = layout::Around { applid: region.options.applid, tasks: tasks() };
    performance.whole(|account, response| {
        monitoring.ended.count(response, account.processor.iter().map(|timed| timed.time).sum());
        meter.waited(&account.waits);
        monitoring
            .recorder
            .append(tcb, |bytes| layout::encode(bytes, control, performance, (account, response), &around));
    });
}

impl Ended {
    fn count(&self, response_ns: u64, processor_ns: u64) {
        self.tasks.fetch_add(1, Ordering::Relaxed);
        self.response_ns.fetch_add(response_ns, Ordering::Relaxed);
        self.response_max_ns.fetch_max(response_ns, Ordering::Relaxed);
        self.processor_ns.fetch_add(processor_ns, Ordering::Relaxed);
    }
}
