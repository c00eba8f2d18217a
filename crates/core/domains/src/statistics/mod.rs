//! Statistics: what the region and each of its resources have done since the last reset.
//!
//! ```text
//! domains, other crates ──► Collector ──► Collected ──(less Baseline)──► Recorder ──► file
//!        TCBs ──► Meter ──┘                   ▲
//!                              Schedule: interval, end of day; commands: requested
//! ```
//!
//! Counters only grow; a reset remembers their values. A crate with statistics implements [`Collector`] and
//! registers; the records in `spec` name the fields, and the effect of a reset on each.
//!
//! Invariants: collecting disturbs no task; times of waits are those of monitored tasks, since no other task takes them.

mod accounts;
mod collected;
mod collectors;
mod processor;
mod schedule;
mod timer;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use instruments::format::{ColumnForm, Encoder, KindLayout, Layout, LayoutColumn};
use jiff::Timestamp;
use parking_lot::Mutex;
use spec::measures::{Form, From, StatisticId, StatisticsKind, stat, statistics_kinds};

pub use accounts::Accounts;
pub use collected::{Collected, Figure, Sheet, Statistic};
pub use schedule::DAY_S;
pub use schedule::{Schedule, Why};
pub use timer::Timer;

use collected::Baseline;

use kernel::meters::{Meter, Tally};
use kernel::recorder::{Recorded, Recorder};
use kernel::region::Region;

/// A part of the region that has statistics.
pub trait Collector: Send + Sync {
    /// Adds records. Counters count from the region's start; with `reset`, highest values begin again.
    fn collect(&self, region: &Region, into: &mut Collected, reset: bool);
}

/// The statistics of a region.
pub struct Statistics {
    meters: Vec<Arc<Meter>>,
    collectors: Mutex<Vec<Arc<dyn Collector>>>,
    schedule: Mutex<Schedule>,
    state: Mutex<State>,
    recorder: Recorder,
    pub(crate) timer: Timer,
}

#[derive(Default)]
struct State {
    baseline: Baseline,
    counts: Collections,
    started: Timestamp,
    last_reset: Timestamp,
}

/// Collections by their reason.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Collections {
    pub interval: u64,
    pub end_of_day: u64,
    pub requested: u64,
    pub requested_reset: u64,
    pub unsolicited: u64,
}

/// The types of resources whose counts would be lost with them, each with a field of every kind of record that is theirs.
const UNSOLICITED: [(&str, &[StatisticId]); 14] = [
    ("CONNECTION", &[stat::A14ESTAS]),
    ("DB2ENTRY", &[stat::D2R_CALLS]),
    ("FILE", &[stat::A17DSRD]),
    ("IPCONN", &[stat::ISR_TOTAL_ALLOCATES]),
    ("JOURNALNAME", &[stat::LGRWRITES]),
    ("JVMSERVER", &[stat::SJS_JVMSERVER_USE_COUNT]),
    ("PIPELINE", &[stat::PIR_PIPELINE_USE_COUNT]),
    ("PROGRAM", &[stat::LDRTU]),
    ("TCPIPSERVICE", &[stat::SOR_REQUESTS]),
    ("TDQUEUE", &[stat::TQRCNITM]),
    ("TRANCLASS", &[stat::XMCCAT]),
    ("TRANSACTION", &[stat::XMRAC]),
    ("URIMAP", &[stat::WBR_URIMAP_REFERENCE_COUNT]),
    ("WEBSERVICE", &[stat::PIW_WEBSERVICE_USE_COUNT]),
];

/// The columns of every record before its fields.
const COLUMNS: [(ColumnForm, &str); 3] =
    [(ColumnForm::Stamp, "COLLECTED"), (ColumnForm::Text, "REASON"), (ColumnForm::Text, "RESOURCE")];

impl Statistics {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Statistics of TCBs with these counters.
    ///
    /// # Errors
    /// The operating system's, if there can be no thread to write records.
    pub fn new(schedule: Schedule, folder: PathBuf, meters: Vec<Arc<Meter>>) -> io::Result<Self> {
        let now = Timestamp::now();
        let tellers = [processor::teller(), accounts::teller(&folder)];
        Ok(Self {
            meters,
            collectors: Mutex::new(collectors::all().into_iter().chain(tellers).collect()),
            schedule: Mutex::new(schedule),
            state: Mutex::new(State { started: now, last_reset: now, ..State::default() }),
            recorder: Recorder::start(folder, "statistics", &layout(), 1)?,
            timer: Timer::default(),
        })
    }

    /// Adds a collector of statistics.
    pub fn register(&self, collector: Arc<dyn Collector>) {
        self.collectors.lock().push(collector);
    }

    /// The counters of all TCBs, QR first.
    pub fn meters(&self) -> &[Arc<Meter>] {
        &self.meters
    }

    /// When statistics are collected.
    pub fn schedule(&self) -> Schedule {
        *self.schedule.lock()
    }

    /// Changes when statistics are collected.
    pub fn set_schedule(&self, change: impl FnOnce(&mut Schedule)) {
        change(&mut self.schedule.lock());
        self.timer.changed();
    }

    /// When counters were last reset.
    pub fn last_reset(&self) -> Timestamp {
        self.state.lock().last_reset
    }

    /// Returns the account of what was written.
    pub fn recorded(&self) -> Recorded {
        self.recorder.recorded()
    }

    /// Writes all records that were taken, and waits for it.
    pub fn flush(&self) {
        self.recorder.flush();
    }

    /// Waits until all records are written that were taken; true if they are.
    pub fn written(&self) -> impl Future<Output = bool> {
        self.recorder.written()
    }

    /// Returns all present statistics since the last reset.
    pub fn now(&self, region: &Region) -> Vec<Statistic> {
        let all = self.gather(region, false);
        self.state.lock().baseline.since(all)
    }

    /// Returns all present statistics; those that count, count from the region's start.
    pub fn from_the_start(&self, region: &Region) -> Vec<Statistic> {
        self.gather(region, false)
    }

    /// Collects and records what `wanted` says of the kinds; at an interval's or day's end, or if asked, counters are
    /// reset.
    pub fn collect(&self, region: &Region, why: Why, reset: bool, wanted: impl Fn(&StatisticsKind) -> bool) {
        self.state.lock().counts.count(why);
        let all = self.gather(region, reset);
        let mut state = self.state.lock();
        let records = state.baseline.since(all.clone());
        let at = u64::try_from(Timestamp::now().as_microsecond()).unwrap_or_default();
        for record in records.iter().filter(|record| wanted(&statistics_kinds()[record.kind])) {
            self.recorder.append(0, |bytes| encode(bytes, record, at, why));
        }
        if reset {
            state.baseline.reset(&all);
            state.last_reset = Timestamp::now();
        }
        tracing::info!(target: "ST", "statistics were collected ({})", why.letters());
    }

    /// Records what a resource that goes away has counted since the last reset, if it has counted anything. `fields`: one of
    /// each kind of record that is of its type.
    pub fn unsolicited(&self, region: &Region, fields: &[StatisticId], resource: &str) {
        let records = self.now(region);
        let is_its = |record: &&Statistic| {
            record.resource == resource && fields.iter().any(|field| usize::from(field.kind) == record.kind)
        };
        let at = u64::try_from(Timestamp::now().as_microsecond()).unwrap_or_default();
        for record in records.iter().filter(is_its).filter(|record| record.has_counted()) {
            self.state.lock().counts.count(Why::Unsolicited);
            self.recorder.append(0, |bytes| encode(bytes, record, at, Why::Unsolicited));
        }
    }

    /// Records the resource of a type that is about to be discarded.
    pub fn discards(&self, region: &Region, of_type: &str, name: &str) {
        if let Some((_, fields)) = UNSOLICITED.iter().find(|(known, _)| *known == of_type) {
            self.unsolicited(region, fields, name);
        }
    }

    fn gather(&self, region: &Region, reset: bool) -> Vec<Statistic> {
        let collectors = self.collectors.lock().clone();
        let mut collected = Collected::default();
        for collector in collectors {
            collector.collect(region, &mut collected, reset);
        }
        collected.into_records()
    }

    /// Adds up a count of all TCBs.
    fn sum(&self, tally: impl Fn(&Meter) -> &Tally) -> u64 {
        self.meters.iter().map(|meter| tally(meter).get()).sum()
    }

    /// Returns the number of collections, the time of the region's start, and that of the last reset.
    fn collections(&self) -> (Collections, Timestamp, Timestamp) {
        let state = self.state.lock();
        (state.counts, state.started, state.last_reset)
    }

    /// Records the region's end, and writes what there is.
    pub fn stop(&self, region: &Region) {
        self.timer.stop();
        self.collect(region, Why::EndOfDay, false, |_| true);
        self.recorder.stop();
    }
}

impl Collections {
    pub fn of(self, why: Why) -> u64 {
        match why {
            Why::Interval => self.interval,
            Why::EndOfDay => self.end_of_day,
            Why::Requested => self.requested,
            Why::RequestedReset => self.requested_reset,
            Why::Unsolicited => self.unsolicited,
        }
    }

    fn count(&mut self, why: Why) {
        *match why {
            Why::Interval => &mut self.interval,
            Why::EndOfDay => &mut self.end_of_day,
            Why::Requested => &mut self.requested,
            Why::RequestedReset => &mut self.requested_reset,
            Why::Unsolicited => &mut self.unsolicited,
        } += 1;
    }
}

/// The layout of files of statistics: each kind with the fields that are kept.
fn layout() -> Layout {
    let kinds = statistics_kinds().iter().map(|kind| {
        let before =
            COLUMNS.iter().map(|(form, names)| LayoutColumn { form: *form, names: (*names).to_owned() });
        let fields = kind.fields.iter().filter(|field| field.from != From::NotYet);
        let fields = fields.map(|field| LayoutColumn {
            form: match field.form {
                Form::Text(_) => ColumnForm::Text,
                Form::Stamp => ColumnForm::Stamp,
                Form::Time => ColumnForm::Time,
                Form::Count if matches!(field.from, From::Counter) => ColumnForm::Count,
                _ => ColumnForm::Value,
            },
            names: field.name.to_owned(),
        });
        KindLayout { name: kind.name.to_owned(), columns: before.chain(fields).collect() }
    });
    Layout { kinds: kinds.collect() }
}

fn encode(bytes: &mut Vec<u8>, record: &Statistic, at: u64, why: Why) -> bool {
    let kept = |place: usize| {
        let fields = &statistics_kinds()[record.kind].fields[..place];
        COLUMNS.len() + fields.iter().filter(|field| field.from != From::NotYet).count()
    };
    let mut encoder = Encoder::begin(bytes, record.kind);
    encoder.number(0, at);
    encoder.text(1, why.letters().as_bytes());
    encoder.text(2, record.resource.as_bytes());
    for (id, figure) in &record.figures {
        let column = kept(usize::from(id.field));
        match figure {
            Figure::Number(number) => encoder.number(column, *number),
            Figure::Text(text) => encoder.text(column, text),
        }
    }
    encoder.end()
}
