//! Scripts of Db2's statements, each run once for a region's tables.

use std::sync::Arc;

use db2::package::{Action, Spot, Statement as Source, Text};
use db2::{DynamicKind, Letters, Mistake};
use db2_values::Timestamp;
use records::{Recovery, StoreId, UnitOfWork};
use thiserror::Error;

use super::codes::Trouble;
use super::tables::OwnTables;
use super::task::OwnThread;
use crate::registers::constant;

/// The store with the names of scripts that have run.
const SCRIPTS: &str = "db2 scripts";

/// The reason why a script has not run. Nothing of it is left.
#[derive(Debug, Error)]
pub enum CannotRun {
    /// A statement of it is wrong, fails, or is not built.
    #[error("line {line}: {why}")]
    Refused {
        /// The line where it begins.
        line: u32,
        /// The reason.
        why: String,
    },
    /// The engine fails.
    #[error(transparent)]
    Engine(#[from] records::Error),
}

impl OwnTables {
    /// Runs a script, as a whole or not at all, unless one of its name has run before. Returns true if it has run now.
    ///
    /// # Errors
    /// See [`CannotRun`].
    pub async fn run_script(
        self: &Arc<Self>,
        name: &str,
        text: &str,
        now: Timestamp,
    ) -> Result<bool, CannotRun> {
        let store = self.scripts().await?;
        let owner = self.engine.locks().new_owner();
        let mut unit = self.engine.begin(owner);
        if unit.get(store, name.as_bytes(), &mut Vec::new()).await? {
            return Ok(false);
        }
        let mut thread = OwnThread::new(self, owner);
        thread.run_statements(text, now, &mut *unit).await?;
        unit.put(store, name.as_bytes(), b"").await?;
        unit.commit().await?;
        thread.committed();
        Ok(true)
    }

    async fn scripts(&self) -> records::Result<StoreId> {
        if let Some(store) = self.engine.find(SCRIPTS) {
            return Ok(store);
        }
        let mut unit = self.engine.begin(self.engine.locks().new_owner());
        let store = unit.create_store(SCRIPTS, Recovery::Recoverable)?;
        unit.commit().await?;
        Ok(store)
    }
}

impl OwnThread {
    async fn run_statements(
        &mut self,
        text: &str,
        now: Timestamp,
        unit: &mut dyn UnitOfWork,
    ) -> Result<(), CannotRun> {
        let mistaken = |at: Spot, mistake: &Mistake| CannotRun::Refused {
            line: at.line.max(mistake.spot.line),
            why: mistake.message.clone(),
        };
        let pieces = db2::split(text).map_err(|mistake| mistaken(Spot::default(), &mistake))?;
        for piece in pieces {
            let words = match step(&piece.letters).map_err(|mistake| mistaken(piece.at, &mistake))? {
                Step::Run(words) => words,
                Step::Schema(schema) => {
                    self.current_schema = schema;
                    continue;
                }
                Step::Nothing => continue,
            };
            if let Err(trouble) = self.run_text(&words, &nothing(), now, unit).await {
                let why = in_words(trouble);
                return Err(CannotRun::Refused { line: piece.at.line, why });
            }
        }
        Ok(())
    }
}

/// The request of a statement of a script.
pub(super) enum Step {
    /// These words are run.
    Run(String),
    /// Names without a schema are those of this one from now on; `None`: of those at the beginning.
    Schema(Option<String>),
    /// Nothing to be done: places of data, rights, COMMIT of a script that commits as a whole.
    Nothing,
}

/// A statement of a script.
///
/// # Errors
/// It is none.
pub(super) fn step(letters: &Letters) -> Result<Step, Mistake> {
    const QUALIFIERS: [&str; 3] = ["SQLID", "SCHEMA", "CURRENT_SCHEMA"];
    if let Some(definitions) = db2::definition(letters)? {
        return Ok(if definitions.is_empty() { Step::Nothing } else { Step::Run(db2::one_line(letters)) });
    }
    let read = db2::dynamic(letters, db2::Arithmetic::default())?;
    Ok(match read.kind {
        DynamicKind::Action { action: Action::SetRegister { name }, .. }
            if QUALIFIERS.contains(&name.as_str()) =>
        {
            Step::Schema(constant(&read.text.sql).map(|name| name.trim().to_owned()))
        }
        DynamicKind::Action {
            action: Action::Commit | Action::Connection | Action::Grant | Action::SetRegister { .. },
            ..
        } => Step::Nothing,
        _ => Step::Run(db2::one_line(letters)),
    })
}

/// A statement without host variables.
pub(super) fn nothing() -> Source {
    Source {
        action: Action::ExecuteImmediate,
        sql: Text::default(),
        inputs: Vec::new(),
        targets: Vec::new(),
        isolation: None,
        has_effects: true,
        at: Spot::default(),
        text: String::new(),
    }
}

fn in_words(trouble: Trouble) -> String {
    match trouble.seen(sql::codes::Scope::Unit) {
        Ok((sqlca, _)) => format!("SQLCODE {}: {}", sqlca.code, sqlca.message()),
        Err(unreachable) => unreachable.to_string(),
    }
}
