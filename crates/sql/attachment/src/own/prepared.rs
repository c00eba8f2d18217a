//! Statements that programs have prepared, and their plans, which all tasks share.

use std::sync::Arc;

use db2::{Arithmetic, Attributes, DynamicKind, Letters};
use db2_run::Plan;
use db2_syntax::tree::{Output, Statement};
use db2_syntax::{Catalogue, Setting, Type};
use foldhash::HashMap;
use parking_lot::Mutex;

use super::codes::{Trouble, unreadable};
use super::{plans, registers};
use crate::prepared;
use crate::statements::SESSION;

/// Prepared statements that are kept, and plans of them; when so many are there, all are forgotten.
const PLANS_MAX: usize = 2_000;

/// A prepared statement.
pub(super) struct Prepared {
    /// Its kind, and what it asks for.
    pub(super) read: db2::Dynamic,
    pub(super) attributes: Attributes,
    /// Its words, those of the attributes behind them.
    pub(super) text: String,
    arithmetic: Arithmetic,
}

/// The plan of a prepared statement.
pub(super) struct Planned {
    pub(super) plan: Arc<Plan>,
    /// The types of its markers.
    pub(super) markers: Vec<Type>,
    /// The columns of a query.
    pub(super) columns: Vec<Output>,
}

/// Prepared statements of all tasks, so that the same words are read once.
#[derive(Default)]
pub(super) struct Dynamic {
    read: Mutex<HashMap<Words, Arc<Prepared>>>,
    plans: Mutex<HashMap<Key, Known>>,
}

/// The words of a statement, true if rows are changed through its cursor, and the schema that the program has set.
type Key = (String, bool, Option<String>);

/// A text and its attributes.
type Words = (Vec<u8>, Vec<u8>);

struct Known {
    edition: u64,
    arithmetic: Arithmetic,
    planned: Arc<Planned>,
}

impl Prepared {
    /// Reads a text with its attributes.
    fn new(text: &[u8], attributes: &[u8], arithmetic: Arithmetic) -> Result<Self, Trouble> {
        let (mut text, attributes) = (SESSION.text(text), SESSION.text(attributes));
        let read = db2::attributes(&Letters::plain(&attributes));
        let attributes = read.map_err(|mistake| prepared::unreadable(&attributes, mistake))?;
        if !attributes.behind.is_empty() {
            text = format!("{} {}", text.trim_end().trim_end_matches(';'), attributes.behind);
        }
        let read = db2::dynamic(&Letters::plain(&text), arithmetic);
        let read = read.map_err(|mistake| prepared::unreadable(&text, mistake))?;
        Ok(Self { read, attributes, text, arithmetic })
    }

    /// Returns true if a cursor of its query changes the rows that it is on: it says so, or a program's statement does.
    pub(super) fn is_changed(&self, by_program: bool) -> bool {
        match &self.read.kind {
            DynamicKind::Query { for_update, .. } => {
                *for_update || (by_program && self.read.changing.is_some())
            }
            DynamicKind::Action { .. } => false,
        }
    }
}

impl Dynamic {
    /// A text as it was prepared, with its attributes.
    pub(super) fn prepared(
        &self,
        text: &[u8],
        attributes: &[u8],
        arithmetic: Arithmetic,
    ) -> Result<Arc<Prepared>, Trouble> {
        let key = (text.to_vec(), attributes.to_vec());
        if let Some(known) = self.read.lock().get(&key)
            && known.arithmetic == arithmetic
        {
            return Ok(Arc::clone(known));
        }
        let prepared = Arc::new(Prepared::new(text, attributes, arithmetic)?);
        let mut all = self.read.lock();
        if all.len() >= PLANS_MAX {
            all.clear();
        }
        all.insert(key, Arc::clone(&prepared));
        Ok(prepared)
    }

    /// The plan of a prepared statement over the tables of a catalogue, in which names are looked for in this schema.
    pub(super) fn plan(
        &self,
        prepared: &Prepared,
        is_changed: bool,
        schema: Option<String>,
        (edition, names): (u64, &Catalogue),
    ) -> Result<Arc<Planned>, Trouble> {
        let key = (prepared.text.clone(), is_changed, schema);
        if let Some(known) = self.plans.lock().get(&key)
            && (known.edition, known.arithmetic) == (edition, prepared.arithmetic)
        {
            return Ok(Arc::clone(&known.planned));
        }
        let planned = Arc::new(planned(prepared, is_changed, names)?);
        if planned.plan.holds_rows() {
            return Ok(planned);
        }
        let mut all = self.plans.lock();
        if all.len() >= PLANS_MAX {
            all.clear();
        }
        all.insert(key, Known { edition, arithmetic: prepared.arithmetic, planned: Arc::clone(&planned) });
        Ok(planned)
    }
}

fn planned(prepared: &Prepared, is_changed: bool, names: &Catalogue) -> Result<Planned, Trouble> {
    let setting =
        Setting { catalogue: names, arithmetic: prepared.arithmetic, variables: &registers::variable };
    let read = db2_syntax::prepare(&Letters::plain(&prepared.text), &setting);
    let db2_syntax::Prepared { statement, markers } =
        read.map_err(|refusal| unreadable(&prepared.text, &refusal))?;
    let columns = match &statement {
        Statement::Query(query) => query.outputs.clone(),
        _ => Vec::new(),
    };
    Ok(Planned { plan: plans::plan(statement, names, is_changed)?, markers, columns })
}
