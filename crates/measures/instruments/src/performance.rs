//! Sums over performance records, by transaction.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use hdrhistogram::Histogram;
use spec::measures::{Source, monitoring_fields};

use crate::format::{Broken, FileEntry, Kind, Reader, Record, Value};

/// The longest response time that is distinguished: an hour, in microseconds.
const RESPONSE_MAX_US: u64 = 3_600_000_000;
/// Significant figures of a response time.
const FIGURES: u8 = 3;

/// Which records count.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Only those of these transactions; empty: of all.
    pub transactions: Vec<String>,
    /// Only tasks that ended from the one point in time to before the other, in microseconds since 1970.
    pub between: Option<(u64, u64)>,
}

impl Selection {
    pub(crate) fn takes(&self, record: &Record<'_>) -> bool {
        let ended = |(from, to)| (from..to).contains(&record.number("STOP"));
        record.kind.name == "performance"
            && self.between.is_none_or(ended)
            && (self.transactions.is_empty() || self.transactions.iter().any(|t| *t == record.text("TRAN")))
    }
}

/// A time in nanoseconds and how often it was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Timed {
    pub time: u64,
    pub count: u64,
}

impl Timed {
    fn add(&mut self, (time, count): (u64, u64)) {
        self.time = self.time.saturating_add(time);
        self.count = self.count.saturating_add(count);
    }
}

/// The totals of the tasks of one transaction.
#[derive(Clone, Debug)]
pub(crate) struct Totals {
    pub tasks: u64,
    pub abends: u64,
    pub response_us: Histogram<u64>,
    pub response_ns: u64,
    pub first_dispatch: Timed,
    pub dispatch: Timed,
    pub processor: Timed,
    pub suspend: Timed,
    pub redispatch: Timed,
    /// Causes of waits by the field that means them alone.
    pub waits: BTreeMap<String, Timed>,
    /// Waits by the name that the program gave.
    pub named: BTreeMap<String, Timed>,
    /// Microseconds since 1970.
    pub first_start: u64,
    pub last_stop: u64,
}

impl Totals {
    pub fn new() -> Self {
        Self {
            tasks: 0,
            abends: 0,
            // The bounds are good ones: the least and the most of them are constants.
            response_us: Histogram::new_with_max(RESPONSE_MAX_US, FIGURES)
                .unwrap_or_else(|_| unreachable!("constant bounds")),
            response_ns: 0,
            first_dispatch: Timed::default(),
            dispatch: Timed::default(),
            processor: Timed::default(),
            suspend: Timed::default(),
            redispatch: Timed::default(),
            waits: BTreeMap::new(),
            named: BTreeMap::new(),
            first_start: u64::MAX,
            last_stop: 0,
        }
    }

    /// Adds a record. `causes` says which columns are waits.
    pub fn add(&mut self, record: &Record<'_>, causes: &Causes) {
        self.tasks += 1;
        self.abends += u64::from(!record.text("ABCODEC").is_empty());
        let (start, stop) = (record.number("START"), record.number("STOP"));
        self.first_start = self.first_start.min(start);
        self.last_stop = self.last_stop.max(stop);
        let parts = ["DSPDELAY", "USRDISPT", "SUSPTIME"].map(|field| record.clock(field));
        let response = parts.iter().fold(0_u64, |sum, (time, _)| sum.saturating_add(*time));
        self.response_ns = self.response_ns.saturating_add(response);
        self.response_us.saturating_record((response / 1_000).max(1));
        self.first_dispatch.add(parts[0]);
        self.dispatch.add(parts[1]);
        self.suspend.add(parts[2]);
        self.processor.add(record.clock("USRCPUT"));
        self.redispatch.add(record.clock("DISPWTT"));
        for (column, value) in &record.values {
            if let (Some(field), Value::Clock(time, count)) = (causes.of(*column), value) {
                entry(&mut self.waits, field).add((*time, *count));
            }
        }
        for (name, time, count) in record.named("SPNAMED") {
            entry(&mut self.named, &name).add((time, count));
        }
    }

    /// Seconds from the first start to the last stop.
    pub fn seconds(&self) -> f64 {
        self.last_stop.saturating_sub(self.first_start) as f64 / 1e6
    }

    /// The average of a sum of nanoseconds, in microseconds.
    pub fn average_us(&self, ns: u64) -> f64 {
        ns as f64 / 1e3 / self.tasks.max(1) as f64
    }
}

fn entry<'a>(map: &'a mut BTreeMap<String, Timed>, name: &str) -> &'a mut Timed {
    if !map.contains_key(name) {
        map.insert(name.to_owned(), Timed::default());
    }
    map.entry(name.to_owned()).or_default()
}

/// The columns of a kind that are waits, each with the field that means its cause alone.
#[derive(Default)]
pub struct Causes {
    of_kind: Option<Rc<Kind>>,
    fields: HashMap<usize, &'static str>,
}

impl Causes {
    /// Knows the columns of a record's kind.
    pub(crate) fn look_at(&mut self, kind: &Rc<Kind>) {
        if self.of_kind.as_ref().is_some_and(|known| Rc::ptr_eq(known, kind)) {
            return;
        }
        self.fields = kind
            .columns
            .iter()
            .enumerate()
            .filter_map(|(place, column)| Some((place, most_exact(&column.fields)?)))
            .collect();
        self.of_kind = Some(Rc::clone(kind));
    }

    fn of(&self, column: usize) -> Option<&'static str> {
        self.fields.get(&column).copied()
    }

    /// The waits of a performance record: each by the field that means its cause alone, with nanoseconds and a count.
    pub fn waits(&mut self, record: &Record<'_>) -> Vec<(&'static str, u64, u64)> {
        self.look_at(&record.kind);
        let wait = |(column, value): &(usize, Value<'_>)| match (self.of(*column), value) {
            (Some(field), Value::Clock(time, count)) => Some((field, *time, *count)),
            _ => None,
        };
        record.values.iter().filter_map(wait).collect()
    }
}

/// Returns the wait with the fewest causes among the fields that a column feeds; of two with as many the last by name, since our
/// own fields (SP…) are more exact than published ones.
fn most_exact(fields: &[String]) -> Option<&'static str> {
    let waits = monitoring_fields().iter().filter_map(|field| match field.source {
        Source::Waits(causes) if fields.iter().any(|name| name == field.name) => {
            Some((causes.len(), Reverse(field.name)))
        }
        _ => None,
    });
    waits.min().map(|(_, Reverse(name))| name)
}

/// Returns the meaning of a field.
pub fn meaning(name: &str) -> &'static str {
    monitoring_fields().iter().find(|field| field.name == name).map_or("", |field| field.meaning)
}

/// The sums over the records of any number of files.
#[derive(Default)]
pub struct Performance {
    pub(crate) of: BTreeMap<String, Totals>,
    /// Records that are missing.
    pub lost: u64,
    selection: Selection,
    causes: Causes,
}

impl Performance {
    /// No records yet.
    pub fn new(selection: Selection) -> Self {
        Self { selection, ..Self::default() }
    }

    /// Adds the records of a file.
    ///
    /// # Errors
    /// The place where the file is broken; records before it are counted.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        for entry in Reader::new(bytes)? {
            match entry? {
                FileEntry::Lost(count) => self.lost += count,
                FileEntry::Record(record) if self.selection.takes(&record) => {
                    self.causes.look_at(&record.kind);
                    let transaction = record.text("TRAN").into_owned();
                    self.of.entry(transaction).or_insert_with(Totals::new).add(&record, &self.causes);
                }
                FileEntry::Record(_) => {}
            }
        }
        Ok(())
    }

    /// Returns true if there was no record.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// The average response time of all tasks, in microseconds.
    pub fn response_us(&self) -> f64 {
        let all = self.together();
        all.average_us(all.response_ns)
    }

    /// Returns the notes about records that are missing.
    pub(crate) fn notes(&self) -> Vec<String> {
        lost_note(self.lost)
    }
}

pub(crate) fn lost_note(lost: u64) -> Vec<String> {
    if lost == 0 {
        Vec::new()
    } else {
        vec![format!("{lost} records are missing: they came faster than they could be written.")]
    }
}
