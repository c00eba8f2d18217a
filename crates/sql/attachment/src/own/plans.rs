//! Plans of statements, kept by statement and edition of the catalogue.

use std::sync::Arc;

use db2::package::Statement as Source;
use db2::{Arithmetic, Kind, Letters};
use db2_run::Plan;
use db2_syntax::tree::{self, Statement};
use db2_syntax::{Catalogue, Setting};
use foldhash::HashMap;
use parking_lot::Mutex;

use super::codes::{Trouble, unreadable};
use super::registers;
use super::words::Hosts;

/// Plans that are kept; when so many are there, all are forgotten.
const PLANS_MAX: usize = 10_000;

/// A statement of a package: its token, the statement's number.
pub(super) type Which = (u64, u16);

/// The plans of a region's statements.
#[derive(Default)]
pub(super) struct Plans(Mutex<HashMap<Which, (u64, Arc<Plan>)>>);

impl Plans {
    /// The plan of a statement for an edition of the catalogue.
    pub(super) fn get(&self, which: Which, edition: u64) -> Option<Arc<Plan>> {
        let plans = self.0.lock();
        plans.get(&which).filter(|(of, _)| *of == edition).map(|(_, plan)| Arc::clone(plan))
    }

    /// Keeps a plan, unless it holds rows.
    pub(super) fn keep(&self, which: Which, edition: u64, plan: &Arc<Plan>) {
        if plan.holds_rows() {
            return;
        }
        let mut plans = self.0.lock();
        if plans.len() >= PLANS_MAX {
            plans.clear();
        }
        plans.insert(which, (edition, Arc::clone(plan)));
    }

    /// Forgets a plan that does not suit any more.
    pub(super) fn forget(&self, which: Which) {
        self.0.lock().remove(&which);
    }
}

/// Reads a statement of a package, whose words these are.
pub(super) fn read(
    text: &str,
    source: &Source,
    arithmetic: Arithmetic,
    names: &Catalogue,
) -> Result<Statement, Trouble> {
    let hosts = Hosts { inputs: &source.inputs, targets: &source.targets };
    let text = hosts.spelled(text).map_err(|mistake| unreadable(text, &mistake.into()))?;
    let variables = |token: &db2::Token| match token.kind {
        Kind::Word => registers::variable(token),
        _ => hosts.variable(token),
    };
    let setting = Setting { catalogue: names, arithmetic, variables: &variables };
    db2_syntax::read(&Letters::plain(&text), &setting).map_err(|refusal| unreadable(&text, &refusal).into())
}

/// The plan of a statement. A cursor that rows are changed through takes them for itself, where its rows are those of one table, in no
/// order.
pub(super) fn plan(
    mut statement: Statement,
    names: &Catalogue,
    is_changed: bool,
) -> Result<Arc<Plan>, Trouble> {
    if let Statement::Query(query) | Statement::Cursor(tree::Cursor { query, .. }) = &mut statement
        && is_changed
        && !query.is_read_only
        && query.order.is_empty()
        && query.only_table().is_some()
    {
        query.updates.get_or_insert_default();
    }
    Ok(Arc::new(Plan::of(&statement, names)?))
}
