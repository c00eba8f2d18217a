//! Rules about a region: counts of tasks, statuses of resources, abends.
//!
//! The dispatcher gives the counts when a task begins or ends. Statuses are compared with the last ones when one may have
//! changed: a resource was set, made or taken away, a file was opened, a task that used a file has ended.

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
use policies::{Condition, Occurrence, SystemKind, SystemRule};
use spec::{OptionId, opt};

use crate::actions;
use crate::installed::InstalledRule;

/// The kinds of occurrences that are statuses: the type of the resource, and the option that tells it.
const STATUSES: [(SystemKind, &str, OptionId); 5] = [
    (SystemKind::BundleEnable, "BUNDLE", opt::ENABLESTATUS),
    (SystemKind::FileEnable, "FILE", opt::ENABLESTATUS),
    (SystemKind::FileOpen, "FILE", opt::OPENSTATUS),
    (SystemKind::PipelineEnable, "PIPELINE", opt::ENABLESTATUS),
    (SystemKind::ServiceOpen, "TCPIPSERVICE", opt::OPENSTATUS),
];

/// The counts and statuses of a region that were seen last.
#[derive(Default)]
pub(crate) struct Seen {
    state: Mutex<State>,
    /// Held from a look at the statuses until they are the last ones: of two threads that look, the later keeps its own.
    looks: Mutex<()>,
}

#[derive(Default)]
struct State {
    rules: Arc<Vec<InstalledRule>>,
    statuses: BTreeMap<(&'static str, Name8), String>,
    /// A task has begun since the rules were set: what was installed until then has been seen.
    is_complete: bool,
    /// Tasks of the region in percent of MXT, and of classes in percent of MAXACTIVE.
    tasks: usize,
    classes: BTreeMap<Name8, usize>,
}

/// From now on these rules act.
pub(crate) fn set(region: &Region, rules: &[InstalledRule]) {
    let own: Vec<InstalledRule> = rules.iter().filter(|rule| condition(rule).is_some()).cloned().collect();
    let listener = (!own.is_empty()).then(|| Arc::new(Ear) as Arc<dyn Listener>);
    {
        let mut state = region.part::<Seen>().state.lock();
        let before = std::mem::replace(&mut state.rules, Arc::new(own));
        let rules = Arc::clone(&state.rules);
        // A status that no rule was about before has not been followed.
        let has = |rules: &[InstalledRule], kind: &str| {
            rules.iter().filter_map(condition).any(|rule| rule.kind.type_name() == kind)
        };
        state.statuses.retain(|(kind, _), _| has(&before, kind) && has(&rules, kind));
        state.is_complete = false;
    }
    Notices::set(region, listener);
}

fn condition(rule: &InstalledRule) -> Option<&SystemRule> {
    if let Condition::System(condition) = &rule.rule().condition { Some(condition) } else { None }
}

/// Present statuses of all resources that one of the rules is about.
fn statuses(region: &Arc<Region>, rules: &[InstalledRule]) -> BTreeMap<(&'static str, Name8), String> {
    let by = Manager::new(region, &User::region());
    let mut all = BTreeMap::new();
    for (kind, of, option) in STATUSES {
        let is_wanted = rules.iter().filter_map(condition).any(|rule| rule.kind == kind);
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

/// Hears what happens.
struct Ear;

impl Listener for Ear {
    fn hears(&self, region: &Arc<Region>, task: Option<&TaskControl>, notice: Notice) {
        match notice {
            Notice::Tasks { running, most } => {
                see_all(region);
                let (from, to) = {
                    let mut state = region.part::<Seen>().state.lock();
                    let to = percent(running, most);
                    (std::mem::replace(&mut state.tasks, to), to)
                };
                self.percentage(region, task, (SystemKind::Tasks, ""), (from, to));
            }
            Notice::Class { name, running, most } => {
                let to = percent(running, most);
                let from = region.part::<Seen>().state.lock().classes.insert(name, to).unwrap_or_default();
                let class = name.to_string();
                self.percentage(region, task, (SystemKind::ClassTasks, class.trim_end()), (from, to));
            }
            Notice::Changed => compare(region, task),
        }
    }
}

fn percent(running: usize, most: usize) -> usize {
    (running * 100).checked_div(most).unwrap_or(0)
}

impl Ear {
    fn percentage(
        &self,
        region: &Arc<Region>,
        task: Option<&TaskControl>,
        (kind, name): (SystemKind, &str),
        (from, to): (usize, usize),
    ) {
        if from != to {
            happens(region, task, (kind, name), (&from.to_string(), &to.to_string()));
        }
    }
}

/// Sees the resources that were installed after the rules, before the first task can change one.
fn see_all(region: &Arc<Region>) {
    let rules = {
        let mut state = region.part::<Seen>().state.lock();
        if std::mem::replace(&mut state.is_complete, true) {
            return;
        }
        Arc::clone(&state.rules)
    };
    let _look = region.part::<Seen>().looks.lock();
    let now = statuses(region, &rules);
    let mut state = region.part::<Seen>().state.lock();
    for (key, status) in now {
        state.statuses.entry(key).or_insert(status);
    }
}

/// Compares the statuses of resources with those that were seen before.
fn compare(region: &Arc<Region>, task: Option<&TaskControl>) {
    let (before, now) = {
        let seen = region.part::<Seen>();
        let _look = seen.looks.lock();
        let rules = Arc::clone(&seen.state.lock().rules);
        let now = statuses(region, &rules);
        (std::mem::replace(&mut seen.state.lock().statuses, now.clone()), now)
    };
    for ((type_name, name), to) in &now {
        let Some(from) = before.get(&(*type_name, *name)).filter(|from| *from != to) else { continue };
        let kind = STATUSES.iter().map(|(kind, ..)| *kind).find(|kind| kind.type_name() == *type_name);
        if let Some(kind) = kind {
            happens(region, task, (kind, name.to_string().trim_end()), (from, to));
        }
    }
}

/// Something happens: the rules that are about it act.
fn happens(
    region: &Arc<Region>,
    task: Option<&TaskControl>,
    (kind, name): (SystemKind, &str),
    (from, to): (&str, &str),
) {
    let text = |of: Option<String>| of.map(|text| text.trim_end().to_owned()).unwrap_or_default();
    // Number 0 is somebody without a task.
    let task = task.filter(|task| task.number != 0);
    let seen = Occurrence {
        kind,
        transaction: text(task.map(|task| task.transaction.name.to_string())),
        user: text(task.map(|task| task.user.id.to_string())),
        name: name.to_owned(),
        from: from.to_owned(),
        to: to.to_owned(),
    };
    let rules = Arc::clone(&region.part::<Seen>().state.lock().rules);
    for rule in rules.iter().filter(|rule| condition(rule).is_some_and(|condition| condition.is_about(&seen)))
    {
        rule.acts();
        actions::of_region(region, rule, task, &seen);
    }
}

/// Tasks that fail, and those that end: a file may be closed when its last user has gone.
pub(crate) static FOLLOWER: Follower = Follower {
    failed: |task, Failure { code, program, .. }| {
        if Notices::are_wanted(&task.region) {
            let (region, control) = (Arc::clone(&task.region), Arc::clone(&task.control));
            let of = (SystemKind::Abend, "");
            happens(
                &region,
                Some(&control),
                of,
                (code.to_string().trim_end(), program.to_string().trim_end()),
            );
        }
        None
    },
    ended: |region, control, _| {
        if Notices::are_wanted(region) {
            let is_closing =
                region.part::<Seen>().state.lock().statuses.values().any(|status| status == "CLOSING");
            if is_closing {
                compare(region, Some(control));
            }
        }
        None
    },
    refused: |_, refused| Some(refused),
};
