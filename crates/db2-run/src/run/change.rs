//! INSERT, UPDATE and DELETE.

use db2_values::{Value, assign, row};

use super::query::{Looking, read};
use super::room::Room;
use super::{Pause, Scope};
use crate::failed::Refused;
use crate::formula::Formula;
use crate::plan::{Action, Change, Which};
use crate::rows::{Rid, Rows};

/// A change on its way. The rows that it means are found first, all of them: so it never meets its own.
pub(super) struct Changing<C> {
    stage: Stage<C>,
    /// The row of the cursor of a positioned change.
    current: Option<Rid>,
    found: Vec<Rid>,
    room: Room,
    bytes: Vec<u8>,
    columns: Vec<Value>,
    pub(super) count: u64,
}

enum Stage<C> {
    Begin,
    Looking(Looking<C>),
    /// The new row of INSERT.
    New(Vec<u8>),
    /// The rows found, by the place of the next.
    Found(usize),
    /// All is changed.
    Ending,
    End,
}

impl<C> Changing<C> {
    pub(super) fn new(current: Option<Rid>, sort_bytes: usize) -> Self {
        Self {
            stage: Stage::Begin,
            current,
            found: Vec::new(),
            room: Room::new(sort_bytes),
            bytes: Vec::new(),
            columns: Vec::new(),
            count: 0,
        }
    }

    pub(super) fn step<R: Rows<Cursor = C>>(
        &mut self,
        scope: &Scope<'_>,
        rows: &mut R,
    ) -> Result<(), Pause<R::Failure>> {
        let mut looked = 0;
        loop {
            match &mut self.stage {
                Stage::Begin => self.begin(scope, rows)?,
                Stage::Looking(_) => self.look(scope, rows, &mut looked)?,
                Stage::New(bytes) => {
                    rows.insert(&scope.plan.table.name, bytes)?;
                    self.count += 1;
                    self.stage = Stage::Ending;
                }
                Stage::Found(next) => {
                    let Some(rid) = self.found.get(*next).copied() else {
                        self.stage = Stage::Ending;
                        continue;
                    };
                    if looked >= scope.limits.turn_rows {
                        return Err(Pause::GiveWay);
                    }
                    looked += 1;
                    let Action::Change(change) = &scope.plan.action else { continue };
                    let is_changed = self.change(change, rid, scope, rows)?;
                    self.count += u64::from(is_changed);
                    if let Stage::Found(next) = &mut self.stage {
                        *next += 1;
                    }
                }
                Stage::Ending => {
                    rows.end_statement()?;
                    self.stage = Stage::End;
                }
                Stage::End => return Ok(()),
            }
        }
    }

    fn begin<R: Rows<Cursor = C>>(
        &mut self,
        scope: &Scope<'_>,
        rows: &mut R,
    ) -> Result<(), Pause<R::Failure>> {
        let stage = match &scope.plan.action {
            Action::Insert(values) => {
                let values: Vec<_> = values.iter().enumerate().collect();
                let new = assigned(&values, &mut Vec::new(), scope)?;
                Stage::New(row::encode(&new, &scope.plan.kinds))
            }
            Action::Change(Change { which: Which::Searched(source), .. }) => {
                Stage::Looking(Looking::open(source, scope, rows)?)
            }
            Action::Change(Change { which: Which::Current(cursor), .. }) => {
                self.found.push(self.current.ok_or_else(|| Refused::no_row(cursor))?);
                Stage::Found(0)
            }
            Action::Query(_) => Stage::End,
        };
        rows.begin_statement();
        self.stage = stage;
        Ok(())
    }

    fn look<R: Rows<Cursor = C>>(
        &mut self,
        scope: &Scope<'_>,
        rows: &mut R,
        looked: &mut u32,
    ) -> Result<(), Pause<R::Failure>> {
        let Action::Change(Change { which: Which::Searched(source), .. }) = &scope.plan.action else {
            return Ok(());
        };
        let Self { stage, bytes, columns, found, room, .. } = self;
        let Stage::Looking(looking) = stage else { return Ok(()) };
        match looking.next(source, scope, rows, looked, (bytes, columns))? {
            Some(rid) => {
                room.take(size_of::<Rid>())?;
                found.push(rid);
            }
            None => {
                if let Stage::Looking(looking) = std::mem::replace(stage, Stage::Found(0)) {
                    looking.close(rows);
                }
            }
        }
        Ok(())
    }

    /// Changes a row, if it is there and is still meant.
    fn change<R: Rows<Cursor = C>>(
        &mut self,
        change: &Change,
        rid: Rid,
        scope: &Scope<'_>,
        rows: &mut R,
    ) -> Result<bool, Pause<R::Failure>> {
        let table = &scope.plan.table.name;
        let is_there = rows.row(table, rid, change.wish, &mut self.bytes)?;
        if let Which::Current(cursor) = &change.which
            && !is_there
        {
            return Err(Refused::no_row(cursor).into());
        }
        if !is_there {
            return Ok(false);
        }
        read(&self.bytes, scope, &mut self.columns)?;
        // Between the search and now another unit of work may have had it.
        if let Which::Searched(source) = &change.which
            && let Some(test) = &source.test
            && !test.holds(&scope.frame(&self.columns, &[]))?
        {
            return Ok(false);
        }
        let Some(sets) = &change.sets else { return Ok(rows.delete(table, rid)?) };
        let values: Vec<_> = sets.iter().map(|(column, value)| (*column, value)).collect();
        let new = assigned(&values, &mut self.columns, scope)?;
        Ok(rows.update(table, rid, &row::encode(&new, &scope.plan.kinds))?)
    }

    /// Closes what it looks at. Returns true if it has begun to change rows: they must be put back.
    pub(super) fn close<R: Rows<Cursor = C>>(self, rows: &mut R) -> bool {
        match self.stage {
            Stage::Begin | Stage::End => return false,
            Stage::Looking(looking) => looking.close(rows),
            Stage::New(_) | Stage::Found(_) | Stage::Ending => {}
        }
        true
    }
}

/// A row with new values in some columns. All are calculated from the old row.
fn assigned(
    values: &[(usize, &Formula)],
    old: &mut Vec<Value>,
    scope: &Scope<'_>,
) -> Result<Vec<Value>, Refused> {
    let mut new = Vec::with_capacity(values.len());
    for (at, formula) in values {
        let column = &scope.plan.table.columns[*at];
        let value = formula.value(&scope.frame(old, &[]))?.into_owned();
        let value = assign(value, column.kind, column.is_nullable, scope.setting)
            .map_err(|unfit| Refused::column(unfit, &column.name))?;
        new.push(value);
    }
    let mut row = std::mem::take(old);
    row.resize(scope.plan.kinds.len(), Value::Null);
    for ((at, _), value) in values.iter().zip(new) {
        row[*at] = value;
    }
    Ok(row)
}
