//! Queries.

use std::borrow::Cow;

use db2_values::{Unfit, Value, key, row};

use super::room::Room;
use super::sort::Sort;
use super::totals::{Seen, Totals};
use super::{Pause, Scope, Step};
use crate::failed::Refused;
use crate::plan::{Action, Found, Query, Source};
use crate::rows::{Path, Range, Rid, Rows};

/// A query on its way.
pub(super) struct Querying<C> {
    stage: Stage<C>,
    seen: Seen,
    room: Room,
    given: u64,
    /// The bytes of the row that is looked at, and its values.
    bytes: Vec<u8>,
    columns: Vec<Value>,
    pub(super) row: Vec<Value>,
    pub(super) current: Option<Rid>,
}

enum Stage<C> {
    Begin,
    Rows(Looking<C>, Gathered),
    Sorted(Sort),
    End,
}

/// A place that rows go into, one by one; or they are given at once.
enum Gathered {
    Nothing,
    Sort(Sort),
    Totals(Totals),
}

/// Rows that are looked at.
pub(super) enum Looking<C> {
    Cursor(C),
    /// None, since none can be meant.
    Nothing,
}

impl<C> Looking<C> {
    /// Opens what a source looks at.
    pub(super) fn open<R: Rows<Cursor = C>>(
        source: &Source,
        scope: &Scope<'_>,
        rows: &mut R,
    ) -> Result<Self, Pause<R::Failure>> {
        use std::ops::Bound::{Included, Unbounded};
        let range = match source.access.found(&scope.frame(&[], &[]))? {
            Found::Nothing => return Ok(Self::Nothing),
            Found::One(key) => Range { low: Included(key.clone()), high: Included(key), is_backward: false },
            Found::Range(_) if source.access.path == Path::Scan => {
                Range { low: Unbounded, high: Unbounded, is_backward: false }
            }
            Found::Range(range) => range,
        };
        let cursor = rows.open(&scope.plan.table.name, source.access.path, range, source.wish)?;
        Ok(Self::Cursor(cursor))
    }

    /// Goes to the next row that is meant and puts its values into `columns`; `None`: there are no more. Each row that is looked
    /// at counts.
    pub(super) fn next<R: Rows<Cursor = C>>(
        &mut self,
        source: &Source,
        scope: &Scope<'_>,
        rows: &mut R,
        looked: &mut u32,
        (bytes, columns): (&mut Vec<u8>, &mut Vec<Value>),
    ) -> Result<Option<Rid>, Pause<R::Failure>> {
        let Self::Cursor(cursor) = self else { return Ok(None) };
        loop {
            if *looked >= scope.limits.turn_rows {
                return Err(Pause::GiveWay);
            }
            let Some(rid) = rows.next(cursor, bytes)? else { return Ok(None) };
            *looked += 1;
            read(bytes, scope, columns)?;
            let is_meant = match &source.test {
                Some(test) => test.holds(&scope.frame(columns, &[]))?,
                None => true,
            };
            if is_meant {
                return Ok(Some(rid));
            }
            rows.refuse(cursor);
        }
    }

    pub(super) fn close<R: Rows<Cursor = C>>(self, rows: &mut R) {
        if let Self::Cursor(cursor) = self {
            rows.close(cursor);
        }
    }
}

/// The values of a row; of columns that it does not have yet, NULL.
pub(super) fn read(bytes: &[u8], scope: &Scope<'_>, columns: &mut Vec<Value>) -> Result<(), Refused> {
    columns.clear();
    row::decode(bytes, &scope.plan.kinds, columns).map_err(|_| Refused::damaged(&scope.plan.table.name))?;
    columns.resize(scope.plan.kinds.len(), Value::Null);
    Ok(())
}

impl<C> Querying<C> {
    pub(super) fn new(sort_bytes: usize) -> Self {
        Self {
            stage: Stage::Begin,
            seen: Seen::default(),
            room: Room::new(sort_bytes),
            given: 0,
            bytes: Vec::new(),
            columns: Vec::new(),
            row: Vec::new(),
            current: None,
        }
    }

    pub(super) fn step<R: Rows<Cursor = C>>(
        &mut self,
        scope: &Scope<'_>,
        rows: &mut R,
    ) -> Result<Step, Pause<R::Failure>> {
        let Action::Query(query) = &scope.plan.action else { return Ok(Step::End) };
        self.row.clear();
        self.current = None;
        if query.first.is_some_and(|first| self.given >= first) {
            self.close(rows);
        }
        let mut looked = 0;
        loop {
            match &mut self.stage {
                Stage::Begin => self.begin(query, scope, rows)?,
                Stage::Rows(..) => {
                    if self.look(query, scope, rows, &mut looked)? {
                        self.given += 1;
                        return Ok(Step::Row);
                    }
                }
                Stage::Sorted(sort) => {
                    let Some((row, rid)) = sort.next(&mut self.room) else {
                        self.stage = Stage::End;
                        continue;
                    };
                    (self.row, self.current) = (row, Some(rid));
                    self.given += 1;
                    return Ok(Step::Row);
                }
                Stage::End => return Ok(Step::End),
            }
        }
    }

    fn begin<R: Rows<Cursor = C>>(
        &mut self,
        query: &Query,
        scope: &Scope<'_>,
        rows: &mut R,
    ) -> Result<(), Pause<R::Failure>> {
        let looking = Looking::open(&query.source, scope, rows)?;
        let gathered = match query.is_grouped {
            true => Gathered::Totals(Totals::new(&query.totals)),
            false if query.sort.is_empty() => Gathered::Nothing,
            false => Gathered::Sort(Sort::new(query.first)),
        };
        self.stage = Stage::Rows(looking, gathered);
        Ok(())
    }

    /// Looks at rows. Returns true if one is to be given.
    fn look<R: Rows<Cursor = C>>(
        &mut self,
        query: &Query,
        scope: &Scope<'_>,
        rows: &mut R,
        looked: &mut u32,
    ) -> Result<bool, Pause<R::Failure>> {
        let Self { stage, bytes, columns, .. } = self;
        let Stage::Rows(looking, gathered) = stage else { return Ok(false) };
        let Some(rid) = looking.next(&query.source, scope, rows, looked, (bytes, columns))? else {
            return self.end_of_rows(query, scope, rows);
        };
        let frame = scope.frame(columns, &[]);
        if let Gathered::Totals(totals) = gathered {
            totals.add(&query.totals, &frame, &mut self.room)?;
            return Ok(false);
        }
        let outputs: Result<Vec<Value>, Unfit> =
            query.outputs.iter().map(|output| output.value(&frame).map(Cow::into_owned)).collect();
        let outputs = outputs?;
        if query.is_distinct {
            let values = outputs.iter().zip(query.outputs.iter().map(|output| output.kind));
            if !self.seen.is_new(values, scope.setting.order, &mut self.room)? {
                return Ok(false);
            }
        }
        if let Gathered::Sort(sort) = gathered {
            let mut bytes = Vec::new();
            for by in &query.sort {
                let value = by.by.value(&frame)?;
                key::append(&mut bytes, &value, by.by.kind, by.is_descending, scope.setting.order);
            }
            sort.add(bytes, outputs, rid, &mut self.room)?;
            return Ok(false);
        }
        (self.row, self.current) = (outputs, Some(rid));
        Ok(true)
    }

    /// Turns to what was gathered. Returns true if that is a row.
    fn end_of_rows<R: Rows<Cursor = C>>(
        &mut self,
        query: &Query,
        scope: &Scope<'_>,
        rows: &mut R,
    ) -> Result<bool, Pause<R::Failure>> {
        let Stage::Rows(looking, gathered) = std::mem::replace(&mut self.stage, Stage::End) else {
            return Ok(false);
        };
        looking.close(rows);
        match gathered {
            Gathered::Nothing => {}
            Gathered::Sort(sort) => self.stage = Stage::Sorted(sort.turn()),
            Gathered::Totals(totals) => {
                let totals = totals.end()?;
                let frame = scope.frame(&[], &totals);
                for output in &query.outputs {
                    self.row.push(output.value(&frame)?.into_owned());
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(super) fn cursor(&mut self) -> Option<&mut C> {
        match &mut self.stage {
            Stage::Rows(Looking::Cursor(cursor), _) => Some(cursor),
            _ => None,
        }
    }

    pub(super) fn close<R: Rows<Cursor = C>>(&mut self, rows: &mut R) {
        if let Stage::Rows(looking, _) = std::mem::replace(&mut self.stage, Stage::End) {
            looking.close(rows);
        }
    }
}
