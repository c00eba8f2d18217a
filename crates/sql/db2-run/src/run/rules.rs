//! Rules of changes. Checks are tested before a row is written. Rules between tables are checked after all changes of the
//! statement: first CASCADE and SET NULL, then parents and children.

use db2_values::{Value, row};

use super::core::CoreRun;
use super::query::QueryRun;
use super::room::size_of;
use super::{Pause, RunState, Scope};
use crate::failed::Refused;
use crate::plan::{Cascade, Node, Rule, Rules};
use crate::rows::{Rid, Rows};

/// Rules on their way.
pub(super) struct Ruling<C> {
    /// The subqueries of rules.
    core: CoreRun<QueryRun<C>>,
    /// Rows that were changed.
    kept: Vec<Kept>,
    phase: Phase,
    /// Rows that a cascade looks for.
    looking: Option<CoreRun<QueryRun<C>>>,
    found: Vec<(Rid, Box<[Value]>)>,
}

/// A row that was changed.
struct Kept {
    of: Of,
    row: Box<[Value]>,
}

/// Bytes of memory that a kept row takes beside its values.
const ENTRY: usize = std::mem::size_of::<Kept>();

/// The meaning of a row that was changed.
#[derive(Clone, Copy)]
pub(super) enum Of {
    /// As it is now.
    New,
    /// As it was, with another key.
    Old,
    /// Deleted, of a node.
    Deleted(usize),
}

#[derive(Clone, Copy)]
enum Phase {
    /// A cascade of a kept row, by the numbers of both.
    Look(usize, usize),
    /// Changes the rows that it has found, by the place of the next.
    Change(usize, usize, usize),
    /// A rule of a kept row.
    Rule(usize, usize),
    End,
}

impl<C> Ruling<C> {
    pub(super) fn new(rules: &Rules) -> Self {
        Self {
            core: CoreRun::new(&rules.core),
            kept: Vec::new(),
            phase: Phase::Look(0, 0),
            looking: None,
            found: Vec::new(),
        }
    }

    /// Keeps a row to the end of the statement, if a rule asks for it.
    pub(super) fn keep(
        &mut self,
        of: Of,
        row: &[Value],
        rules: &Rules,
        state: &mut RunState,
    ) -> Result<(), Refused> {
        let is_asked_for = match of {
            Of::New => !rules.parents.is_empty(),
            Of::Old => !rules.children.is_empty(),
            Of::Deleted(_) => !rules.nodes.is_empty(),
        };
        if is_asked_for {
            state.room.take(size_of(row) + ENTRY)?;
            self.kept.push(Kept { of, row: row.into() });
        }
        Ok(())
    }

    /// Looks at what is between tables.
    pub(super) fn step<R: Rows<Cursor = C>>(
        &mut self,
        rules: &Rules,
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<(), Pause<R::Failure>> {
        loop {
            match self.phase {
                Phase::Look(at, number) => {
                    let Some(kept) = self.kept.get(at) else {
                        self.phase = Phase::Rule(0, 0);
                        continue;
                    };
                    let Some((node, cascade)) = cascade_of(kept.of, number, rules) else {
                        self.phase = Phase::Look(at + 1, 0);
                        continue;
                    };
                    put(&kept.row, node.columns.start, state);
                    self.look(cascade, scope, state, rows)?;
                    self.phase = Phase::Change(at, number, 0);
                }
                Phase::Change(at, number, next) => {
                    let cascade = self.kept.get(at).and_then(|kept| cascade_of(kept.of, number, rules));
                    let (Some((_, cascade)), true) = (cascade, next < self.found.len()) else {
                        self.found.clear();
                        self.phase = Phase::Look(at, number + 1);
                        continue;
                    };
                    self.change(cascade, next, rules, scope, state, rows)?;
                    self.phase = Phase::Change(at, number, next + 1);
                }
                Phase::Rule(at, number) => {
                    let Some(kept) = self.kept.get(at) else {
                        self.phase = Phase::End;
                        continue;
                    };
                    let (of, first) = rules_of(kept.of, rules);
                    let Some(rule) = of.get(number) else {
                        self.phase = Phase::Rule(at + 1, 0);
                        continue;
                    };
                    state.may_go_on(scope)?;
                    put(&kept.row, first, state);
                    if !self.core.check(&rules.core, &rule.check, scope, state, rows)? {
                        return Err(Refused::rule(rule.code, &rule.name).into());
                    }
                    state.looked += 1;
                    self.phase = Phase::Rule(at, number + 1);
                }
                Phase::End => return Ok(()),
            }
        }
    }

    /// Finds the rows of a cascade.
    fn look<R: Rows<Cursor = C>>(
        &mut self,
        cascade: &Cascade,
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<(), Pause<R::Failure>> {
        let run = self.looking.get_or_insert_with(|| CoreRun::new(&cascade.core));
        while run.next(&cascade.core, scope, state, rows)? {
            let row = &state.columns[cascade.columns.clone()];
            state.room.take(size_of(row) + ENTRY)?;
            self.found.extend(run.rid().map(|rid| (rid, row.into())));
        }
        if let Some(mut run) = self.looking.take() {
            run.close(state, rows);
        }
        Ok(())
    }

    /// Deletes a row that was found, or takes it from its parent.
    fn change<R: Rows<Cursor = C>>(
        &mut self,
        cascade: &Cascade,
        next: usize,
        rules: &Rules,
        scope: &Scope<'_>,
        state: &mut RunState,
        rows: &mut R,
    ) -> Result<(), Pause<R::Failure>> {
        state.may_go_on(scope)?;
        let of = &scope.plan.tables[cascade.table];
        let (rid, row) = &self.found[next];
        match &cascade.nulls {
            Some(nulls) => {
                let mut row = row.clone();
                nulls.iter().for_each(|column| row[*column] = Value::Null);
                rows.update(&of.table.name, *rid, &row::encode(&row, &of.kinds))?;
            }
            None => {
                // Another way may have come to it before.
                if rows.delete(&of.table.name, *rid)? {
                    let row = row.clone();
                    self.keep(Of::Deleted(cascade.node), &row, rules, state)?;
                }
            }
        }
        state.looked += 1;
        Ok(())
    }

    pub(super) fn close<R: Rows<Cursor = C>>(&mut self, state: &mut RunState, rows: &mut R) {
        self.core.close(state, rows);
        if let Some(mut run) = self.looking.take() {
            run.close(state, rows);
        }
    }
}

fn cascade_of(of: Of, number: usize, rules: &Rules) -> Option<(&Node, &Cascade)> {
    let Of::Deleted(node) = of else { return None };
    let node = rules.nodes.get(node)?;
    node.cascades.get(number).map(|cascade| (node, cascade))
}

/// The rules of a kept row, and the first of the columns in which it is looked at.
fn rules_of(of: Of, rules: &Rules) -> (&[Rule], usize) {
    match of {
        Of::New => (&rules.parents, 0),
        Of::Old => (&rules.children, 0),
        Of::Deleted(node) => {
            rules.nodes.get(node).map_or((&[], 0), |node| (node.rules.as_slice(), node.columns.start))
        }
    }
}

fn put(row: &[Value], first: usize, state: &mut RunState) {
    state.columns[first..first + row.len()].clone_from_slice(row);
}

/// Tests the checks of a new row.
pub(super) fn check(
    rules: &Rules,
    row: &mut [Value],
    scope: &Scope<'_>,
    state: &mut RunState,
) -> Result<(), Refused> {
    if rules.checks.is_empty() && rules.of_views.is_empty() {
        return Ok(());
    }
    let width = row.len();
    state.columns[..width].swap_with_slice(row);
    let mut found = Ok(());
    for (name, test) in &rules.checks {
        // Unknown is not false.
        found = match test.answer(&state.frame(scope)) {
            Ok(Some(false)) => Err(Refused::rule(-545, name)),
            Ok(_) => continue,
            Err(unfit) => Err(unfit.into()),
        };
        break;
    }
    for (view, test) in &rules.of_views {
        if found.is_ok() && !matches!(test.answer(&state.frame(scope)), Ok(Some(true))) {
            found = Err(Refused::rule(-161, view));
        }
    }
    state.columns[..width].swap_with_slice(row);
    found
}
