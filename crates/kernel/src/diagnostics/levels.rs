//! The tasks and components of which the trace has entries while the region runs: standard and special tracing.
//!
//! A transaction is traced in the standard way, specially, or not at all; a terminal in the standard way or specially. Both
//! together say how a task is traced, and each component has a set of levels for either way.

use std::collections::BTreeMap;

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

/// The components of the trace: those of commands by their group, AP for entries of programs, EI for every other command.
pub const COMPONENTS: [&str; 17] =
    ["AP", "BM", "DH", "EI", "EP", "FC", "IC", "KC", "LG", "NC", "PG", "SM", "TC", "TD", "TS", "WB", "XS"];

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

impl Levels {
    /// The levels at the start: 1 in standard tracing, 1 and 2 in special tracing, of these components; an empty list takes
    /// all.
    pub fn of_components(chosen: &[String]) -> Self {
        let of = |levels| {
            COMPONENTS.map(|known| if super::auxiliary::has(chosen, known.as_bytes()) { levels } else { 0 })
        };
        Self {
            standard: of(LEVEL_1),
            special: of(LEVELS_1_AND_2),
            transactions: BTreeMap::new(),
            terminals: BTreeMap::new(),
        }
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
}
