//! What all INQUIRE commands have in common.

use std::collections::VecDeque;

use spec::{OptionId, cond, opt};

use crate::exec::Call;
use crate::exec::value::Value;
use crate::raise::{Outcome, Raise, RaiseCondition};
use crate::task::Task;

/// A row of a resource's table: an option, and what it tells of a resource.
pub(super) type Row<T> = (OptionId, fn(&Task, &T) -> Value);

/// A type of resource that can be inquired about.
pub(super) struct Resource<T: 'static> {
    /// The option that names one.
    pub name: OptionId,
    /// The names of all, as the program gets them in a browse.
    pub names: fn(&Task) -> Vec<Vec<u8>>,
    /// The one of a name.
    pub find: fn(&Task, &[u8]) -> Option<T>,
    /// The condition where there is none.
    pub missing: Raise,
    /// What is told.
    pub rows: &'static [Row<T>],
}

/// RESP2 of END: the browse has seen everything.
const NO_MORE: i32 = 2;
/// RESP2 of ILLOGIC: a browse that was not started, or one that was already.
const NO_BROWSE: i32 = 1;

impl<T> Resource<T> {
    /// INQUIRE: by name, or by a browse.
    pub fn inquire(&self, task: &mut Task, call: &Call<'_>) -> Outcome {
        if call.keyword(opt::START) {
            let names = (self.names)(task).into();
            let running = task.inquiries.insert(call.command(), names).is_some();
            return if running { Err(cond::ILLOGIC.raise(NO_BROWSE)) } else { Ok(()) };
        }
        if call.keyword(opt::END) {
            let ended = task.inquiries.remove(&call.command());
            return ended.map(drop).ok_or_else(|| cond::ILLOGIC.raise(NO_BROWSE));
        }
        let found = if call.keyword(opt::NEXT) { self.next(task, call)? } else { self.named(task, call)? };
        let told = self.rows.iter().filter(|(option, _)| call.has(*option));
        told.into_iter().try_for_each(|(option, value)| call.put_value(*option, &value(task, &found)))
    }

    fn named(&self, task: &mut Task, call: &Call<'_>) -> Outcome<T> {
        let name = call.bytes(self.name)?.unwrap_or_default();
        (self.find)(task, &name).ok_or(self.missing)
    }

    /// The next of the browse that is still there; its name goes to the program.
    fn next(&self, task: &mut Task, call: &Call<'_>) -> Outcome<T> {
        loop {
            let names: &mut VecDeque<Vec<u8>> =
                task.inquiries.get_mut(&call.command()).ok_or_else(|| cond::ILLOGIC.raise(NO_BROWSE))?;
            let name = names.pop_front().ok_or_else(|| cond::END.raise(NO_MORE))?;
            if let Some(found) = (self.find)(task, &name) {
                call.put(self.name, &name)?;
                return Ok(found);
            }
        }
    }
}

/// A CVDA that a SET command gives: by value, or as a keyword of its own.
///
/// # Errors
/// INVREQ with `resp2` for a value that is none of these.
pub(super) fn chosen(
    call: &Call<'_>,
    by_value: OptionId,
    choices: &[(&'static str, OptionId)],
    resp2: i32,
) -> Outcome<Option<&'static str>> {
    if let Some(number) = call.number(by_value)? {
        let named = choices.iter().find(|(name, _)| spec::cvda(name).is_some_and(|n| i64::from(n) == number));
        return named.map(|(name, _)| Some(*name)).ok_or_else(|| cond::INVREQ.raise(resp2));
    }
    Ok(choices.iter().find(|(_, keyword)| call.keyword(*keyword)).map(|(name, _)| *name))
}
