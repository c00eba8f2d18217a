//! CREATE TABLE, CREATE INDEX, DROP TABLE, DROP INDEX; the words of LOCK TABLE.

use db2::package::Statement as Source;
use db2::{Arithmetic, Kind, Letters, Token};
use db2_rows::NewIndex;
use db2_run::tables::{index, key_index, table};
use db2_syntax::tree::{CreateIndex, CreateTable, Statement};
use db2_syntax::{Catalogue, OnDelete};
use records::UnitOfWork;
use sql::codes::Sqlca;
use tokio::task::yield_now;

use super::codes::{Trouble, coded, not_built};
use super::plans;
use super::steps::tried;
use super::task::OwnThread;

/// A definition.
pub(super) enum Definition {
    Table(CreateTable),
    Index(CreateIndex),
    DropTable(String),
    DropIndex(String),
}

/// Reads a definition; `None`: it is another statement.
pub(super) fn read(text: &str, source: &Source, names: &Catalogue) -> Result<Option<Definition>, Trouble> {
    let tokens = words(text);
    if let Some(dropped) = dropped(&tokens) {
        return Ok(Some(dropped));
    }
    if !tokens.first().is_some_and(|first| is(first, "CREATE")) {
        return Ok(None);
    }
    Ok(match plans::read(text, source, Arithmetic::default(), names)? {
        Statement::CreateTable(create) => Some(Definition::Table(create)),
        Statement::CreateIndex(create) => Some(Definition::Index(create)),
        _ => None,
    })
}

/// Returns true if a text begins as definitions do.
pub(super) fn may_be_definition(text: &str) -> bool {
    words(text).first().is_some_and(|first| is(first, "CREATE") || is(first, "DROP"))
}

fn words(text: &str) -> Vec<Token> {
    let mut tokens = db2::lex(&Letters::plain(text)).unwrap_or_default();
    tokens.pop_if(|last| last.text == ";");
    tokens
}

fn is(token: &Token, word: &str) -> bool {
    token.kind == Kind::Word && token.text.eq_ignore_ascii_case(word)
}

/// DROP TABLE or DROP INDEX of one name.
fn dropped(tokens: &[Token]) -> Option<Definition> {
    let (first, rest) = tokens.split_first().filter(|(first, _)| is(first, "DROP"))?;
    let _ = first;
    let (what, name) = rest.split_first()?;
    let (name, rest) = qualified(name)?;
    if !rest.is_empty() {
        return None;
    }
    match () {
        () if is(what, "TABLE") => Some(Definition::DropTable(name)),
        () if is(what, "INDEX") => Some(Definition::DropIndex(name)),
        () => None,
    }
}

/// The table of LOCK TABLE, and true if it is locked for one alone; `None`: these are other words.
pub(super) fn locked(text: &str) -> Option<(String, bool)> {
    let tokens = words(text);
    let (lock, rest) = tokens.split_at_checked(2)?;
    if !(is(&lock[0], "LOCK") && is(&lock[1], "TABLE")) {
        return None;
    }
    let (name, rest) = qualified(rest)?;
    match rest {
        [first, mode, last] if is(first, "IN") && is(last, "MODE") => {
            let is_exclusive = is(mode, "EXCLUSIVE");
            (is_exclusive || is(mode, "SHARE")).then_some((name, is_exclusive))
        }
        _ => None,
    }
}

/// A name, perhaps with its schema before it, and what is behind it. All tables are in one schema.
fn qualified(tokens: &[Token]) -> Option<(String, &[Token])> {
    let (first, rest) = tokens.split_first()?;
    match rest {
        [point, name, rest @ ..] if point.text == "." => Some((name_of(name)?, rest)),
        rest => Some((name_of(first)?, rest)),
    }
}

fn name_of(token: &Token) -> Option<String> {
    match token.kind {
        Kind::Word => Some(token.text.to_uppercase()),
        Kind::Delimited => Some(token.text.trim_matches('"').replace("\"\"", "\"")),
        _ => None,
    }
}

/// Words through which a condition may be false of NULL though it was not so before. All others make of NULL at most the unknown.
const OF_NULL: &[&str] =
    &["IS", "CASE", "COALESCE", "DECODE", "DISTINCT", "IFNULL", "NULLIF", "NVL", "NVL2", "VALUE"];

/// ON DELETE SET NULL does not test the checks of its rows: refuses a table with one that it could break.
fn refuse_untested(create: &CreateTable) -> Result<(), Trouble> {
    let columns = &create.table.columns;
    let of_nulls = create.table.references.iter().filter(|one| one.on_delete == OnDelete::SetNull);
    let nulls: Vec<_> = of_nulls
        .flat_map(|one| &one.columns)
        .filter_map(|at| columns.get(*at))
        .filter(|column| column.is_nullable)
        .map(|column| column.name.as_str())
        .collect();
    for check in &create.table.checks {
        let words = words(&check.text);
        let names_column = words.iter().filter_map(name_of).any(|name| nulls.contains(&name.as_str()));
        if names_column && words.iter().any(|word| OF_NULL.iter().any(|of_null| is(word, of_null))) {
            return Err(not_built("CHECK FOR NULL OF A COLUMN THAT ON DELETE SET NULL CHANGES"));
        }
    }
    Ok(())
}

impl OwnThread {
    /// Waits until no other task changes definitions: what they say is read behind that.
    pub(super) async fn begin_defining(&mut self, unit: &mut dyn UnitOfWork) -> Result<(), Trouble> {
        tried(&mut self.work, unit, |work, _| work.begin_defining()).await
    }

    /// Carries a definition out, as a whole or not at all.
    pub(super) async fn define(
        &mut self,
        definition: Definition,
        unit: &mut dyn UnitOfWork,
    ) -> Result<Sqlca, Trouble> {
        self.work.begin_statement();
        let defined = match self.carry_out(definition, unit).await {
            Ok(()) => tried(&mut self.work, unit, |work, unit| work.end_statement(unit)).await,
            Err(trouble) => Err(trouble),
        };
        if let Err(trouble) = defined {
            self.work.undo_statement(unit)?;
            return Err(trouble);
        }
        Ok(Sqlca::default())
    }

    async fn carry_out(&mut self, definition: Definition, unit: &mut dyn UnitOfWork) -> Result<(), Trouble> {
        let schema = self.tables.rules.schema.clone();
        match definition {
            Definition::Table(create) => {
                self.refuse_elsewhere(&create.table.name)?;
                refuse_untested(&create)?;
                self.renew_parents(&create, unit).await?;
                let new = table(&create, &schema);
                tried(&mut self.work, unit, |work, unit| work.create_table(unit, new.clone())).await?;
                let key = key_index(&create, &schema, &format!("{}_KEY", create.table.name));
                if let Some(key) = key {
                    self.fill(key, unit).await?;
                }
                Ok(())
            }
            Definition::Index(create) => self.fill(index(&create, &schema), unit).await,
            Definition::DropTable(name) => {
                let names = self.tables.names(&self.work.catalogue());
                if names.children(&name).iter().any(|(child, _)| child.name != name) {
                    return Err(not_built("DROP TABLE of a table that foreign keys name"));
                }
                let name = self.tables.name(&name);
                tried(&mut self.work, unit, |work, unit| work.drop_table(unit, &name)).await
            }
            Definition::DropIndex(name) => {
                let name = self.tables.name(&name);
                tried(&mut self.work, unit, |work, unit| work.drop_index(unit, &name)).await
            }
        }
    }

    /// Changes of its parents must not miss a new table.
    async fn renew_parents(
        &mut self,
        create: &CreateTable,
        unit: &mut dyn UnitOfWork,
    ) -> Result<(), Trouble> {
        let parents = create.table.references.iter().map(|reference| &reference.parent);
        for parent in parents.filter(|parent| **parent != create.table.name) {
            let name = self.tables.name(parent);
            tried(&mut self.work, unit, |work, unit| work.renew_table(unit, &name)).await?;
        }
        Ok(())
    }

    /// Statements find tables by their names alone, so that no two schemas may have one of a name.
    fn refuse_elsewhere(&self, name: &str) -> Result<(), Trouble> {
        match self.work.catalogue().tables().any(|table| table.name.name == name) {
            true => Err(coded(-601).token(name).token("TABLE").into()),
            false => Ok(()),
        }
    }

    /// Makes an index, and fills it.
    async fn fill(&mut self, new: NewIndex, unit: &mut dyn UnitOfWork) -> Result<(), Trouble> {
        let work = &mut self.work;
        let mut building = tried(work, unit, |work, unit| work.create_index(unit, new.clone())).await?;
        while tried(work, unit, |work, unit| building.go_on(work, unit)).await?.is_none() {
            yield_now().await;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_lock_table() {
        let locked = |text: &str| locked(text).map(|(name, is_exclusive)| format!("{name} {is_exclusive}"));
        assert_eq!(locked("LOCK TABLE bank.acct IN EXCLUSIVE MODE").as_deref(), Some("ACCT true"));
        assert_eq!(locked("LOCK TABLE ACCT IN SHARE MODE;").as_deref(), Some("ACCT false"));
        assert_eq!(locked("LOCK TABLE ACCT PARTITION 3 IN SHARE MODE"), None);
    }
}
