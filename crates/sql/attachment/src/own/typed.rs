//! Statements without host variables, as a person types them and scripts hold them: their rows are values with names.

use std::sync::Arc;

use db2::package::Change;
use db2::{Arithmetic, DynamicKind, Letters};
use db2_run::{Limits, Run};
use db2_syntax::tree;
use db2_values::{Timestamp, Value, text_of};
use records::UnitOfWork;
use sql::codes::{Scope, Sqlca};

use super::codes::{Trouble, not_built, unreadable};
use super::script::{Step, nothing, step};
use super::steps::Statement;
use super::task::OwnThread;
use super::{define, plans};

/// The outcome of a statement.
pub enum Came {
    /// A query has begun: its rows are to be fetched.
    Query(Box<TextQuery>),
    /// So many rows were changed.
    Changed(Change, u64),
    /// A definition, LOCK TABLE and the like.
    Ran,
    /// There is nothing to be done for it here.
    Accepted,
    /// COMMIT, which the caller does.
    Commit,
    /// ROLLBACK, which the caller does.
    Rollback,
}

/// A statement was refused. It has left nothing behind.
pub struct Refused {
    /// The code.
    pub sqlca: Box<Sqlca>,
    /// True if the whole unit of work is to be backed out, too.
    pub backs_out: bool,
}

impl From<Trouble> for Refused {
    fn from(trouble: Trouble) -> Self {
        // Such a statement names no storage of a program.
        let (sqlca, backs_out) =
            trouble.seen(Scope::Unit).unwrap_or_else(|_| (Sqlca::error(-901, b"58004"), false));
        Self { sqlca: Box::new(sqlca), backs_out }
    }
}

/// A query whose rows are fetched.
pub struct TextQuery {
    statement: Statement,
    columns: Vec<TextColumn>,
}

/// A column of results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextColumn {
    /// Its name; blank where it has none.
    pub name: String,
    /// True if it holds numbers.
    pub is_number: bool,
}

impl TextQuery {
    /// The columns of its rows.
    pub fn columns(&self) -> &[TextColumn] {
        &self.columns
    }

    /// The next rows, at most so many; fewer at the end. A value is a text as Db2 writes it, `None` is NULL.
    ///
    /// # Errors
    /// The query fails, and is over.
    pub async fn rows(
        &mut self,
        thread: &mut OwnThread,
        unit: &mut dyn UnitOfWork,
        most: usize,
    ) -> Result<Vec<Vec<Option<String>>>, Refused> {
        let mut rows = Vec::new();
        while rows.len() < most && self.statement.next(&mut thread.work, unit).await? {
            let run = &self.statement.run;
            let shown = |value: &Value| (!value.is_null()).then(|| text_of(value, run.setting()));
            rows.push(run.row().iter().map(shown).collect());
        }
        Ok(rows)
    }

    /// Ends it before its end.
    ///
    /// # Errors
    /// The engine fails.
    pub async fn close(mut self, thread: &mut OwnThread, unit: &mut dyn UnitOfWork) -> Result<(), Refused> {
        Ok(self.statement.close(&mut thread.work, unit).await?)
    }
}

impl OwnThread {
    /// Runs a statement; of a query the rows are still to be fetched.
    ///
    /// # Errors
    /// It is refused: the unit of work goes on, unless `backs_out` says otherwise.
    pub async fn run_letters(
        &mut self,
        letters: &Letters,
        now: Timestamp,
        unit: &mut dyn UnitOfWork,
    ) -> Result<Came, Refused> {
        use db2::package::Action;
        let text = db2::one_line(letters);
        if let Ok(Step::Schema(schema)) = step(letters) {
            self.current_schema = schema;
            return Ok(Came::Accepted);
        }
        if define::locked(&text).is_some() {
            self.lock(&text, self.schema_at_run_time(), unit).await?;
            return Ok(Came::Ran);
        }
        if define::may_be_definition(&text) || db2::definition(letters).is_ok_and(|found| found.is_some()) {
            return self.defined(letters, &text, now, unit).await;
        }
        match db2::dynamic(letters, Arithmetic::default()).map(|read| read.kind) {
            Ok(DynamicKind::Action { action: Action::Commit, .. }) => return Ok(Came::Commit),
            Ok(DynamicKind::Action { action: Action::Rollback, .. }) => return Ok(Came::Rollback),
            Ok(DynamicKind::Action {
                action: Action::Connection | Action::Grant | Action::SetRegister { .. },
                ..
            }) => return Ok(Came::Accepted),
            _ => {}
        }
        let catalogue = self.work.catalogue();
        let names = self.names_at_run_time();
        let tree = plans::read(&text, &nothing(), Arithmetic::default(), &names)?;
        let kind = kind_of(&tree).ok_or_else(|| not_built("THIS STATEMENT OUTSIDE OF A PROGRAM"))?;
        let plan = plans::plan(tree, &names, false)?;
        if plan.cursor().is_some() {
            return Err(Trouble::from(Sqlca::error(-507, b"24501")).into());
        }
        let tables = self.tables_of(&plan, &catalogue)?;
        let run = Run::new(Arc::clone(&plan), Vec::new(), self.tables.setting(now), Limits::default());
        let mut statement = Statement { plan, run, tables, isolation: db2_rows::Isolation::CursorStability };
        match kind {
            Kind::Query(names) => {
                let kinds = statement.plan.outputs();
                let columns = names
                    .into_iter()
                    .zip(kinds)
                    .map(|(name, kind)| TextColumn { name, is_number: kind.is_number() });
                let columns = columns.collect();
                Ok(Came::Query(Box::new(TextQuery { statement, columns })))
            }
            Kind::Change(change) => {
                while statement.next(&mut self.work, unit).await? {}
                Ok(Came::Changed(change, statement.run.count()))
            }
        }
    }

    /// The plan of a statement in words; nothing is run.
    ///
    /// # Errors
    /// It is refused.
    pub fn explained(&self, letters: &Letters) -> Result<String, Refused> {
        let text = db2::one_line(letters);
        let names = self.names_at_run_time();
        let tree = plans::read(&text, &nothing(), Arithmetic::default(), &names)?;
        Ok(plans::plan(tree, &names, false)?.in_words())
    }

    async fn defined(
        &mut self,
        letters: &Letters,
        text: &str,
        now: Timestamp,
        unit: &mut dyn UnitOfWork,
    ) -> Result<Came, Refused> {
        let texts = db2::definition(letters);
        let texts = texts.map_err(|mistake| Trouble::from(unreadable(text, &mistake.into())))?;
        if texts.is_some_and(|texts| texts.is_empty()) {
            return Ok(Came::Accepted);
        }
        self.run_text(text, &nothing(), now, unit).await?;
        Ok(Came::Ran)
    }
}

enum Kind {
    /// The names of its columns.
    Query(Vec<String>),
    Change(Change),
}

fn kind_of(tree: &tree::Statement) -> Option<Kind> {
    match tree {
        tree::Statement::Query(query) | tree::Statement::Cursor(tree::Cursor { query, .. }) => {
            let names = query.outputs.iter().map(|output| output.name.clone().unwrap_or_default());
            Some(Kind::Query(names.collect()))
        }
        tree::Statement::Insert(_) => Some(Kind::Change(Change::InsertValues)),
        tree::Statement::Update(_) => Some(Kind::Change(Change::Update)),
        tree::Statement::Delete(_) => Some(Kind::Change(Change::Delete)),
        tree::Statement::Merge(_) => Some(Kind::Change(Change::Merge)),
        _ => None,
    }
}
