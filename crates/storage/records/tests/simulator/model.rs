//! The model: records that must be there.
//!
//! The log is one sequence, so what is there after a restart must be what the first *n* entries made of the state
//! before, for some *n* that leaves out none that was acknowledged.

use std::collections::BTreeMap;
use std::fmt;

use records::{Decider, Decision, Error, Indoubt, Result, Standing};

/// A store by its number in the world, and a key.
pub type Key = (usize, Vec<u8>);
/// Changes of a unit of work.
pub type Changes = BTreeMap<Key, Option<Vec<u8>>>;
/// The records of all stores.
pub type Records = BTreeMap<Key, Vec<u8>>;

/// A unit of work that is indoubt, or was.
#[derive(Clone, Debug, PartialEq)]
pub enum Doubt {
    Prepared(Changes),
    Forced(Decision),
}

/// Everything that is durable, or visible.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelState {
    pub records: Records,
    pub indoubt: BTreeMap<Vec<u8>, Doubt>,
}

/// Effects of a log's entry on the state.
#[derive(Clone)]
pub enum Effect {
    Changes(Changes),
    Load(usize, BTreeMap<Vec<u8>, Vec<u8>>),
    Prepare(Vec<u8>, Changes),
    Resolve(Vec<u8>, Decision, Decider),
}

impl Effect {
    pub fn apply(&self, state: &mut ModelState) {
        match self {
            Self::Changes(changes) => apply_changes(changes, &mut state.records),
            Self::Load(store, records) => {
                state.records.retain(|(of, _), _| of != store);
                let records = records.iter().map(|(key, record)| ((*store, key.clone()), record.clone()));
                state.records.extend(records);
            }
            Self::Prepare(name, changes) => {
                state.indoubt.insert(name.clone(), Doubt::Prepared(changes.clone()));
            }
            Self::Resolve(name, decision, by) => {
                if let Some(Doubt::Prepared(changes)) = state.indoubt.remove(name)
                    && *decision == Decision::Commit
                {
                    apply_changes(&changes, &mut state.records);
                }
                if *by == Decider::Operator {
                    state.indoubt.insert(name.clone(), Doubt::Forced(*decision));
                }
            }
        }
    }
}

pub fn apply_changes(changes: &Changes, records: &mut Records) {
    for (key, record) in changes {
        match record {
            Some(record) => drop(records.insert(key.clone(), record.clone())),
            None => drop(records.remove(key)),
        }
    }
}

impl fmt::Debug for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changes(changes) => write!(f, "{}", shown_changes(changes)),
            Self::Load(store, records) => write!(f, "load {store}: {records:?}"),
            Self::Prepare(name, changes) => {
                write!(f, "prepare {} {}", String::from_utf8_lossy(name), shown_changes(changes))
            }
            Self::Resolve(name, decision, by) => {
                write!(f, "{decision} {} by {by:?}", String::from_utf8_lossy(name))
            }
        }
    }
}

fn shown_changes(changes: &Changes) -> String {
    let change = |((store, key), record): (&Key, &Option<Vec<u8>>)| {
        format!("{store}/{}={}", text(key), record.as_deref().map_or("-".into(), text))
    };
    changes.iter().map(change).collect::<Vec<_>>().join(" ")
}

fn shown(state: &ModelState) -> String {
    let record = |((store, key), record): (&Key, &Vec<u8>)| format!("{store}/{}={}", text(key), text(record));
    let records = state.records.iter().map(record).collect::<Vec<_>>().join(" ");
    let names: Vec<_> = state.indoubt.keys().map(|name| String::from_utf8_lossy(name)).collect();
    format!("{records}, indoubt {}", names.join(", "))
}

/// Bytes as text, shortened.
fn text(bytes: &[u8]) -> String {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1)]);
    format!("{head}*{}", bytes.len())
}

/// An entry of the log.
struct Entry {
    effect: Effect,
    /// Its answer said that it is durable.
    acknowledged: bool,
    /// Its answer said that it did not happen.
    refused: bool,
}

/// Records that must be there.
#[derive(Default)]
pub struct Model {
    /// After the last restart.
    start: ModelState,
    /// Since then, in the order of the log.
    entries: Vec<Entry>,
    /// State that all tasks see now.
    pub visible: ModelState,
    /// Names given so far.
    pub names: u64,
    /// Entries whose answer was not waited for: they may have been refused.
    unwatched: Vec<usize>,
}

impl Model {
    /// Notes that no task waits for the answer to an entry.
    pub fn leave(&mut self, entry: usize) {
        self.unwatched.push(entry);
    }

    /// The disk had no room for a group: entries that no task waited for, and none has seen since, may have been in it.
    pub fn lacked_room(&mut self, listed: &[Indoubt]) {
        for entry in std::mem::take(&mut self.unwatched) {
            let entry = &mut self.entries[entry];
            let Effect::Prepare(name, _) = &entry.effect else { continue };
            if !entry.acknowledged && listed.iter().all(|unit| unit.name != *name) {
                entry.refused = true;
            }
        }
    }

    /// An entry that is on its way into the log.
    pub fn add(&mut self, effect: Effect) -> usize {
        self.entries.push(Entry { effect, acknowledged: false, refused: false });
        self.entries.len() - 1
    }

    /// Returns true if an entry ends the unit of work in doubt of this name.
    pub fn resolves(&self, entry: usize, name: &[u8]) -> bool {
        matches!(&self.entries[entry].effect, Effect::Resolve(of, ..) if of == name)
    }

    /// The answer to an entry.
    pub fn settle(&mut self, entry: usize, outcome: &Result<()>) {
        let entry = &mut self.entries[entry];
        match outcome {
            Ok(()) => {
                entry.acknowledged = true;
                entry.effect.apply(&mut self.visible);
            }
            Err(Error::NoSpace(_)) => entry.refused = true,
            // The outcome is unknown.
            Err(_) => {}
        }
    }

    /// Names that a listing shows: what was prepared under them is durable, answered or not.
    pub fn see<'n>(&mut self, names: impl Iterator<Item = &'n [u8]>) {
        for name in names {
            let prepared = |entry: &Entry| matches!(&entry.effect, Effect::Prepare(of, _) if of == name);
            let entry = self.entries.iter().position(|entry| !entry.acknowledged && prepared(entry));
            if let Some(entry) = entry {
                self.settle(entry, &Ok(()));
            }
        }
    }

    /// Returns true if a unit of work in doubt has changed the key.
    pub fn is_indoubt(&self, key: &Key) -> bool {
        let has = |doubt: &Doubt| matches!(doubt, Doubt::Prepared(changes) if changes.contains_key(key));
        self.visible.indoubt.values().any(has)
    }

    /// The same, or one about to be.
    pub fn may_be_retained(&self, key: &Key) -> bool {
        let prepares =
            |entry: &Entry| matches!(&entry.effect, Effect::Prepare(_, changes) if changes.contains_key(key));
        self.is_indoubt(key) || self.entries.iter().any(prepares)
    }

    fn shown_entries(&self) -> String {
        let entry = |entry: &Entry| {
            let mark = match entry {
                Entry { acknowledged: true, .. } => "durable ",
                Entry { refused: true, .. } => "refused ",
                _ => "",
            };
            format!("  {mark}{:?}", entry.effect)
        };
        self.entries.iter().map(entry).collect::<Vec<_>>().join("\n")
    }

    /// Takes over what a restart found, which must be possible.
    pub fn restart(&mut self, records: Records, indoubt: &[Indoubt]) {
        let is_found = |state: &ModelState| state.records == records && is_listed(&state.indoubt, indoubt);
        let sure = self.entries.iter().rposition(|entry| entry.acknowledged).map_or(0, |last| last + 1);
        let mut state = self.start.clone();
        let mut possible = (sure == 0 && is_found(&state)).then(|| state.clone());
        for (number, entry) in self.entries.iter().enumerate() {
            if !entry.refused {
                entry.effect.apply(&mut state);
            }
            if number + 1 >= sure && is_found(&state) {
                possible = Some(state.clone());
            }
        }
        let Some(state) = possible else {
            let found = ModelState { records, indoubt: BTreeMap::new() };
            let names: Vec<_> = indoubt.iter().map(|unit| String::from_utf8_lossy(&unit.name)).collect();
            panic!(
                "found {} ({names:?})\nafter {}\nand\n{}",
                shown(&found),
                shown(&self.start),
                self.shown_entries()
            );
        };
        *self = Self { start: state.clone(), visible: state, names: self.names, ..Self::default() };
    }
}

/// Returns true if a listing shows the indoubt units of work, after a restart.
pub fn is_listed(indoubt: &BTreeMap<Vec<u8>, Doubt>, listed: &[Indoubt]) -> bool {
    indoubt.len() == listed.len()
        && indoubt.iter().zip(listed).all(|((name, doubt), listed)| {
            *name == listed.name
                && match doubt {
                    Doubt::Prepared(changes) => {
                        listed.keys == changes.len() && !matches!(listed.standing, Standing::Forced(_))
                    }
                    Doubt::Forced(decision) => listed.standing == Standing::Forced(*decision),
                }
        })
}
