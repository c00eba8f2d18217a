//! Jobs that have programs of this region run by the external interface, and INQUIRE EXCI.
//!
//! As published, a job is listed from its first request on until its session ends. A job with several pipes is one line, with the
//! number of a mirror task of any of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use kernel::exec::value::Value;
use kernel::exec::{Answers, Handler};
use kernel::raise::Raise;
use kernel::region::Region;
use kernel::registry::{Key, Kind, Resource};
use parking_lot::Mutex;
use spec::{cmd, cond, opt};

/// INQUIRE EXCI.
pub(crate) const HANDLERS: Answers =
    &[(cmd::INQUIRE_EXCI, Handler::Now(|task, call| JOBS.inquire(task, call)))];

/// The type.
pub(crate) static KIND: Kind =
    Kind { name: "EXCI", table: &JOBS, inquire: cmd::INQUIRE_EXCI, set: None, defined: None };

/// Characters of a job's name, and of a unit of recovery.
const NAME_LENGTH: usize = 35;
const RECOVERY_LENGTH: usize = 32;
/// The machine's name, which stands behind that of the job.
const MACHINE: &str = "/proc/sys/kernel/hostname";
/// The number of the mirror task between two requests.
const NO_TASK: u32 = 0;

static JOBS: Resource<u32> = Resource {
    name: opt::EXCI,
    key: Key::Name,
    names: |by| by.region.part::<Jobs>().list().into_keys().map(String::into_bytes).collect(),
    find: |by, name| by.region.part::<Jobs>().list().get(std::str::from_utf8(name).ok()?).copied(),
    missing: Raise::Condition(cond::NOTFND, 1),
    rows: &[
        (opt::TASK, |_, task| Value::Number((*task).into())),
        // No other coordinator takes part in the updates of a job.
        (opt::URID, |_, _| Value::padded("", RECOVERY_LENGTH)),
    ],
    settings: &[],
};

/// The jobs of a region, by the numbers of their sessions.
#[derive(Default)]
pub(crate) struct Jobs(Mutex<Sessions>);

#[derive(Default)]
struct Sessions {
    last: u64,
    /// The name of the job, and the number of its mirror task.
    all: BTreeMap<u64, (String, u32)>,
}

impl Jobs {
    /// The jobs, each with a mirror task of it.
    fn list(&self) -> BTreeMap<String, u32> {
        let mut listed = BTreeMap::new();
        for (name, task) in self.0.lock().all.values() {
            let shown = listed.entry(name.clone()).or_insert(NO_TASK);
            *shown = (*shown).max(*task);
        }
        listed
    }
}

/// A session of a job with a region. It is listed from its first request on, until it is dropped.
pub struct JobSession {
    region: Weak<Region>,
    number: u64,
    name: String,
}

impl JobSession {
    /// A session of the job with this name.
    pub fn new(region: &Arc<Region>, name: &str) -> Self {
        let machine = std::fs::read_to_string(MACHINE).unwrap_or_default();
        let number = {
            let mut sessions = region.part::<Jobs>().0.lock();
            sessions.last += 1;
            sessions.last
        };
        let name = format!("{name} - {}", machine.trim());
        Self { region: Arc::downgrade(region), number, name: format!("{name:<NAME_LENGTH$.NAME_LENGTH$}") }
    }

    fn runs(&self, task: u32) {
        if let Some(region) = self.region.upgrade() {
            region.part::<Jobs>().0.lock().all.insert(self.number, (self.name.clone(), task));
        }
    }

    /// A mirror task does a request of the job, until what is returned is dropped.
    pub(crate) fn has(&self, task: u32) -> Running<'_> {
        self.runs(task);
        Running(self)
    }
}

impl Drop for JobSession {
    fn drop(&mut self) {
        if let Some(region) = self.region.upgrade() {
            region.part::<Jobs>().0.lock().all.remove(&self.number);
        }
    }
}

/// A request that a mirror task does.
pub(crate) struct Running<'a>(&'a JobSession);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.runs(NO_TASK);
    }
}
