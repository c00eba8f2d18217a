//! Entries of the trace beyond level 1: what the domains below a command do for a task.
//!
//! A task has a taker of them while the trace has levels beyond the first for it; a domain asks before it makes one.

use std::sync::Arc;

use super::TaskControl;

/// The place of an entry in the work that it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DetailPoint {
    /// Its begin.
    Entry,
    /// Its end.
    Exit,
    /// A work that has one entry alone.
    Event,
}

/// An entry.
#[derive(Clone, Copy, Debug)]
pub struct Detail<'d> {
    /// Its component, by two letters.
    pub component: &'static str,
    /// Its level, from 2 on.
    pub level: u8,
    /// Its place.
    pub point: DetailPoint,
    /// The function that the component carries out.
    pub function: &'d str,
    /// The resource; empty: none.
    pub resource: &'d [u8],
    /// A length, a number or an address, as the function has it.
    pub number: u64,
    /// Further words, or data in hexadecimal.
    pub data: &'d str,
}

/// Takes entries beyond level 1.
pub trait Details: Send + Sync {
    /// Returns true if entries of a level of a component are made; `special`: of a task that is traced specially.
    fn takes(&self, component: &str, level: u8, special: bool) -> bool;

    /// Takes an entry.
    fn note(&self, control: &TaskControl, detail: &Detail<'_>);
}

/// The one who takes the entries of a task, and true if the task is traced specially.
#[derive(Clone)]
pub(super) struct Detailed {
    by: Arc<dyn Details>,
    special: bool,
}

impl Detailed {
    /// The same, if entries of a level of a component are made.
    pub fn at(&self, component: &str, level: u8) -> Option<Arc<dyn Details>> {
        self.by.takes(component, level, self.special).then(|| Arc::clone(&self.by))
    }
}

impl TaskControl {
    /// Sets who takes the task's entries beyond level 1, with true if it is traced specially; `None`: none are made.
    pub(crate) fn set_details(&self, by: Option<(Arc<dyn Details>, bool)>) {
        self.state.lock().details = by.map(|(by, special)| Detailed { by, special });
    }

    /// The one who takes entries of a level of a component, if they are made.
    pub(crate) fn details(&self, component: &str, level: u8) -> Option<Arc<dyn Details>> {
        let detailed = self.state.lock().details.clone();
        detailed.and_then(|detailed| detailed.at(component, level))
    }
}
