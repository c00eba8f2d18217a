//! Rules of tables: CHECK and FOREIGN KEY.

use db2::Kind;
use db2::package::Spot;

use crate::catalogue::{Check, OnDelete, Reference, Table};
use crate::context::{Columns, Context, Made};
use crate::full_name::full_name;
use crate::query;
use crate::reader::Name;
use crate::refusal::Refusal;

/// Rules while the columns of their table are read.
#[derive(Default)]
pub(super) struct Rules {
    /// Their names, and the places of the conditions and behind them.
    checks: Vec<(Option<Name>, usize, usize)>,
    references: Vec<Referring>,
}

/// A foreign key whose columns may be to come.
struct Referring {
    name: Option<Name>,
    columns: Vec<Name>,
    /// Its schema; `None`: no word says it.
    schema: Option<String>,
    parent: Name,
    /// Columns of the parent; none: its primary key.
    keys: Vec<Name>,
    on_delete: OnDelete,
    spot: Spot,
}

/// Reads the name of a constraint.
pub(super) fn name(context: &mut Context<'_>) -> Result<Option<Name>, Refusal> {
    if context.reader.take("CONSTRAINT") { context.reader.name("a constraint").map(Some) } else { Ok(None) }
}

impl Rules {
    /// Reads a rule, behind a column or by itself. Returns false if none stands here.
    pub(super) fn read(
        &mut self,
        context: &mut Context<'_>,
        name: Option<Name>,
        column: Option<&Name>,
    ) -> Result<bool, Refusal> {
        if context.reader.is("CHECK") && context.reader.is_ahead(1, "(") {
            context.reader.want("CHECK")?;
            let begin = context.reader.mark() + 1;
            context.reader.over_parentheses()?;
            self.checks.push((name, begin, context.reader.mark() - 1));
            return Ok(true);
        }
        let spot = context.reader.spot();
        let (columns, name) = match column {
            Some(column) if context.reader.is("REFERENCES") => (vec![column.clone()], name),
            None if context.reader.take_all(&["FOREIGN", "KEY"]) => {
                let name =
                    if context.reader.is("(") { name } else { Some(context.reader.name("a constraint")?) };
                (context.reader.names()?, name)
            }
            _ => return Ok(false),
        };
        context.reader.want("REFERENCES")?;
        let (schema, parent) = context.reader.qualified("a table")?;
        let keys = if context.reader.is("(") { context.reader.names()? } else { Vec::new() };
        let on_delete = on_delete(context)?;
        self.references.push(Referring { name, columns, schema, parent, keys, on_delete, spot });
        Ok(true)
    }

    /// Gives them to the table, whose columns are all there now.
    pub(super) fn end(self, context: &mut Context<'_>, table: &mut Table) -> Result<(), Refusal> {
        for (name, begin, end) in self.checks {
            let number = table.checks.len() + 1;
            let name = name.map_or_else(|| format!("CHECK{number}"), |name| name.text);
            let check = Check { name, text: context.reader.text(begin, end) };
            is_right(context, table, begin, end)?;
            table.checks.push(check);
        }
        for referring in self.references {
            let reference = referring.resolved(context, table)?;
            table.references.push(reference);
        }
        Ok(())
    }
}

/// Reads ON DELETE, and words that mean what is done anyway.
fn on_delete(context: &mut Context<'_>) -> Result<OnDelete, Refusal> {
    let mut rule = OnDelete::Restrict;
    loop {
        if context.reader.take_all(&["ON", "DELETE"]) {
            rule = match () {
                () if context.reader.take("RESTRICT") => OnDelete::Restrict,
                () if context.reader.take_all(&["NO", "ACTION"]) => OnDelete::Restrict,
                () if context.reader.take("CASCADE") => OnDelete::Cascade,
                () if context.reader.take_all(&["SET", "NULL"]) => OnDelete::SetNull,
                () => return Err(context.reader.unexpected("RESTRICT, NO ACTION, CASCADE or SET NULL")),
            };
        } else if context.reader.take("ENFORCED")
            || context.reader.take_all(&["ENABLE", "QUERY", "OPTIMIZATION"])
            || context.reader.take_all(&["ON", "UPDATE", "NO", "ACTION"])
            || context.reader.take_all(&["ON", "UPDATE", "RESTRICT"])
        {
        } else if context.reader.take_all(&["NOT", "ENFORCED"]) {
            return Err(context.reader.not_built("NOT ENFORCED"));
        } else {
            return Ok(rule);
        }
    }
}

/// -546 unless a condition is one of a row alone.
fn is_right(context: &mut Context<'_>, table: &Table, begin: usize, end: usize) -> Result<(), Refusal> {
    const FOREIGN: [&str; 8] =
        ["SELECT", "EXISTS", "CURRENT", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "USER", "NEXT"];
    let is_foreign = |token: &&db2::Token| {
        matches!(token.kind, Kind::Host | Kind::Marker)
            || (token.kind == Kind::Word && FOREIGN.iter().any(|word| token.text.eq_ignore_ascii_case(word)))
    };
    if let Some(token) = context.reader.between(begin, end).iter().find(is_foreign) {
        let message = format!("{} is no part of a condition of a row alone", token.text);
        return Err(Refusal::code(-546, token.spot, message));
    }
    let columns = table.columns.iter().map(|column| Made {
        name: column.name.clone(),
        kind: column.kind,
        is_nullable: column.is_nullable,
    });
    let behind = context.reader.mark();
    context.open();
    let name = Name { text: table.own_name().to_owned(), spot: context.reader.spot() };
    context.add_source(name, Columns::Made(columns.collect()), false)?;
    context.reader.go(begin);
    query::condition(context)?;
    if context.reader.mark() != end {
        return Err(context.reader.unexpected(")"));
    }
    context.reader.go(behind);
    context.close();
    Ok(())
}

impl Referring {
    /// The table that it names: perhaps the one that is made.
    fn parent_of<'t, 's: 't>(
        &self,
        context: &mut Context<'s>,
        table: &'t Table,
    ) -> Result<&'t Table, Refusal> {
        let schema = self.schema.as_deref();
        let is_itself = full_name(context.catalogue().schema_of_new(schema), &self.parent.text) == table.name;
        if is_itself { Ok(table) } else { context.table_of(schema, &self.parent) }
    }

    /// The foreign key with the numbers of its columns.
    fn resolved(self, context: &mut Context<'_>, table: &Table) -> Result<Reference, Refusal> {
        let parent = self.parent_of(context, table)?;
        let mut columns = Vec::new();
        for name in &self.columns {
            let missing =
                || Refusal::code(-205, name.spot, format!("{} is no column of the table", name.text));
            columns.push(table.column(&name.text).ok_or_else(missing)?);
        }
        let keys: Option<Vec<usize>> = self.keys.iter().map(|name| parent.column(&name.text)).collect();
        let is_key = !parent.key.is_empty() && (self.keys.is_empty() || keys.as_ref() == Some(&parent.key));
        if !is_key {
            let message = format!("these columns are not the primary key of {}", parent.own_name());
            return Err(Refusal::code(-573, self.parent.spot, message));
        }
        let kinds = |table: &Table, columns: &[usize]| -> Vec<_> {
            columns.iter().map(|column| table.columns[*column].kind).collect()
        };
        if kinds(table, &columns) != kinds(parent, &parent.key) {
            let message = format!("the columns are not of the types of the key of {}", parent.own_name());
            return Err(Refusal::code(-538, self.spot, message));
        }
        if self.on_delete == OnDelete::SetNull
            && !columns.iter().any(|column| table.columns[*column].is_nullable)
        {
            return Err(Refusal::code(-629, self.spot, "none of the columns can be NULL"));
        }
        let name = self.name.or(self.columns.into_iter().next()).map(|name| name.text).unwrap_or_default();
        Ok(Reference { name, columns, parent: parent.name.clone(), on_delete: self.on_delete })
    }
}
