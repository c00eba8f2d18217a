//! CREATE, ALTER and DROP of tables, indexes, views, aliases and sequences; the words of LOCK TABLE.

use db2::package::Statement as Source;
use db2::{Arithmetic, Kind, Letters, Token};
use db2_rows::{Name, NewIndex};
use db2_run::tables::{identity, index, key_index, name_of as name_of_table, sequence, table, view_bytes};
use db2_syntax::tree::{CreateIndex, CreateSequence, CreateTable, Statement};
use db2_syntax::{Catalogue, OnDelete, Table, View, ViewQuery, full_name};
use db2_values::Timestamp;
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
    View(View),
    Sequence(CreateSequence),
    Alter(Table),
    Truncate(Named),
    DropTable(Named),
    DropIndex(Named),
    /// A view, or an alias: true.
    DropView(Named, bool),
    DropSequence(Named),
    /// A schema, which is there as soon as something is in it; a remark, which is not kept.
    Nothing,
}

/// The surroundings of a definition.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    /// The tables that it may name.
    pub(super) names: &'a Catalogue,
    pub(super) now: Timestamp,
}

/// A name as a statement says it.
#[derive(Debug)]
pub(super) struct Named {
    /// The schema before it, if there is one.
    pub(super) schema: Option<String>,
    pub(super) name: String,
}

impl Named {
    /// The full name of what is meant.
    ///
    /// # Errors
    /// -204: there is none.
    pub(super) fn full(&self, names: &Catalogue, is_meant: impl Fn(&str) -> bool) -> Result<String, Trouble> {
        let schemas = names.schemas_of(self.schema.as_deref()).into_iter();
        let found = schemas.map(|schema| full_name(schema, &self.name)).find(|full| is_meant(full));
        found.ok_or_else(|| coded(-204).token(&self.name).into())
    }
}

/// Reads a definition; `None`: it is another statement.
pub(super) fn read(text: &str, source: &Source, names: &Catalogue) -> Result<Option<Definition>, Trouble> {
    let tokens = words(text);
    if let Some(dropped) = dropped(&tokens) {
        return Ok(Some(dropped));
    }
    let is_two = |one, other| {
        tokens.first().is_some_and(|first| is(first, one))
            && tokens.get(1).is_some_and(|next| is(next, other))
    };
    if is_two("CREATE", "SCHEMA")
        || is_two("COMMENT", "ON")
        || tokens.first().is_some_and(|first| is(first, "LABEL"))
    {
        return Ok(Some(Definition::Nothing));
    }
    if let Some(named) = truncated(&tokens) {
        return Ok(Some(Definition::Truncate(named)));
    }
    if !tokens.first().is_some_and(|first| is(first, "CREATE") || is(first, "ALTER")) {
        return Ok(None);
    }
    Ok(match plans::read(text, source, Arithmetic::default(), names)? {
        Statement::CreateTable(create) => Some(Definition::Table(create)),
        Statement::CreateIndex(create) => Some(Definition::Index(create)),
        Statement::CreateView(view) => Some(Definition::View(view)),
        Statement::CreateSequence(create) => Some(Definition::Sequence(create)),
        Statement::AlterTable(table) => Some(Definition::Alter(table)),
        _ => None,
    })
}

/// Returns true if a text begins as definitions do.
pub(super) fn may_be_definition(text: &str) -> bool {
    const VERBS: [&str; 6] = ["CREATE", "ALTER", "DROP", "TRUNCATE", "COMMENT", "LABEL"];
    words(text).first().is_some_and(|first| VERBS.iter().any(|verb| is(first, verb)))
}

fn words(text: &str) -> Vec<Token> {
    let mut tokens = db2::lex(&Letters::plain(text)).unwrap_or_default();
    tokens.pop_if(|last| last.text == ";");
    tokens
}

fn is(token: &Token, word: &str) -> bool {
    token.kind == Kind::Word && token.text.eq_ignore_ascii_case(word)
}

/// DROP of one name.
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
        () if is(what, "VIEW") => Some(Definition::DropView(name, false)),
        () if is(what, "ALIAS") || is(what, "SYNONYM") => Some(Definition::DropView(name, true)),
        () if is(what, "SEQUENCE") => Some(Definition::DropSequence(name)),
        () => None,
    }
}

/// The table of TRUNCATE. Nothing here depends on the words behind it.
fn truncated(tokens: &[Token]) -> Option<Named> {
    const BEHIND: [&str; 9] =
        ["DROP", "REUSE", "STORAGE", "IGNORE", "RESTRICT", "WHEN", "DELETE", "TRIGGERS", "IMMEDIATE"];
    let (_, rest) = tokens.split_first().filter(|(first, _)| is(first, "TRUNCATE"))?;
    let rest = if rest.first().is_some_and(|first| is(first, "TABLE")) { &rest[1..] } else { rest };
    let (named, rest) = qualified(rest)?;
    rest.iter().all(|word| BEHIND.iter().any(|behind| is(word, behind))).then_some(named)
}

/// The table of LOCK TABLE, and true if it is locked for one alone; `None`: these are other words.
pub(super) fn locked(text: &str) -> Option<(Named, bool)> {
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

/// A name, perhaps with its schema before it, and what is behind it.
fn qualified(tokens: &[Token]) -> Option<(Named, &[Token])> {
    let (first, rest) = tokens.split_first()?;
    let first = name_of(first)?;
    match rest {
        [point, name, rest @ ..] if point.text == "." => {
            Some((Named { schema: Some(first), name: name_of(name)? }, rest))
        }
        rest => Some((Named { schema: None, name: first }, rest)),
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
        around: Around<'_>,
        unit: &mut dyn UnitOfWork,
    ) -> Result<Sqlca, Trouble> {
        self.work.begin_statement();
        let defined = match self.carry_out(definition, around, unit).await {
            Ok(()) => tried(&mut self.work, unit, |work, unit| work.end_statement(unit)).await,
            Err(trouble) => Err(trouble),
        };
        if let Err(trouble) = defined {
            self.work.undo_statement(unit)?;
            return Err(trouble);
        }
        Ok(Sqlca::default())
    }

    async fn carry_out(
        &mut self,
        definition: Definition,
        Around { names, now }: Around<'_>,
        unit: &mut dyn UnitOfWork,
    ) -> Result<(), Trouble> {
        match definition {
            Definition::Table(create) => {
                refuse_untested(&create)?;
                self.renew_parents(&create, unit).await?;
                let mut new = table(&create);
                if let Some(numbers) = &create.numbers {
                    let numbers = identity(&new.name, numbers);
                    let id =
                        tried(&mut self.work, unit, |work, unit| work.create_sequence(unit, numbers.clone()))
                            .await?;
                    let of = create.table.columns.iter().zip(&mut new.columns);
                    of.filter(|(column, _)| column.generated.is_some())
                        .for_each(|(_, new)| new.identity = Some(id));
                }
                tried(&mut self.work, unit, |work, unit| work.create_table(unit, new.clone())).await?;
                let key = key_index(&create, &format!("{}_PKEY", create.table.own_name()));
                if let Some(key) = key {
                    self.fill(key, unit).await?;
                }
                Ok(())
            }
            Definition::Index(create) => self.fill(index(&create), unit).await,
            Definition::Sequence(create) => {
                let new = sequence(&create, &self.tables.rules.schema);
                tried(&mut self.work, unit, |work, unit| work.create_sequence(unit, new.clone())).await?;
                Ok(())
            }
            Definition::DropSequence(named) => {
                let name = Name::new(&self.tables.rules.schema, &named.name);
                tried(&mut self.work, unit, |work, unit| work.drop_sequence(unit, &name)).await
            }
            Definition::DropTable(named) => {
                let full = named.full(names, |full| names.table(full).is_some())?;
                if names.children(&full).iter().any(|(child, _)| child.name != full) {
                    return Err(not_built("DROP TABLE of a table that foreign keys name"));
                }
                self.drop_views_over(&full, unit).await?;
                let name = name_of_table(&full);
                self.drop_identity(&name, unit).await?;
                tried(&mut self.work, unit, |work, unit| work.drop_table(unit, &name)).await
            }
            Definition::View(create) => {
                let (View::Query(ViewQuery { name, .. }) | View::Alias { name, .. }) = &create;
                let bytes = view_bytes(&create).ok_or_else(|| coded(-101))?;
                let name = name_of_table(name);
                tried(&mut self.work, unit, |work, unit| work.create_view(unit, &name, &bytes)).await?;
                Ok(())
            }
            Definition::DropView(named, is_alias) => {
                let is_meant = |full: &str| match names.view(full) {
                    Some(View::Alias { .. }) => is_alias,
                    Some(View::Query(_)) => !is_alias,
                    None => false,
                };
                let full = named.full(names, is_meant)?;
                self.drop_views_over(&full, unit).await?;
                self.drop_view(&full, unit).await
            }
            Definition::Alter(new) => {
                let create = CreateTable { table: new, numbers: None };
                refuse_untested(&create)?;
                self.renew_parents(&create, unit).await?;
                self.alter(names, &create.table, now, unit).await
            }
            Definition::Truncate(named) => {
                let full = named.full(names, |full| names.table(full).is_some())?;
                self.truncate(&full, now, unit).await
            }
            Definition::Nothing => Ok(()),
            Definition::DropIndex(named) => {
                let name = self.index_of(&named, names).ok_or_else(|| coded(-204).token(&named.name))?;
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
            let name = name_of_table(parent);
            tried(&mut self.work, unit, |work, unit| work.renew_table(unit, &name)).await?;
        }
        Ok(())
    }

    /// The sequence of a table's identity column goes with the table.
    async fn drop_identity(&mut self, table: &Name, unit: &mut dyn UnitOfWork) -> Result<(), Trouble> {
        let catalogue = self.work.catalogue();
        let Some(table) = catalogue.table(table) else { return Ok(()) };
        let id = table.columns.iter().find_map(|column| column.identity);
        let Some(sequence) = catalogue.sequences().find(|sequence| Some(sequence.id) == id) else {
            return Ok(());
        };
        tried(&mut self.work, unit, |work, unit| work.drop_sequence(unit, &sequence.name)).await
    }

    /// Views go with the table or the view below them.
    async fn drop_views_over(&mut self, below: &str, unit: &mut dyn UnitOfWork) -> Result<(), Trouble> {
        let names = self.tables.names(&self.work.catalogue());
        for view in names.views() {
            if let View::Query(ViewQuery { name, uses, .. }) = view
                && uses.iter().any(|used| used == below)
            {
                self.drop_view(name, unit).await?;
            }
        }
        Ok(())
    }

    async fn drop_view(&mut self, full: &str, unit: &mut dyn UnitOfWork) -> Result<(), Trouble> {
        let name = name_of_table(full);
        tried(&mut self.work, unit, |work, unit| work.drop_view(unit, &name)).await
    }

    /// The index that a name means.
    fn index_of(&self, named: &Named, names: &Catalogue) -> Option<Name> {
        let catalogue = self.work.catalogue();
        let schemas = names.schemas_of(named.schema.as_deref()).into_iter();
        let mut indexes = schemas.map(|schema| Name::new(schema, &named.name));
        indexes.find(|name| catalogue.table_of_index(name).is_some())
    }

    /// Makes an index, and fills it.
    pub(super) async fn fill(&mut self, new: NewIndex, unit: &mut dyn UnitOfWork) -> Result<(), Trouble> {
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
        let locked = |text: &str| {
            locked(text).map(|(Named { schema, name }, is_exclusive)| {
                format!("{}/{name} {is_exclusive}", schema.unwrap_or_default())
            })
        };
        assert_eq!(locked("LOCK TABLE bank.acct IN EXCLUSIVE MODE").as_deref(), Some("BANK/ACCT true"));
        assert_eq!(locked("LOCK TABLE ACCT IN SHARE MODE;").as_deref(), Some("/ACCT false"));
        assert_eq!(locked("LOCK TABLE ACCT PARTITION 3 IN SHARE MODE"), None);
    }
}
