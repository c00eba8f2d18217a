//! Groups of rows, and the functions of all rows of each.

use db2_values::{Value, key};
use hashbrown::HashMap;

use super::room::{Room, size_of};
use super::totals::Totals;
use super::{Pause, RunState, Scope};
use crate::plan::{Groups, KeyPlace};

/// Bytes of memory that a group takes beside its values.
const ENTRY: usize = 128;

/// Groups on their way.
pub(super) struct Gathered {
    places: HashMap<Box<[u8]>, usize, foldhash::fast::RandomState>,
    groups: Vec<(Box<[Value]>, Totals)>,
    /// Bytes of memory that they take.
    size: usize,
}

impl Gathered {
    pub(super) fn new(groups: &Groups) -> Self {
        let mut gathered = Self { places: HashMap::default(), groups: Vec::new(), size: 0 };
        if groups.keys.is_empty() {
            gathered.groups.push((Box::default(), Totals::new(&groups.totals)));
        }
        gathered
    }

    /// Adds the row whose values are in the columns.
    pub(super) fn add<F>(
        &mut self,
        groups: &Groups,
        scope: &Scope<'_>,
        state: &mut RunState,
    ) -> Result<(), Pause<F>> {
        let RunState { columns, made, room, .. } = state;
        let frame =
            crate::formula::Frame { columns, variables: scope.variables, made, setting: scope.setting };
        let at = if groups.keys.is_empty() {
            0
        } else {
            let (mut bytes, mut values) = (Vec::new(), Vec::new());
            for group in &groups.keys {
                let value = group.by.value(&frame)?.into_owned();
                key::append(&mut bytes, &value, group.by.kind, false, scope.setting.order);
                values.push(value);
            }
            match self.places.get(bytes.as_slice()) {
                Some(at) => *at,
                None => self.begin(groups, bytes, values, room)?,
            }
        };
        let before = room.left();
        let added = self.groups[at].1.add(&groups.totals, &frame, room);
        self.size += before - room.left();
        added?;
        Ok(())
    }

    fn begin<F>(
        &mut self,
        groups: &Groups,
        key: Vec<u8>,
        values: Vec<Value>,
        room: &mut Room,
    ) -> Result<usize, Pause<F>> {
        let totals = Totals::new(&groups.totals);
        let size = key.len() + size_of(&values) + totals.size() + ENTRY;
        room.take(size)?;
        self.size += size;
        self.groups.push((values.into(), totals));
        self.places.insert(key.into(), self.groups.len() - 1);
        Ok(self.groups.len() - 1)
    }

    /// Takes a group, and puts its values into their places. False: there are no more.
    pub(super) fn take<F>(&mut self, groups: &Groups, state: &mut RunState) -> Result<bool, Pause<F>> {
        if !self.places.is_empty() {
            // From here on they are taken from the end: the first comes last, so they are turned once.
            self.places = HashMap::default();
            self.groups.reverse();
        }
        let Some((values, totals)) = self.groups.pop() else { return Ok(false) };
        for (key, value) in groups.keys.iter().zip(values) {
            match key.place {
                KeyPlace::Column(at) => state.columns[at] = value,
                KeyPlace::Made(at) => state.made[at] = value,
            }
        }
        for (of, value) in groups.totals.iter().zip(totals.end()?) {
            state.made[of.made] = value;
        }
        Ok(true)
    }

    /// Gives its memory back.
    pub(super) fn close(&mut self, room: &mut Room) {
        room.give(std::mem::take(&mut self.size));
    }
}
