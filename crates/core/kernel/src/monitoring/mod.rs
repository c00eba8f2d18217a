//! Monitoring: records of tasks, while it is switched on.
//!
//! ```text
//! attach ──► Performance ──► dispatched, suspended (dispatch) ──► record (layout) ──► Recorder ──► file
//!                 ▲ WaitKind, names of waits    ▲ Requests: counted where a command is answered
//!                 └─ Figure, Used: what domains add
//! ```
//!
//! The figures hang on the task's control block; a task that was attached while monitoring was off has none, and
//! costs one test for each dispatch. Requests are counted always, in the one place where commands are answered: the
//! statistics need them too. A file has records of four kinds: of the performance, exception, identity and resource class.
//!
//! Invariants: time from attach to the first dispatch, dispatched time and suspended time make up the response time; a
//! task never waits for its record.

mod dispatch;
mod layout;
mod others;
mod performance;
mod points;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use instruments::points::Point;
use parking_lot::Mutex;

pub(crate) use dispatch::{DispatchPlace, dispatched};
pub use performance::RecordType;
pub use points::PointData;

use crate::control::TaskControl;
use crate::meters::{
    Account, Classes, End, Meter, Performance, Requests, Surroundings, Tasks, UsedLimits, WorkRule, WorkSums,
};
use crate::name::Name8;
use crate::raise::AbendCode;
use crate::recorder::{Recorded, Recorder};
use crate::recovery::UnitId;
use crate::region::Region;

/// The monitoring when a region starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MonitoringOptions {
    /// MN: monitoring is on.
    pub on: bool,
    /// MNPER, MNEXC, MNRES, MNIDN: the classes of records that are written.
    pub classes: Classes,
    /// MNCONV: a record is written when a task waits for its terminal.
    pub conversation: bool,
    /// MNSYNC: a record is written when a unit of work ends.
    pub syncpoint: bool,
    /// MNFREQ: seconds after which the record of a task that is still at work is written; 0: none is.
    pub frequency_s: u32,
    /// The monitoring points of programs.
    pub points: Vec<Point>,
    /// Service classes and report classes.
    pub rules: Vec<WorkRule>,
}

/// A switch of monitoring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// STATUS.
    On,
    /// PERFCLASS.
    Performance,
    /// EXCEPTCLASS.
    Exception,
    /// RESRCECLASS.
    Resource,
    /// IDNTYCLASS.
    Identity,
    /// CONVERSEST.
    Conversation,
    /// SYNCPOINTST.
    Syncpoint,
}

/// The number of switches.
const SWITCHES: usize = Switch::Syncpoint as usize + 1;

/// The monitoring of a region.
pub struct Monitoring {
    switches: [AtomicBool; SWITCHES],
    frequency_s: AtomicU32,
    limits: Mutex<UsedLimits>,
    around: Arc<Surroundings>,
    points: Vec<Point>,
    ended: Ended,
    /// Sums of service classes, and of report classes.
    classes: [Vec<(Name8, WorkSums)>; 2],
    /// True if tasks are counted by response time.
    counts_times: AtomicBool,
}

/// Monitored tasks that have ended.
#[derive(Default)]
pub struct Ended {
    /// Number of tasks.
    pub tasks: AtomicU64,
    /// Their response times together.
    pub response_ns: AtomicU64,
    /// The longest.
    pub response_max_ns: AtomicU64,
    /// Their processor time together.
    pub processor_ns: AtomicU64,
    /// Records by class: performance, exception, resource, identity.
    pub records: [AtomicU64; 4],
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
    pub fn new(options: MonitoringOptions, applid: Name8, folder: PathBuf, tcbs: usize) -> io::Result<Self> {
        let recorder = Recorder::start(folder, "performance", &layout::layout(), tcbs)?;
        let Classes { performance, exception, resource, identity } = options.classes;
        // In the order of `Switch`.
        let switches =
            [options.on, performance, exception, resource, identity, options.conversation, options.syncpoint];
        let sums_of = |class: fn(&WorkRule) -> Name8| {
            let mut names: Vec<Name8> = options.rules.iter().map(class).collect();
            names.retain(|name| !name.is_blank());
            names.sort_unstable();
            names.dedup();
            names.into_iter().map(|name| (name, WorkSums::default())).collect()
        };
        let classes = [sums_of(|rule| rule.service), sums_of(|rule| rule.report)];
        Ok(Self {
            classes,
            counts_times: AtomicBool::new(false),
            switches: switches.map(AtomicBool::new),
            frequency_s: AtomicU32::new(options.frequency_s),
            limits: Mutex::default(),
            around: Arc::new(Surroundings::new(recorder, applid, options.rules)),
            points: options.points,
            ended: Ended::default(),
        })
    }

    /// Returns true if a switch is on.
    pub fn is(&self, switch: Switch) -> bool {
        self.switches[switch as usize].load(Ordering::Relaxed)
    }

    /// Turns a switch, for tasks to come. Those that run keep the classes that they began with.
    pub fn set(&self, switch: Switch, on: bool) {
        self.switches[switch as usize].store(on, Ordering::Relaxed);
    }

    /// FREQUENCY in seconds; 0: none.
    pub fn frequency_s(&self) -> u32 {
        self.frequency_s.load(Ordering::Relaxed)
    }

    /// Changes FREQUENCY.
    pub fn set_frequency_s(&self, seconds: u32) {
        self.frequency_s.store(seconds, Ordering::Relaxed);
    }

    /// The most resources of each kind that the records of one task name.
    pub fn limits(&self) -> UsedLimits {
        *self.limits.lock()
    }

    /// Changes that number, for tasks to come.
    pub fn set_limits(&self, change: impl FnOnce(&mut UsedLimits)) {
        change(&mut self.limits.lock());
    }

    /// From now on tasks are counted by their response time, too.
    pub fn count_response_times(&self) {
        self.counts_times.store(true, Ordering::Relaxed);
    }

    /// Sums over the tasks of each service class, and of each report class.
    pub fn class_sums(&self) -> &[Vec<(Name8, WorkSums)>; 2] {
        &self.classes
    }

    /// Adds a task that has ended to the sums of its transaction and its classes.
    fn sum_up(&self, meter: &Meter, control: &TaskControl) {
        let (tcb, work) = (control.tcb(), control.work(meter.last_end()));
        control.transaction.work.add(tcb, work);
        if self.counts_times.load(Ordering::Relaxed) {
            control.transaction.work.add_time(tcb, work.response_ns);
        }
        if self.around.rules().is_empty() {
            return;
        }
        let (service, report) =
            self.around.classes(control.transaction.name.trimmed(), control.user.id.trimmed());
        for (sums, class) in self.classes.iter().zip([service, report]) {
            if let Ok(place) = sums.binary_search_by_key(&class, |(name, _)| *name) {
                sums[place].1.add(tcb, work);
            }
        }
    }

    /// The account of the records that were written.
    pub fn recorded(&self) -> Recorded {
        self.around.recorder.recorded()
    }

    /// A task is attached: its measurement, if it is monitored. `tasks`: those that run.
    pub(crate) fn attached(&self, tasks: impl FnOnce() -> Tasks) -> Option<Box<Performance>> {
        if !self.is(Switch::On) {
            return None;
        }
        let classes = Classes {
            performance: self.is(Switch::Performance),
            exception: self.is(Switch::Exception),
            resource: self.is(Switch::Resource),
            identity: self.is(Switch::Identity),
        };
        classes
            .any()
            .then(|| Box::new(Performance::new(classes, self.limits(), tasks(), Arc::clone(&self.around))))
    }

    /// Tasks that have ended.
    pub fn tasks_ended(&self) -> &Ended {
        &self.ended
    }

    /// Writes the records of all tasks that have ended, and waits for it.
    pub fn flush(&self) {
        self.around.recorder.flush();
    }

    /// Writes what there is, and takes no more.
    pub fn stop(&self) {
        self.around.recorder.stop();
    }

    fn record(
        &self,
        (region, control): (&Region, &TaskControl),
        (performance, account): (&Performance, &mut Account),
        why: RecordType,
    ) {
        if !performance.classes.performance {
            return;
        }
        account.records += 1;
        let around = performance::Around {
            why,
            unit: UnitId::of_run(region, control.unit()),
            name_of: &|entry, is_clock, number| self.name_of(entry, is_clock, number),
        };
        self.ended.records[0].fetch_add(1, Ordering::Relaxed);
        self.around.recorder.append(control.tcb(), |bytes| {
            performance::encode(bytes, control, (performance, account), &around)
        });
    }
}

/// Writes a record of a task that goes on, and begins the next one.
pub(crate) fn record_so_far(
    region: &Region,
    control: &TaskControl,
    (requests, priority): (&Requests, u8),
    why: RecordType,
) {
    let Some(performance) = control.performance() else { return };
    let end = End { requests: requests.clone(), priority, abends: [AbendCode::default(); 2] };
    performance.cut(end, |account| {
        Monitoring::of(region).record((region, control), (performance, account), why);
    });
}

/// A task has ended on a TCB: its sums, and its records if it is monitored.
pub(crate) fn task_ended(region: &Region, meter: &Meter, control: &TaskControl) {
    let monitoring = Monitoring::of(region);
    if meter.has_sums() {
        monitoring.sum_up(meter, control);
    }
    let Some(performance) = control.performance() else { return };
    performance.whole(|account| {
        monitoring.ended.count(account.whole());
        meter.waited(&account.all_waits());
        monitoring.record((region, control), (performance, account), RecordType::Ended);
        if performance.classes.identity {
            others::record_identity(control, performance, account);
            monitoring.ended.records[3].fetch_add(1, Ordering::Relaxed);
        }
        others::record_resources(control, performance, account);
        monitoring.ended.records[2].fetch_add(account.used.len() as u64, Ordering::Relaxed);
        monitoring.ended.records[1].fetch_add(account.exceptions.count, Ordering::Relaxed);
    });
}

impl Ended {
    fn count(&self, (response_ns, processor_ns): (u64, u64)) {
        self.tasks.fetch_add(1, Ordering::Relaxed);
        self.response_ns.fetch_add(response_ns, Ordering::Relaxed);
        self.response_max_ns.fetch_max(response_ns, Ordering::Relaxed);
        self.processor_ns.fetch_add(processor_ns, Ordering::Relaxed);
    }
}
