//! Lists that belong to units of work and whose entries have no names: a task can only browse them.

use std::collections::{HashMap, VecDeque};

use spec::{CommandId, OptionId, cond, opt};

use kernel::exec::value::Value;
use kernel::exec::{Call, Waiting};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::recovery::UnitId;
use kernel::registry::{Given, Manager, Named, Row, Table, Takes};
use kernel::task::{Task, TaskPart};

/// RESP2 of END: the browse has seen everything.
const NO_MORE: i32 = 2;
/// RESP2 of ILLOGIC: a browse that was not started, or one that was already.
const NO_BROWSE: i32 = 1;

/// A list of what units of work have.
pub(super) struct Listing<T: 'static> {
    /// All entries, one unit of work after the other.
    pub all: fn(&Manager) -> Vec<(UnitId, T)>,
    /// The rows for INQUIRE.
    pub rows: &'static [Row<T>],
}

/// The values of an entry, and its unit of work.
type Told = (UnitId, Vec<(OptionId, Value)>);

/// The browses of a task: the entries that are still to come, as they were when it began.
#[derive(Default)]
struct Browses(HashMap<CommandId, VecDeque<Told>>);

impl TaskPart for Browses {}

impl<T: 'static> Listing<T> {
    /// Goes on with a browse, or ends it; a browse that begins has those entries that are `wanted`.
    pub fn browse(&self, task: &mut Task, call: &Call<'_>, wanted: impl Fn(UnitId, &T) -> bool) -> Outcome {
        let by = Manager::of(task);
        let browses = &mut task.kept.part::<Browses>().0;
        if call.keyword(opt::START) {
            if browses.contains_key(&call.command()) {
                return Err(cond::ILLOGIC.raise(NO_BROWSE));
            }
            let all = (self.all)(&by).into_iter().filter(|(unit, entry)| wanted(*unit, entry));
            let told = all.map(|(unit, entry)| (unit, self.told(&by, &entry))).collect();
            browses.insert(call.command(), told);
            return Ok(());
        }
        if call.keyword(opt::END) {
            let ended = browses.remove(&call.command());
            return ended.map(drop).ok_or_else(|| cond::ILLOGIC.raise(NO_BROWSE));
        }
        let browse = browses.get_mut(&call.command()).ok_or_else(|| cond::ILLOGIC.raise(NO_BROWSE))?;
        let (unit, told) = browse.pop_front().ok_or_else(|| cond::END.raise(NO_MORE))?;
        call.put(opt::UOW, &unit.to_bytes())?;
        let mut told = told.iter().filter(|(option, _)| call.has(*option));
        told.try_for_each(|(option, value)| call.put_value(*option, value))
    }

    fn told(&self, by: &Manager, entry: &T) -> Vec<(OptionId, Value)> {
        self.rows.iter().map(|(option, value)| (*option, value(by, entry))).collect()
    }
}

/// For screens, where an entry is known by its unit of work and its place among those of that.
impl<T: 'static> Table for Listing<T> {
    fn name(&self) -> OptionId {
        opt::UOW
    }

    fn is_single(&self) -> bool {
        false
    }

    fn names(&self, by: &Manager) -> Vec<Vec<u8>> {
        named(&(self.all)(by)).into_iter().map(|(name, _)| name).collect()
    }

    fn tell(&self, by: &Manager, name: &[u8]) -> Option<Vec<(OptionId, Value)>> {
        let all = (self.all)(by);
        let found = named(&all).into_iter().find(|(known, _)| known == name)?;
        Some(self.told(by, found.1))
    }

    fn tell_all(&self, by: &Manager, wanted: &dyn Fn(&[u8]) -> bool) -> Vec<Named> {
        let all = (self.all)(by);
        let meant = named(&all).into_iter().filter(|(name, _)| wanted(name));
        meant.map(|(name, entry)| (name, self.told(by, entry))).collect()
    }

    fn settings(&self) -> Vec<(OptionId, &'static Takes)> {
        Vec::new()
    }

    fn change<'a>(&'a self, _: &'a Manager, _: &'a [u8], _: &'a [(OptionId, Given)]) -> Waiting<'a> {
        Box::pin(async { Ok(()) })
    }

    fn options(&self) -> Vec<OptionId> {
        self.rows.iter().map(|(option, _)| *option).collect()
    }
}

/// Entries with their names.
fn named<T>(all: &[(UnitId, T)]) -> Vec<(Vec<u8>, &T)> {
    let (mut last, mut place) = (None, 0);
    let names = all.iter().map(|(unit, entry)| {
        place = if last == Some(*unit) { place + 1 } else { 1 };
        last = Some(*unit);
        (format!("{unit}/{place}").into_bytes(), entry)
    });
    names.collect()
}
