//! Occurrences of a region: counts of tasks, statuses of resources, abends, messages. Rules of policies hear of it, and captures of
//! system events.
//!
//! ```text
//! dispatcher: a task begins or ends ─► counts ┐
//! SET, CREATE, DISCARD, a file opened ─► statuses beside the last ones │
//! a second has passed, SET ─► the health beside the last one ├─► Happened ─► those who hear of its kind
//! START for the task's own terminal ─► descriptors │
//! a message, a dump, a task that fails ────────────┘
//! ```
//!
//! Rules and captures that act on a message may write messages themselves: these are passed on to none, or there would be no end.
//!
//! The dispatcher gives the counts when a task begins or ends. Statuses are compared with the last ones when one may have
//! changed: a resource was set, made or taken away, a file was opened, a task that used a file has ended. A region without hearers has no
//! listener.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use domains::interval::IntervalControl;
use kernel::catalog;
use kernel::dispatcher::{Failure, Follower};
use kernel::exec::value::Value;
use kernel::health::Health;
use kernel::name::Name8;
use kernel::notices::{Listener, Notice, Notices};
use kernel::region::Region;
use kernel::registry::Manager;
use kernel::security::User;
use kernel::task::TaskControl;
use parking_lot::Mutex;
use policies::{Occurrence, SystemKind};
use spec::{OptionId, opt};

/// The kinds of occurrences that are statuses: the type of the resource, and the option that tells it.
const STATUSES: [(SystemKind, &str, OptionId); 8] = [
    (SystemKind::BundleEnable, "BUNDLE", opt::ENABLESTATUS),
    (SystemKind::Db2Connection, "DB2CONN", opt::CONNECTST),
    (SystemKind::FileEnable, "FILE", opt::ENABLESTATUS),
    (SystemKind::FileOpen, "FILE", opt::OPENSTATUS),
    (SystemKind::JvmServerEnable, "JVMSERVER", opt::ENABLESTATUS),
    (SystemKind::PipelineEnable, "PIPELINE", opt::ENABLESTATUS),
    (SystemKind::ProgramEnable, "PROGRAM", opt::STATUS),
    (SystemKind::ServiceOpen, "TCPIPSERVICE", opt::OPENSTATUS),
];

/// An occurrence, with what is known of it.
pub struct Happened {
    /// It.
    pub occurrence: Occurrence,
    /// Of a count of tasks: the counts.
    pub counts: Counts,
}

/// A count of tasks that changes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// The tasks before.
    pub from: usize,
    /// The tasks now.
    pub to: usize,
    /// The most that may be.
    pub most: usize,
}

/// A part of the region that hears of occurrences.
pub trait Hearer: Send + Sync {
    /// The kinds that it hears of, asked once, when it begins to.
    fn kinds(&self) -> Vec<SystemKind>;

    /// Takes one. `task`: the task that caused it, if one did. Returns true if the request that it is about is to be refused.
    fn hears(&self, region: &Arc<Region>, task: Option<&TaskControl>, happened: &Happened) -> bool;
}

/// The counts and statuses of a region that were seen last, and those who hear of changes.
#[derive(Default)]
pub(crate) struct Seen {
    state: Mutex<State>,
    /// Held from a look at the statuses until they are the last ones: of two threads that look, the later keeps its own.
    looks: Mutex<()>,
}

#[derive(Default)]
struct State {
    /// Those who hear, by the name of what they do, with the kinds that they want.
    hearers: BTreeMap<&'static str, (Arc<dyn Hearer>, Vec<SystemKind>)>,
    statuses: BTreeMap<(&'static str, Name8), String>,
    /// A task has begun since the hearers were set: what was installed until then has been seen.
    is_complete: bool,
    tasks: Count,
    classes: BTreeMap<Name8, Count>,
    /// The health that was seen last, as long as it is followed.
    health: Option<u32>,
}

/// A count of tasks that was seen last, and the same in percent.
#[derive(Clone, Copy, Default)]
struct Count {
    running: usize,
    percent: usize,
}

impl State {
    fn is_wanted(&self, kind: SystemKind) -> bool {
        self.hearers.values().any(|(_, kinds)| kinds.contains(&kind))
    }
}

/// Sets the hearer of this name, in place of an earlier one; `None` removes it.
pub fn hear(region: &Region, name: &'static str, hearer: Option<Arc<dyn Hearer>>) {
    let is_anybody = {
        let mut state = region.part::<Seen>().state.lock();
        let before: Vec<SystemKind> =
            STATUSES.iter().map(|(kind, ..)| *kind).filter(|kind| state.is_wanted(*kind)).collect();
        match hearer {
            Some(hearer) => {
                let kinds = hearer.kinds();
                state.hearers.insert(name, (hearer, kinds));
            }
            None => {
                state.hearers.remove(name);
            }
        }
        // A status that no hearer wanted before has not been followed.
        let kept: Vec<&str> =
            before.into_iter().filter(|kind| state.is_wanted(*kind)).map(SystemKind::type_name).collect();
        state.statuses.retain(|(kind, _), _| kept.contains(kind));
        if !state.is_wanted(SystemKind::Health) {
            state.health = None;
        }
        state.is_complete = false;
        !state.hearers.is_empty()
    };
    Notices::set(region, is_anybody.then(|| Arc::new(Ear) as Arc<dyn Listener>));
}

/// Present statuses of all resources that a hearer wants to hear of.
fn statuses(region: &Arc<Region>) -> BTreeMap<(&'static str, Name8), String> {
    let by = Manager::new(region, &User::region());
    let mut all = BTreeMap::new();
    for (kind, of, option) in STATUSES {
        let is_wanted = region.part::<Seen>().state.lock().is_wanted(kind);
        let Some(table) = catalog::kind(of).filter(|_| is_wanted).map(|row| row.table) else { continue };
        for name in table.names(&by) {
            let told = table.tell(&by, &name).unwrap_or_default();
            if let Some((_, Value::Cvda(status))) = told.into_iter().find(|(known, _)| *known == option) {
                all.insert((kind.type_name(), Name8::new(&name)), status.to_owned());
            }
        }
    }
    all
}

/// Hears the region's notices.
struct Ear;

impl Listener for Ear {
    fn hears(&self, region: &Arc<Region>, task: Option<&TaskControl>, notice: Notice<'_>) -> bool {
        match notice {
            Notice::Tasks { running, most } => {
                see_all(region);
                let to = Count { running, percent: percent(running, most) };
                let from = std::mem::replace(&mut region.part::<Seen>().state.lock().tasks, to);
                counted(region, task, (SystemKind::Tasks, ""), (from, to, most));
            }
            Notice::Class { name, running, most } => {
                let to = Count { running, percent: percent(running, most) };
                let from = region.part::<Seen>().state.lock().classes.insert(name, to).unwrap_or_default();
                let class = name.to_string();
                counted(region, task, (SystemKind::ClassTasks, class.trim_end()), (from, to, most));
            }
            Notice::Changed => {
                compare(region, task);
                compare_health(region, task);
            }
            Notice::Descriptor => return descriptor(region, task),
            Notice::Dump { code } => {
                let code = code.to_string();
                happens(region, task, (SystemKind::Dump, code.trim_end()), ("", ""), Counts::default());
            }
            Notice::Message { id, inserts } => written(region, task, id, inserts),
            Notice::Passed => compare_health(region, None),
        }
        false
    }
}

thread_local! {
    /// A message is worked on by this thread.
    static IS_ABOUT_MESSAGE: Cell<bool> = const { Cell::new(false) };
}

/// The work on a message, as long as it goes on.
struct AboutMessage;

impl AboutMessage {
    /// Begins it; `None`: it goes on already.
    fn begin() -> Option<Self> {
        (!IS_ABOUT_MESSAGE.replace(true)).then_some(Self)
    }
}

impl Drop for AboutMessage {
    fn drop(&mut self) {
        IS_ABOUT_MESSAGE.set(false);
    }
}

/// A message is written: those who want it hear of it, unless what they do about another one has written it.
fn written(region: &Arc<Region>, task: Option<&TaskControl>, id: &str, inserts: &[String]) {
    let Some(_about) = AboutMessage::begin() else { return };
    let mut happened = happened(task, (SystemKind::Message, id), ("", ""), Counts::default());
    happened.occurrence.inserts = inserts.to_vec();
    tell(region, task, &happened);
}

/// A START would make one more automatic initiate descriptor. Returns true if it is to be refused.
fn descriptor(region: &Arc<Region>, task: Option<&TaskControl>) -> bool {
    if !region.part::<Seen>().state.lock().is_wanted(SystemKind::Descriptors) {
        return false;
    }
    let from = IntervalControl::of(region).descriptors(region);
    let texts = (&*from.to_string(), &*(from + 1).to_string());
    tell(region, task, &happened(task, (SystemKind::Descriptors, ""), texts, Counts::default()))
}

/// Compares the health of the region with that which was seen before.
fn compare_health(region: &Arc<Region>, task: Option<&TaskControl>) {
    let to = Health::of(region).value();
    let from = {
        let mut state = region.part::<Seen>().state.lock();
        if !state.is_wanted(SystemKind::Health) {
            return;
        }
        state.health.replace(to)
    };
    if let Some(from) = from.filter(|from| *from != to) {
        let texts = (&*from.to_string(), &*to.to_string());
        happens(region, task, (SystemKind::Health, ""), texts, Counts::default());
    }
}

fn percent(running: usize, most: usize) -> usize {
    (running * 100).checked_div(most).unwrap_or(0)
}

/// A count of tasks was `from` and is `to`.
fn counted(
    region: &Arc<Region>,
    task: Option<&TaskControl>,
    of: (SystemKind, &str),
    (from, to, most): (Count, Count, usize),
) {
    if from.percent != to.percent {
        let counts = Counts { from: from.running, to: to.running, most };
        happens(region, task, of, (&from.percent.to_string(), &to.percent.to_string()), counts);
    }
}

/// Sees the resources that were installed after the hearers were set, before the first task can change one.
fn see_all(region: &Arc<Region>) {
    let seen = region.part::<Seen>();
    if std::mem::replace(&mut seen.state.lock().is_complete, true) {
        return;
    }
    let _look = seen.looks.lock();
    let now = statuses(region);
    let health = Health::of(region).value();
    let mut state = seen.state.lock();
    for (key, status) in now {
        state.statuses.entry(key).or_insert(status);
    }
    if state.is_wanted(SystemKind::Health) {
        state.health.get_or_insert(health);
    }
}

/// Compares the statuses of resources with those that were seen before.
fn compare(region: &Arc<Region>, task: Option<&TaskControl>) {
    let (before, now) = {
        let seen = region.part::<Seen>();
        let _look = seen.looks.lock();
        let now = statuses(region);
        (std::mem::replace(&mut seen.state.lock().statuses, now.clone()), now)
    };
    for ((type_name, name), to) in &now {
        let Some(from) = before.get(&(*type_name, *name)).filter(|from| *from != to) else { continue };
        let kind = STATUSES.iter().map(|(kind, ..)| *kind).find(|kind| kind.type_name() == *type_name);
        if let Some(kind) = kind {
            happens(region, task, (kind, name.to_string().trim_end()), (from, to), Counts::default());
        }
    }
}

/// Something happens: those who want its kind hear of it.
fn happens(
    region: &Arc<Region>,
    task: Option<&TaskControl>,
    of: (SystemKind, &str),
    change: (&str, &str),
    counts: Counts,
) {
    tell(region, task, &happened(task, of, change, counts));
}

/// An occurrence, with the task that causes it.
fn happened(
    task: Option<&TaskControl>,
    (kind, name): (SystemKind, &str),
    (from, to): (&str, &str),
    counts: Counts,
) -> Happened {
    let text = |of: Option<String>| of.map(|text| text.trim_end().to_owned()).unwrap_or_default();
    let task = task.filter(|task| has_number(task));
    let occurrence = Occurrence {
        kind,
        transaction: text(task.map(|task| task.transaction.name.to_string())),
        user: text(task.map(|task| task.user.id.to_string())),
        name: name.to_owned(),
        from: from.to_owned(),
        to: to.to_owned(),
        inserts: Vec::new(),
    };
    Happened { occurrence, counts }
}

/// Returns true if it is a task: number 0 is a user without one.
fn has_number(task: &TaskControl) -> bool {
    task.number != 0
}

/// Those who want the kind of what happens hear of it. Returns true if one of them refuses the request that it is about.
fn tell(region: &Arc<Region>, task: Option<&TaskControl>, happened: &Happened) -> bool {
    let (task, kind) = (task.filter(|task| has_number(task)), happened.occurrence.kind);
    let hearers: Vec<Arc<dyn Hearer>> = {
        let state = region.part::<Seen>().state.lock();
        let wanting = state.hearers.values().filter(|(_, kinds)| kinds.contains(&kind));
        wanting.map(|(hearer, _)| Arc::clone(hearer)).collect()
    };
    // Every hearer hears of it, also behind one that has refused it.
    hearers.iter().filter(|hearer| hearer.hears(region, task, happened)).count() > 0
}

/// Tasks that fail, and those that end: a file may be closed, and a bundle disabled, when the last user has gone.
pub(crate) static FOLLOWER: Follower = Follower {
    failed: |task, Failure { code, program, .. }| {
        if Notices::are_wanted(&task.region) {
            let (region, control) = (Arc::clone(&task.region), Arc::clone(&task.control));
            let (code, program) = (code.to_string(), program.to_string());
            let how = (code.trim_end(), program.trim_end());
            happens(&region, Some(&control), (SystemKind::Abend, ""), how, Counts::default());
        }
        None
    },
    ended: |region, control, _| {
        if Notices::are_wanted(region) {
            let is_ending = |status: &String| status == "CLOSING" || status == "DISABLING";
            let any_is_ending = region.part::<Seen>().state.lock().statuses.values().any(is_ending);
            if any_is_ending {
                compare(region, Some(control));
            }
        }
        None
    },
    refused: |_, refused| Some(refused),
};
