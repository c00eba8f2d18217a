//! CREATE of tables, indexes, views and aliases; ALTER TABLE.

mod constraint;
mod sequence;
mod view;

use crate::catalogue::{Column, DefaultValue, Index, Numbers, Table};
use crate::context::Context;
use crate::full_name::full_name;
use crate::kind;
use crate::reader::Name;
use crate::refusal::Refusal;
use crate::tree::{CreateIndex, CreateTable, Statement};
use db2::Kind;
use db2_values::Type;

use constraint::Rules;

/// Reads CREATE, behind that word.
pub(crate) fn create(context: &mut Context<'_>) -> Result<Statement, Refusal> {
    if context.reader.take("TABLE") {
        return table(context).map(Statement::CreateTable);
    }
    if context.reader.take("SEQUENCE") {
        return sequence::sequence(context).map(Statement::CreateSequence);
    }
    if context.reader.take("VIEW") {
        return view::view(context).map(Statement::CreateView);
    }
    if context.reader.take("ALIAS")
        || context.reader.take("SYNONYM")
        || context.reader.take_all(&["PUBLIC", "ALIAS"])
    {
        return view::alias(context).map(Statement::CreateView);
    }
    context.reader.take_all(&["TYPE", "2"]);
    let is_unique = context.reader.take("UNIQUE");
    if context.reader.take_all(&["WHERE", "NOT", "NULL"]) {
        return Err(context.reader.not_built("UNIQUE WHERE NOT NULL"));
    }
    if context.reader.take("INDEX") {
        return index(context, is_unique).map(Statement::CreateIndex);
    }
    let what =
        context.reader.peek(0).map_or(String::new(), |token| format!("CREATE {}", token.text.to_uppercase()));
    Err(context.reader.not_built(&what))
}

fn table(context: &mut Context<'_>) -> Result<CreateTable, Refusal> {
    let (schema, name) = context.reader.qualified("a table")?;
    let full = full_name(context.catalogue().schema_of_new(schema.as_deref()), &name.text);
    context.refuse_taken(&full, &name)?;
    if context.reader.is_any(&["LIKE", "AS"]) {
        return Err(context.reader.not_built("CREATE TABLE LIKE or AS"));
    }
    let mut table = Table { name: full, ..Table::default() };
    let mut numbers = None;
    let mut rules = Rules::default();
    context.reader.want("(")?;
    loop {
        element(context, &mut table, (&mut rules, &mut numbers))?;
        if !context.reader.take(",") {
            break;
        }
    }
    context.reader.want(")")?;
    clauses(context, OF_TABLES)?;
    if table.columns.is_empty() {
        return Err(context.reader.unexpected("a column"));
    }
    // They may name columns that follow them, and the table itself.
    rules.end(context, &mut table)?;
    Ok(CreateTable { table, numbers })
}

/// Reads ALTER TABLE, behind these words: the table as it is to be.
pub(crate) fn alter(context: &mut Context<'_>) -> Result<Table, Refusal> {
    let before = context.table()?;
    let mut table = before.clone();
    let mut rules = Rules::default();
    loop {
        let spot = context.reader.spot();
        let is_rule = context.reader.is_any(&["CONSTRAINT", "PRIMARY", "FOREIGN", "CHECK"]);
        if context.reader.take("ADD") || is_rule {
            context.reader.take("COLUMN");
            let mut numbers = None;
            element(context, &mut table, (&mut rules, &mut numbers))?;
            if numbers.is_some() {
                return Err(context.reader.not_built("ADD of an identity column"));
            }
        } else if context.reader.take("DROP") {
            drop_constraint(context, &mut table)?;
        } else {
            clauses(context, OF_TABLES)?;
        }
        if context.reader.spot() == spot || context.reader.end().is_ok() || context.reader.is(";") {
            break;
        }
        context.reader.take(",");
    }
    let mut new = table.columns.iter().skip(before.columns.len());
    if let Some(column) = new.find(|column| column.default.is_none()) {
        let message = format!("{} needs a default: the rows that are there have none", column.name);
        return Err(Refusal::code(-193, context.reader.spot(), message).help("add WITH DEFAULT"));
    }
    rules.end(context, &mut table)?;
    Ok(table)
}

/// The constraint that DROP names, behind that word.
fn drop_constraint(context: &mut Context<'_>, table: &mut Table) -> Result<(), Refusal> {
    let is_any = context.reader.take("CONSTRAINT");
    let is_check = !is_any && context.reader.take("CHECK");
    let is_reference = !is_any && !is_check && context.reader.take_all(&["FOREIGN", "KEY"]);
    if !(is_any || is_check || is_reference) {
        let what = if context.reader.is("PRIMARY") { "DROP PRIMARY KEY" } else { "DROP of a column" };
        return Err(context.reader.not_built(what));
    }
    let name = context.reader.name("a constraint")?;
    let before = (table.checks.len(), table.references.len());
    table.checks.retain(|check| is_reference || check.name != name.text);
    table.references.retain(|reference| is_check || reference.name != name.text);
    match before == (table.checks.len(), table.references.len()) {
        true => Err(Refusal::code(-204, name.spot, format!("there is no constraint {}", name.text))),
        false => Ok(()),
    }
}

/// A column, or a constraint of the table.
fn element(
    context: &mut Context<'_>,
    table: &mut Table,
    (rules, numbers): (&mut Rules, &mut Option<Numbers>),
) -> Result<(), Refusal> {
    let name = constraint::name(context)?;
    if context.reader.take_all(&["PRIMARY", "KEY"]) {
        return primary_key(context, table);
    }
    let is_constraint = ["UNIQUE", "PERIOD"].iter().find(|word| {
        let behind = ["(", "KEY", "SYSTEM_TIME", "BUSINESS_TIME"];
        context.reader.is(word) && behind.iter().any(|next| context.reader.is_ahead(1, next))
    });
    if let Some(word) = is_constraint {
        return Err(context.reader.not_built(word));
    }
    if rules.read(context, name, None)? {
        return Ok(());
    }
    column(context, table, (rules, numbers))
}

fn primary_key(context: &mut Context<'_>, table: &mut Table) -> Result<(), Refusal> {
    let spot = context.reader.spot();
    if !table.key.is_empty() {
        return Err(Refusal::code(-624, spot, "the table has a primary key already"));
    }
    context.reader.want("(")?;
    loop {
        let name = context.reader.name("a column")?;
        let Some(number) = table.column(&name.text) else {
            return Err(Refusal::code(-205, name.spot, format!("{} is no column of the table", name.text)));
        };
        add_to_key(table, number, name.spot)?;
        if !context.reader.take(",") {
            break;
        }
    }
    context.reader.want(")")
}

fn add_to_key(table: &mut Table, number: usize, spot: db2::package::Spot) -> Result<(), Refusal> {
    let column = &table.columns[number];
    if column.is_nullable {
        let message = format!("{} can be NULL, so it is no part of a primary key", column.name);
        return Err(Refusal::code(-542, spot, message).help("add NOT NULL"));
    }
    if table.key.contains(&number) {
        return Err(Refusal::code(-537, spot, format!("{} stands twice in the key", column.name)));
    }
    table.key.push(number);
    Ok(())
}

fn column(
    context: &mut Context<'_>,
    table: &mut Table,
    (rules, numbers): (&mut Rules, &mut Option<Numbers>),
) -> Result<(), Refusal> {
    let name = context.reader.name("a column")?;
    if table.column(&name.text).is_some() {
        return Err(Refusal::code(-612, name.spot, format!("{} is named twice", name.text)));
    }
    let kind = kind::kind(context)?;
    let (mut is_nullable, mut default, mut is_key, mut generated) = (true, None, false, None);
    while context.reader.peek(0).is_some() && !context.reader.is_any(&[",", ")", ";", "ADD"]) {
        if context.reader.take_all(&["NOT", "NULL"]) {
            is_nullable = false;
        } else if context.reader.take_all(&["WITH", "DEFAULT"]) || context.reader.take("DEFAULT") {
            default = Some(default_of(context, kind)?);
        } else if context.reader.take_all(&["PRIMARY", "KEY"]) {
            is_key = true;
        } else if context.reader.is("GENERATED") {
            let spot = context.reader.spot();
            context.reader.next();
            let (way, of_it) = sequence::identity(context, kind)?;
            if numbers.replace(of_it).is_some() {
                return Err(Refusal::code(-372, spot, "the table has an identity column already"));
            }
            generated = Some(way);
        } else if context.reader.take_all(&["FOR", "SBCS", "DATA"]) {
        } else if !column_rule(context, &name, rules)? {
            const KNOWN: [&str; 4] = ["UNIQUE", "FOR", "FIELDPROC", "IMPLICITLY"];
            let known = KNOWN.iter().find(|word| context.reader.is(word));
            return Err(match known {
                Some(word) => context.reader.not_built(word),
                None => context.reader.unexpected("an option of the column"),
            });
        }
    }
    if default == Some(DefaultValue::Null) && !is_nullable {
        return Err(Refusal::code(
            -574,
            name.spot,
            format!("{} cannot be NULL, and NULL is its default", name.text),
        ));
    }
    if generated.is_some() && default.is_some() {
        return Err(Refusal::code(-373, name.spot, "an identity column has no default"));
    }
    // An identity column is never NULL.
    is_nullable &= generated.is_none();
    let default = default.or(is_nullable.then_some(DefaultValue::Null));
    let default = default.or(generated.map(|_| DefaultValue::OfType));
    table.columns.push(Column { name: name.text, kind, is_nullable, default, generated });
    if is_key {
        if !table.key.is_empty() {
            return Err(Refusal::code(-624, name.spot, "the table has a primary key already"));
        }
        add_to_key(table, table.columns.len() - 1, name.spot)?;
    }
    Ok(())
}

/// A rule behind a column, perhaps with a name. Returns false if none stands here.
fn column_rule(context: &mut Context<'_>, column: &Name, rules: &mut Rules) -> Result<bool, Refusal> {
    let mark = context.reader.mark();
    let name = constraint::name(context)?;
    if rules.read(context, name.clone(), Some(column))? {
        return Ok(true);
    }
    if name.is_some() && !context.reader.is("PRIMARY") {
        context.reader.go(mark);
        return Err(context.reader.not_built("CONSTRAINT"));
    }
    Ok(name.is_some())
}

/// Reads the value behind DEFAULT.
fn default_of(context: &mut Context<'_>, kind: Type) -> Result<DefaultValue, Refusal> {
    if context.reader.take("NULL") {
        return Ok(DefaultValue::Null);
    }
    // The type's own default is the time of the statement.
    let now = match kind {
        Type::Date => ["DATE", "CURRENT_DATE"],
        Type::Time => ["TIME", "CURRENT_TIME"],
        _ => ["TIMESTAMP", "CURRENT_TIMESTAMP"],
    };
    let is_now = context.reader.take(now[1]) || context.reader.take_all(&["CURRENT", now[0]]);
    if is_now && kind.is_datetime() {
        return Ok(DefaultValue::OfType);
    }
    if context.reader.is_any(&["CURRENT", "USER", "CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"])
        || is_now
    {
        return Err(context.reader.not_built("a special register as a default"));
    }
    let sign = if context.reader.take("-") { "-" } else { "" };
    match context.reader.peek(0).cloned() {
        Some(token) if token.kind == Kind::Number || (token.kind == Kind::Text && sign.is_empty()) => {
            context.reader.next();
            Ok(DefaultValue::Constant(format!("{sign}{}", token.text)))
        }
        Some(token) if token.kind == Kind::Prefixed => Err(context.reader.not_built("bytes as a default")),
        _ if !sign.is_empty() => Err(context.reader.unexpected("a number")),
        _ => Ok(DefaultValue::OfType),
    }
}

fn index(context: &mut Context<'_>, is_unique: bool) -> Result<CreateIndex, Refusal> {
    let (schema, name) = context.reader.qualified("an index")?;
    context.reader.want("ON")?;
    let table = context.table()?;
    if table.indexes.iter().any(|other| other.name == name.text) {
        return Err(Refusal::code(-601, name.spot, format!("there is an index {}", name.text)));
    }
    let mut columns = Vec::new();
    context.reader.want("(")?;
    loop {
        if context.reader.is_ahead(1, "(") {
            return Err(context.reader.not_built("an index on an expression"));
        }
        let (number, column) = context.changed_column(table)?;
        if columns.iter().any(|(other, _)| *other == number) {
            return Err(Refusal::code(
                -537,
                column.spot,
                format!("{} stands twice in the index", column.text),
            ));
        }
        let is_descending = context.reader.take("DESC");
        if !is_descending {
            context.reader.take("ASC");
        }
        columns.push((number, is_descending));
        if !context.reader.take(",") {
            break;
        }
    }
    context.reader.want(")")?;
    clauses(context, OF_INDEXES)?;
    let schema = context.catalogue().schema_of_new(schema.as_deref()).to_owned();
    let index = Index { name: name.text, columns, is_unique };
    Ok(CreateIndex { table: table.name.clone(), schema, index })
}

/// Words of a clause about where and how data lie, and how many words follow them: they mean nothing here.
type Clause = (&'static [&'static str], usize);

const OF_TABLES: &[Clause] = &[
    (&["IN", "DATABASE"], 1),
    (&["IN"], 1),
    (&["CCSID"], 1),
    (&["AUDIT"], 1),
    (&["DATA", "CAPTURE"], 1),
    (&["WITH", "RESTRICT", "ON", "DROP"], 0),
    (&["NOT", "VOLATILE"], 0),
    (&["VOLATILE"], 0),
    (&["APPEND"], 1),
];

const OF_INDEXES: &[Clause] = &[
    (&["USING", "STOGROUP"], 1),
    (&["USING", "VCAT"], 1),
    (&["NOT", "CLUSTER"], 0),
    (&["CLUSTER"], 0),
    (&["NOT", "PADDED"], 0),
    (&["PADDED"], 0),
    (&["PRIQTY"], 1),
    (&["SECQTY"], 1),
    (&["ERASE"], 1),
    (&["FREEPAGE"], 1),
    (&["PCTFREE"], 1),
    (&["GBPCACHE"], 1),
    (&["BUFFERPOOL"], 1),
    (&["CLOSE"], 1),
    (&["DEFER"], 1),
    (&["DEFINE"], 1),
    (&["COPY"], 1),
    (&["PIECESIZE"], 2),
    (&["COMPRESS"], 1),
];

/// Passes clauses over; another one is refused by its name.
fn clauses(context: &mut Context<'_>, known: &[Clause]) -> Result<(), Refusal> {
    while let Some(token) = context.reader.peek(0).filter(|token| token.kind == Kind::Word).cloned() {
        let Some((_, arguments)) = known.iter().find(|(words, _)| context.reader.take_all(words)) else {
            return Err(context.reader.not_built(&token.text.to_uppercase()));
        };
        for _ in 0..*arguments {
            if context.reader.next().is_none() {
                return Err(context.reader.unexpected("the end of this clause"));
            }
        }
        while context.reader.take(".") {
            context.reader.name("a name")?;
        }
    }
    Ok(())
}
