//! The domains of a process: what each brings, as one row.
//!
//! The kernel has none of its own. Crates above it bring theirs with [`add`], before the first region starts; so a domain
//! needs no line here to have commands, resource types and a part in every region.

use parking_lot::RwLock;
use spec::OptionId;

use crate::dispatcher::{Follower, SuppliedFunction};
use crate::exec::Answers;
use crate::exec::value::Value;
use crate::keeper::Keeper;
use crate::name::Name8;
use crate::parts::Parts;
use crate::programs::{JavaProgram, Program};
use crate::region::{Region, RegionOptions};
use crate::registry::{Kind, PartKind};
use crate::task::TaskControl;
use crate::transactions::Supplied;
use crate::waits::BroughtKind;

/// A domain.
pub struct Domain {
    /// Its name.
    pub name: &'static str,
    /// Its commands, a list for each file.
    pub commands: &'static [Answers],
    /// Its resource types.
    pub kinds: &'static [&'static Kind],
    /// The types of parts of bundles that it makes, besides those that are resources.
    pub parts: &'static [&'static PartKind],
    /// The transactions that it brings.
    pub transactions: &'static [SuppliedTransaction],
    /// The kinds of waits that it brings.
    pub waits: &'static [&'static BroughtKind],
    /// Row by which its state outlives the region.
    pub keeper: Option<&'static Keeper>,
    /// Row for tasks that end, or do not begin.
    pub follower: Option<&'static Follower>,
    /// Its part of INQUIRE TASK.
    pub of_tasks: &'static [(OptionId, OfTask)],
    /// Makes Java programs, if it runs them.
    pub java: Option<RunsJava>,
    /// Puts there what it keeps in a region.
    pub begin: fn(&mut Parts, &RegionOptions),
}

/// Value of an option of INQUIRE TASK.
pub type OfTask = fn(&Region, &TaskControl) -> Value;

/// Makes a program of a name and its class.
pub type RunsJava = fn(Name8, JavaProgram) -> Program;

/// A transaction that comes with the product, and its program.
#[derive(Clone, Copy)]
pub struct SuppliedTransaction {
    /// Its name.
    pub name: &'static str,
    /// Its program's.
    pub program: &'static str,
    /// Users who may run it.
    pub supplied: Supplied,
    /// Its function.
    pub run: SuppliedFunction,
}

impl Domain {
    /// A domain of a name that brings nothing yet.
    pub const fn named(name: &'static str) -> Self {
        Self {
            name,
            commands: &[],
            kinds: &[],
            parts: &[],
            transactions: &[],
            waits: &[],
            keeper: None,
            follower: None,
            of_tasks: &[],
            java: None,
            begin: |_, _| {},
        }
    }
}

/// Those that have been brought, in this order.
static DOMAINS: RwLock<Vec<&'static Domain>> = RwLock::new(Vec::new());

/// Brings a domain, once however often it is called. To be called before the first region starts.
pub fn add(domain: &'static Domain) {
    let mut domains = DOMAINS.write();
    if !domains.iter().any(|other| other.name == domain.name) {
        domains.push(domain);
        // Records of monitoring have a column for each kind: it has its place before they begin.
        for waits in domain.waits {
            waits.kind();
        }
    }
}

/// All domains of the process, those of the crate `domains` first.
pub fn domains() -> Vec<&'static Domain> {
    DOMAINS.read().clone()
}

/// Value that an option's domain gives of a task; nothing if no domain has the option.
pub fn of_task(option: OptionId, region: &Region, task: &TaskControl) -> Value {
    let told = domains().iter().flat_map(|domain| domain.of_tasks).find(|(id, _)| *id == option);
    told.map_or_else(|| Value::text(""), |(_, tell)| tell(region, task))
}

/// Makes a Java program; `None` if no domain runs any.
pub fn java_program(name: Name8, java: JavaProgram) -> Option<Program> {
    let runs = domains().iter().find_map(|domain| domain.java)?;
    Some(runs(name, java))
}

/// The type of parts of bundles of a name, if a domain makes them.
pub fn part_kind(name: &str) -> Option<&'static PartKind> {
    domains().iter().flat_map(|domain| domain.parts.iter().copied()).find(|kind| kind.name == name)
}

/// All resource types, by name.
pub fn kinds() -> Vec<&'static Kind> {
    let mut kinds: Vec<_> = domains().iter().flat_map(|domain| domain.kinds.iter().copied()).collect();
    kinds.sort_unstable_by_key(|kind| kind.name);
    kinds
}

/// The resource type of a name.
pub fn kind(name: &str) -> Option<&'static Kind> {
    domains().iter().flat_map(|domain| domain.kinds.iter().copied()).find(|kind| kind.name == name)
}
