//! The tasks and components of which the trace has entries while the region runs: standard and special tracing.
//!
//! A transaction is traced in the standard way, specially, or not at all; a terminal in the standard way or specially. Both
//! together say how a task is traced, and each component has a set of levels for either way.

use std::collections::BTreeMap;

pub use instruments::levels::{COMPONENTS, FirstLevels};

use crate::limits::TRACE_MARKS_MAX;
use crate::task::{Task, TaskPart};

/// The way in which tasks are traced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tracing {
    /// At the levels of standard tracing.
    #[default]
    Standard,
    /// At those of special tracing.
    Special,
    /// Not at all.
    Suppressed,
}

/// Level 1 in a set of levels, whose bits are numbered from the left.
pub const LEVEL_1: u32 = 1 << 31;
/// Levels 1 and 2.
const LEVELS_1_AND_2: u32 = LEVEL_1 | LEVEL_1 >> 1;

/// Set for a task by SET TRACEFLAG SINGLEON or SINGLEOFF.
struct Single(bool);

impl TaskPart for Single {}

/// The levels of components, and the transactions and terminals that differ from the standard.
#[derive(Debug)]
pub(super) struct Levels {
    standard: [u32; COMPONENTS.len()],
    special: [u32; COMPONENTS.len()],
    transactions: BTreeMap<Vec<u8>, Tracing>,
    terminals: BTreeMap<Vec<u8>, Tracing>,
}

fn place(component: &str) -> Option<usize> {
    COMPONENTS.iter().position(|known| *known == component)
}

fn mark(marks: &mut BTreeMap<Vec<u8>, Tracing>, name: &[u8], tracing: Tracing) -> bool {
    if tracing == Tracing::Standard {
        marks.remove(name);
        return true;
    }
    let has_room = marks.len() < TRACE_MARKS_MAX || marks.contains_key(name);
    if has_room {
        marks.insert(name.to_vec(), tracing);
    }
    has_room
}

/// Returns true if a list takes a name: an empty one takes all.
pub(super) fn has(list: &[String], name: &[u8]) -> bool {
    let fits = |pattern: &String| match pattern.strip_suffix('*') {
        Some(begin) => name.starts_with(begin.as_bytes()),
        None => name == pattern.as_bytes(),
    };
    list.is_empty() || list.iter().any(fits)
}

impl Levels {
    /// The levels at the start: 1 in standard tracing, 1 and 2 in special tracing, of these components; an empty list takes
    /// all.
    pub fn of_components(chosen: &[String]) -> Self {
        let of = |levels| COMPONENTS.map(|known| if has(chosen, known.as_bytes()) { levels } else { 0 });
        Self {
            standard: of(LEVEL_1),
            special: of(LEVELS_1_AND_2),
            transactions: BTreeMap::new(),
            terminals: BTreeMap::new(),
        }
    }

    /// Takes levels for the start: those of single components count before those of all.
    pub fn with(mut self, first: &[FirstLevels]) -> Self {
        let (of_all, of_one): (Vec<_>, Vec<_>) = first.iter().partition(|first| first.component.is_none());
        for FirstLevels { component, special, levels } in of_all.into_iter().chain(of_one) {
            let of_way = if *special { &mut self.special } else { &mut self.standard };
            for (known, place) in COMPONENTS.iter().zip(of_way) {
                // A component that is not chosen has no entries, whatever the levels of all are.
                let is_meant = component.as_ref().map_or(*place != 0, |component| component == known);
                *place = if is_meant { *levels } else { *place };
            }
        }
        self
    }

    /// Returns true if a task might have entries beyond level 1.
    pub fn go_beyond_1(&self) -> bool {
        let beyond = |levels: &[u32]| levels.iter().any(|levels| levels & !LEVEL_1 != 0);
        let is_special =
            |marks: &BTreeMap<Vec<u8>, Tracing>| marks.values().any(|it| *it == Tracing::Special);
        let some_special = is_special(&self.transactions) || is_special(&self.terminals);
        beyond(&self.standard) || some_special && beyond(&self.special)
    }

    /// Returns true if a level of a component is taken in one way of tracing.
    pub fn takes_level(&self, component: &str, level: u8, special: bool) -> bool {
        let Some(place) = place(component) else { return false };
        let levels = if special { self.special[place] } else { self.standard[place] };
        levels.checked_shl(u32::from(level).saturating_sub(1)).is_some_and(|levels| levels & LEVEL_1 != 0)
    }

    /// The standard and the special levels of a component; `None` if there is none of that name.
    pub fn of(&self, component: &str) -> Option<(u32, u32)> {
        let place = place(component)?;
        Some((self.standard[place], self.special[place]))
    }

    /// Changes levels; false: there is no such component.
    pub fn set(&mut self, component: &str, tracing: Tracing, levels: u32) -> bool {
        let Some(place) = place(component) else { return false };
        match tracing {
            Tracing::Special => self.special[place] = levels,
            Tracing::Standard | Tracing::Suppressed => self.standard[place] = levels,
        }
        true
    }

    /// The tracing of a transaction, and of a terminal.
    pub fn transaction(&self, name: &[u8]) -> Tracing {
        self.transactions.get(name).copied().unwrap_or_default()
    }

    /// The tracing of a terminal.
    pub fn terminal(&self, name: &[u8]) -> Tracing {
        self.terminals.get(name).copied().unwrap_or_default()
    }

    /// Changes that of a transaction; false: there are as many as there may be.
    pub fn set_transaction(&mut self, name: &[u8], tracing: Tracing) -> bool {
        mark(&mut self.transactions, name, tracing)
    }

    /// Changes that of a terminal; false: there are as many as there may be.
    pub fn set_terminal(&mut self, name: &[u8], tracing: Tracing) -> bool {
        mark(&mut self.terminals, name, tracing)
    }

    /// The way in which a task is traced: by its transaction and its terminal, unless the task itself has said it.
    pub fn of_task(&self, task: &Task) -> Tracing {
        let single = task.kept.get::<Single>().map(|single| single.0);
        if single == Some(false) {
            return Tracing::Suppressed;
        }
        let terminal = task.facility.terminal_name().unwrap_or_default();
        match (self.transaction(task.transaction.name.trimmed()), self.terminal(terminal.trimmed())) {
            (Tracing::Suppressed, _) if single.is_none() => Tracing::Suppressed,
            (Tracing::Special, _) | (_, Tracing::Special) => Tracing::Special,
            _ => Tracing::Standard,
        }
    }

    /// Returns true if a task has entries of a component; `standard`: standard tracing is on.
    pub fn takes(&self, task: &Task, component: &str, standard: bool) -> bool {
        let Some(place) = place(component) else { return false };
        match self.of_task(task) {
            Tracing::Standard => standard && self.standard[place] & LEVEL_1 != 0,
            Tracing::Special => self.special[place] & LEVEL_1 != 0,
            Tracing::Suppressed => false,
        }
    }
}

/// The task is traced from now on, or not, whatever its transaction and its terminal say.
pub(super) fn set_single(task: &mut Task, on: bool) {
    task.kept.put(Single(on));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_begin_with_the_chosen_components_and_marks_have_a_limit() {
        let mut levels = Levels::of_components(&[String::from("FC")]);
        assert_eq!(levels.of("FC"), Some((LEVEL_1, LEVELS_1_AND_2)));
        assert_eq!(levels.of("TS"), Some((0, 0)));
        assert!(levels.takes_level("FC", 1, false) && !levels.takes_level("FC", 2, false));
        assert!(levels.takes_level("FC", 2, true) && !levels.takes_level("FC", 33, true));
        assert!(!levels.go_beyond_1(), "nothing is traced specially");
        assert!(levels.set("TS", Tracing::Special, LEVEL_1) && !levels.set("ZZ", Tracing::Special, 1));
        assert_eq!(levels.of("TS"), Some((0, LEVEL_1)));
        for number in 0..TRACE_MARKS_MAX {
            assert!(levels.set_terminal(format!("{number}").as_bytes(), Tracing::Special));
        }
        assert!(!levels.set_terminal(b"MORE", Tracing::Special));
        assert!(
            levels.set_terminal(b"0", Tracing::Standard) && levels.set_terminal(b"MORE", Tracing::Special)
        );
        assert_eq!((levels.terminal(b"MORE"), levels.terminal(b"0")), (Tracing::Special, Tracing::Standard));
    }

    #[test]
    fn levels_of_the_start_are_those_of_one_component_before_those_of_all() {
        let of = |component: Option<&str>, special, levels| FirstLevels {
            component: component.map(str::to_owned),
            special,
            levels,
        };
        let first = [of(Some("TS"), false, 7), of(None, false, LEVELS_1_AND_2), of(None, true, 0)];
        let levels = Levels::of_components(&[]).with(&first);
        assert_eq!((levels.of("TS"), levels.of("FC")), (Some((7, 0)), Some((LEVELS_1_AND_2, 0))));
        assert!(levels.go_beyond_1());
        let chosen = [String::from("FC")];
        let levels = Levels::of_components(&chosen).with(&[of(None, false, LEVELS_1_AND_2)]);
        assert_eq!(
            (levels.of("TS"), levels.of("FC")),
            (Some((0, 0)), Some((LEVELS_1_AND_2, LEVELS_1_AND_2)))
        );
    }
}
