//! The tables of a region as statements see them: names, plans, the rules of waiting.

use std::sync::Arc;

use db2_rows::{Catalogue, Stop, Tables, ValueForm};
use db2_run::tables::{described, sequence_kind, view};
use db2_syntax::tree::CreateTable;
use db2_values::{Order, Setting, Timestamp};
use foldhash::HashSet;
use parking_lot::Mutex;
use records::{Engine, Owner, Wait};

use super::plans::Plans;
use super::prepared::Dynamic;

/// Rules of a region's tables.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The order of characters. It is for all tables, and stays.
    pub order: Order,
    /// The schema of what is made, and the first in which names without one are looked for.
    pub schema: String,
    /// Others in which they are looked for, one behind the other.
    pub further: Vec<String>,
    /// The time that a statement waits for what others have locked.
    pub patience: Wait,
}

/// The tables of a region. They lie in its record engine.
pub struct OwnTables {
    pub(super) tables: Arc<Tables>,
    pub(super) engine: Arc<dyn Engine>,
    pub(super) rules: Rules,
    pub(super) plans: Plans,
    pub(super) dynamic: Dynamic,
    /// The packages whose statements were looked at.
    pub(super) looked_at: Mutex<HashSet<u64>>,
    names: Mutex<Option<(u64, Arc<db2_syntax::Catalogue>)>>,
}

impl OwnTables {
    /// Opens the tables of an engine; a new one has none.
    ///
    /// # Errors
    /// In words: other processes share the engine, its tables have another order of characters, or the engine fails.
    pub async fn open(engine: Arc<dyn Engine>, rules: Rules) -> Result<Arc<Self>, String> {
        let form = Arc::new(ValueForm::new(rules.order));
        let tables = Tables::open(Arc::clone(&engine), form).await.map_err(|stop| in_words(&stop))?;
        Ok(Arc::new(Self {
            tables,
            engine,
            rules,
            plans: Plans::default(),
            dynamic: Dynamic::default(),
            looked_at: Mutex::default(),
            names: Mutex::default(),
        }))
    }

    /// A task's part of the tables.
    pub(super) fn work(&self, owner: Owner) -> db2_rows::Work {
        let mut work = self.tables.work(owner);
        work.set_patience(self.rules.patience);
        work
    }

    /// The tables that statements may name, as a unit of work sees them.
    pub(super) fn names(&self, catalogue: &Catalogue) -> Arc<db2_syntax::Catalogue> {
        let mut known = self.names.lock();
        if let Some((edition, names)) = &*known
            && *edition == catalogue.edition()
        {
            return Arc::clone(names);
        }
        let schemas = std::iter::once(&self.rules.schema).chain(&self.rules.further).cloned();
        let mut names = db2_syntax::Catalogue::of_schemas(schemas);
        for table in catalogue.tables().filter_map(|table| described(table)) {
            names.create_table(CreateTable { table, numbers: None });
        }
        for sequence in catalogue.sequences() {
            if let Some(kind) = sequence_kind(sequence) {
                names.add_sequence(&sequence.name.name, kind);
            }
        }
        for view in catalogue.views().filter_map(|defined| view(defined)) {
            names.create_view(view);
        }
        let names = Arc::new(names);
        *known = Some((catalogue.edition(), Arc::clone(&names)));
        names
    }

    /// The surroundings of a statement at a time.
    pub(super) fn setting(&self, now: Timestamp) -> Setting {
        Setting { order: self.rules.order, ..Setting::at(now) }
    }
}

/// A stop as people read it.
pub(super) fn in_words(stop: &Stop) -> String {
    match stop {
        Stop::Later => String::from("it waits"),
        Stop::Failed(failure) => format!("SQLCODE {} {}", failure.code, failure.tokens.join(" ")),
        Stop::Engine(error) => error.to_string(),
    }
}
