//! Occurrences of a region: counts of tasks, statuses of resources, abends. Rules of policies hear of it, and captures of system events.
//!
//! ```text
//! dispatcher: a task begins or ends ─► counts ┐
//! SET, CREATE, DISCARD, a file opened ─► statuses beside the last ones ├─► Happened ─► those who hear of its kind
//! a task fails ───────────────────────────────┘
//! ```
//!
//! The dispatcher gives the counts when a task begins or ends. Statuses are compared with the last ones when one may have
//! changed: a resource was set, made or taken away, a file was opened, a task that used a file has ended. A region in which nobody
//! hears has no listener.

use std::collections::BTreeMap;
use std::sync::Arc;

use kernel::catalog;
use kernel::dispatcher::{Failure, Follower};
use kernel::exec::value::Value;
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
const STATUSES: [(SystemKind, &str, OptionId); 6] = [
    (SystemKind::BundleEnable, "BUNDLE", opt::ENABLESTATUS),
    (SystemKind::Db2Connection, "DB2CONN", opt::CONNECTST),
    (SystemKind::FileEnable, "FILE", opt::ENABLESTATUS),
    (SystemKind::FileOpen, "FILE", opt::OPENSTATUS),
    (SystemKind::PipelineEnable, "PIPELINE", opt::ENABLESTATUS),
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

/// Somebody who hears of occurrences.
pub trait Hearer: Send + Sync {
    /// The kinds that it hears of, asked once, when it begins to.
    fn kinds(&self) -> Vec<SystemKind>;

    /// Takes one. `task`: the task that caused it, if one did.
    fn hears(&self, region: &Arc<Region>, task: Option<&TaskControl>, happened: &Happened);
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

/// From now on this one hears, in place of the one that did the same; `None`: nobody does.
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
        // A status that nobody wanted before has not been followed.
        let kept: Vec<&str> =
            before.into_iter().filter(|kind| state.is_wanted(*kind)).map(SystemKind::type_name).collect();
        state.statuses.retain(|(kind, _), _| kept.contains(kind));
        state.is_complete = false;
        !state.hearers.is_empty()
    };
    Notices::set(region, is_anybody.then(|| Arc::new(Ear) as Arc<dyn Listener>));
}

/// Present statuses of all resources that somebody wants to hear of.
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
    fn hears(&self, region: &Arc<Region>, task: Option<&TaskControl>, notice: Notice) {
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
            Notice::Changed => compare(region, task),
        }
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
    let mut state = seen.state.lock();
    for (key, status) in now {
        state.statuses.entry(key).or_insert(status);
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
    (kind, name): (SystemKind, &str),
    (from, to): (&str, &str),
    counts: Counts,
) {
    let text = |of: Option<String>| of.map(|text| text.trim_end().to_owned()).unwrap_or_default();
    // Number 0 is somebody without a task.
    let task = task.filter(|task| task.number != 0);
    let occurrence = Occurrence {
        kind,
        transaction: text(task.map(|task| task.transaction.name.to_string())),
        user: text(task.map(|task| task.user.id.to_string())),
        name: name.to_owned(),
        from: from.to_owned(),
        to: to.to_owned(),
    };
    let hearers: Vec<Arc<dyn Hearer>> = {
        let state = region.part::<Seen>().state.lock();
        let wanting = state.hearers.values().filter(|(_, kinds)| kinds.contains(&kind));
        wanting.map(|(hearer, _)| Arc::clone(hearer)).collect()
    };
    let happened = Happened { occurrence, counts };
    hearers.iter().for_each(|hearer| hearer.hears(region, task, &happened));
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
