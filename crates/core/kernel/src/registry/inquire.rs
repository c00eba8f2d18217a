//! Shared parts of all INQUIRE commands.

use std::collections::{HashMap, VecDeque};

use spec::{CommandId, OptionId, cond, opt};

use super::Manager;
use super::set::Setting;
use super::signature;
use crate::exec::Call;
use crate::exec::value::Value;
use crate::raise::{Outcome, Raise, RaiseCondition};
use crate::task::{Task, TaskPart};

/// A row of a resource's table: an option, and what it tells of a resource.
pub type Row<T> = (OptionId, fn(&Manager, &T) -> Value);

/// A type of resource: what INQUIRE tells of it and what SET changes. CEMT uses the same tables.
pub struct Resource<T: 'static> {
    /// The option that names one.
    pub name: OptionId,
    /// Its key.
    pub key: Key,
    /// The names of all, as the program gets them in a browse.
    pub names: fn(&Manager) -> Vec<Vec<u8>>,
    /// The one of a name.
    pub find: fn(&Manager, &[u8]) -> Option<T>,
    /// The condition where there is none.
    pub missing: Raise,
    /// Its rows for INQUIRE.
    pub rows: &'static [Row<T>],
    /// Its settings, in the order in which they are done.
    pub settings: &'static [Setting<T>],
}

/// Keys of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// By characters.
    Name,
    /// By a number: tasks. Within the tables it is written in five digits.
    Number,
    /// Not at all: there is only one.
    None,
}

/// A task's number as tables and screens write it.
pub fn digits(number: u32) -> Vec<u8> {
    format!("{number:05}").into_bytes()
}

/// The number that [`digits`] has written.
pub fn number(digits: &[u8]) -> Option<u32> {
    std::str::from_utf8(digits).ok()?.trim().parse().ok()
}

impl Key {
    /// The name that a command gives.
    pub(super) fn given(self, call: &Call<'_>, option: OptionId) -> Outcome<Vec<u8>> {
        match self {
            Self::Name => Ok(call.bytes(option)?.unwrap_or_default().to_vec()),
            // No task has a number beyond: it is not found.
            Self::Number => Ok(digits(call.number(option)?.and_then(|n| n.try_into().ok()).unwrap_or(0))),
            Self::None => Ok(Vec::new()),
        }
    }

    /// A name in a browse, to the program.
    fn put(self, call: &Call<'_>, option: OptionId, name: &[u8]) -> Outcome {
        match self {
            Self::Name => call.put(option, name),
            Self::Number => call.put_number(option, number(name).unwrap_or(0).into()),
            Self::None => Ok(()),
        }
    }
}

/// The INQUIRE browses of a task: the names that are still to come.
#[derive(Default)]
struct Inquiries(HashMap<CommandId, VecDeque<Vec<u8>>>);

impl TaskPart for Inquiries {}

/// RESP2 of END: the browse has seen everything.
const NO_MORE: i32 = 2;
/// RESP2 of ILLOGIC: a browse that was not started, or one that was already.
const NO_BROWSE: i32 = 1;

impl<T> Resource<T> {
    /// INQUIRE: by name, or by a browse.
    pub fn inquire(&self, task: &mut Task, call: &Call<'_>) -> Outcome {
        if call.keyword(opt::START) {
            return self.start(task, call, |_| true);
        }
        if call.keyword(opt::END) {
            let ended = task.kept.part::<Inquiries>().0.remove(&call.command());
            return ended.map(drop).ok_or_else(|| cond::ILLOGIC.raise(NO_BROWSE));
        }
        let by = Manager::of(task);
        let next = call.keyword(opt::NEXT);
        let (name, found) = if next {
            self.next(task, &by, call)?
        } else {
            (self.key.given(call, self.name)?, self.named(&by, call)?)
        };
        let mut told = self.rows.iter().filter(|(option, _)| call.has(*option));
        told.try_for_each(|(option, value)| call.put_value(*option, &value(&by, &found)))?;
        signature::tell(&by, self.name, &name, call)
    }

    /// The resource that a command names.
    pub fn named(&self, by: &Manager, call: &Call<'_>) -> Outcome<T> {
        let name = self.key.given(call, self.name)?;
        (self.find)(by, &name).ok_or(self.missing)
    }

    /// START of a browse through those whose names are wanted, from the name of AT on.
    pub fn start(&self, task: &mut Task, call: &Call<'_>, wanted: impl Fn(&[u8]) -> bool) -> Outcome {
        let names = (self.names)(&Manager::of(task)).into_iter();
        let mut names: VecDeque<_> = names.filter(|name| wanted(name)).collect();
        if let Some(at) = call.bytes(opt::AT)? {
            names.retain(|name| name.as_slice() >= &*at);
        }
        let running = task.kept.part::<Inquiries>().0.insert(call.command(), names).is_some();
        if running { Err(cond::ILLOGIC.raise(NO_BROWSE)) } else { Ok(()) }
    }

    /// The next of the browse that is still there, with its name, which goes to the program.
    fn next(&self, task: &mut Task, by: &Manager, call: &Call<'_>) -> Outcome<(Vec<u8>, T)> {
        loop {
            let names: &mut VecDeque<Vec<u8>> = task
                .kept
                .part::<Inquiries>()
                .0
                .get_mut(&call.command())
                .ok_or_else(|| cond::ILLOGIC.raise(NO_BROWSE))?;
            let name = names.pop_front().ok_or_else(|| cond::END.raise(NO_MORE))?;
            if let Some(found) = (self.find)(by, &name)
                && by.sees(call.command(), &name)
            {
                self.key.put(call, self.name, &name)?;
                return Ok((name, found));
            }
        }
    }
}
