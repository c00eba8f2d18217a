//! DESCRIBE, and PREPARE INTO: what a statement gives or takes, into an SQLDA.

use std::rc::Rc;

use db2::DynamicKind;
use db2::package::DescribeWhat;
use sql::codes::Sqlca;
use sql::oid::{self, Oid};
use sql::{Column, Described, Isolation, Leaves, Statement};

use super::call::Call;
use crate::arguments::{Arguments, Inputs};
use crate::prepared::Dynamic;
use crate::sqlda::{Item, Sqlda, Type};
use crate::thread::Thread;
use crate::trouble::Trouble;

/// The first number of a type that is not PostgreSQL's own.
const FIRST_USER_TYPE: Oid = 16_384;

pub(super) async fn describe(
    thread: &mut Thread,
    call: Call<'_>,
    inputs: &Inputs,
    (what, into): (&DescribeWhat, u16),
    arguments: &mut dyn Arguments,
) -> Result<Sqlca, Trouble> {
    let sqlda = Sqlda::read(into, arguments)?;
    let items = match what {
        DescribeWhat::Output(name) => output(thread, &*named(thread, call, name)?).await?,
        DescribeWhat::Input(name) => markers(thread, &*named(thread, call, name)?).await?,
        DescribeWhat::Cursor(cursor) => {
            let open = thread.cursors.get(&(call.level, call.token, *cursor));
            let described = Rc::clone(open.ok_or_else(|| Sqlca::error(-501, b"24501"))?.described());
            columns(thread, &described, true).await?
        }
        DescribeWhat::Table => {
            let table = inputs.text(0).unwrap_or_default();
            let all = Dynamic::new(&[b"SELECT * FROM ", table].concat(), &thread.registers)?;
            output(thread, &all).await?
        }
    };
    sqlda.fill(&items, arguments)
}

fn named(thread: &Thread, call: Call<'_>, name: &str) -> Result<Rc<Dynamic>, Trouble> {
    let prepared = thread.prepared.get(&(call.token, name.to_owned())).cloned();
    Ok(prepared.ok_or_else(|| Sqlca::error(-516, b"26501").token(name))?)
}

/// The columns of a prepared statement; one that is no query has none.
pub(super) async fn output(thread: &mut Thread, prepared: &Dynamic) -> Result<Vec<Item>, Trouble> {
    if !matches!(prepared.read.kind, DynamicKind::Query { .. }) {
        return Ok(Vec::new());
    }
    let described = thread.described(&prepared.statement).await?;
    columns(thread, &described, has_outer_join(&prepared.read.text.sql)).await
}

/// The markers of a prepared statement: each may be NULL.
async fn markers(thread: &mut Thread, prepared: &Dynamic) -> Result<Vec<Item>, Trouble> {
    if prepared.read.text.sql.is_empty() {
        return Ok(Vec::new());
    }
    let described = thread.described(&prepared.statement).await?;
    let columns: Vec<Column> =
        prepared.statement.open_parameters(&described).iter().map(|oid| Column::plain(*oid)).collect();
    items(thread, &columns, true).await
}

/// Columns; `nullable`: a column of a table may be NULL in the result though it never is in its table.
async fn columns(thread: &mut Thread, described: &Described, nullable: bool) -> Result<Vec<Item>, Trouble> {
    let columns = described.columns.iter().filter(|column| column.name != sql::PLACE);
    items(thread, &columns.cloned().collect::<Vec<_>>(), nullable).await
}

async fn items(thread: &mut Thread, columns: &[Column], nullable: bool) -> Result<Vec<Item>, Trouble> {
    let origins = origins(thread, columns).await?;
    let item = |(column, origin): (&Column, Origin)| {
        let oid = if column.oid >= FIRST_USER_TYPE { oid::BPCHAR } else { column.oid };
        Item {
            // An expression has no name.
            name: if column.name == "?column?" { String::new() } else { column.name.clone() },
            kind: Type::of(oid, column.modifier, origin.varchar),
            is_nullable: nullable || !origin.is_filled,
        }
    };
    Ok(columns.iter().zip(origins).map(item).collect())
}

/// The catalogue's facts about a column of a table.
#[derive(Clone, Copy, Default)]
struct Origin {
    /// The length of a VARCHAR of Db2's.
    varchar: Option<i32>,
    /// NOT NULL.
    is_filled: bool,
}

/// Asks the catalogue: PostgreSQL describes a domain as its base type.
async fn origins(thread: &mut Thread, columns: &[Column]) -> Result<Vec<Origin>, Trouble> {
    let mut origins = vec![Origin::default(); columns.len()];
    let rows: Vec<String> = columns
        .iter()
        .enumerate()
        .filter(|(_, column)| column.table != 0 || column.oid >= FIRST_USER_TYPE)
        .map(|(at, Column { table, number, oid, .. })| format!("({at}, {table}::oid, {number}, {oid}::oid)"))
        .collect();
    if rows.is_empty() {
        return Ok(origins);
    }
    let text = format!(
        "SELECT k.at, CASE WHEN n.nspname = 'db2' AND t.typname LIKE 'varchar\\_%' THEN substr(t.typname, 9)::int END, \
         coalesce(a.attnotnull, false) OR t.typnotnull \
         FROM (VALUES {}) AS k (at, tab, col, typ) \
         LEFT JOIN pg_attribute a ON a.attrelid = k.tab AND a.attnum = k.col \
         JOIN pg_type t ON t.oid = coalesce(a.atttypid, k.typ) JOIN pg_namespace n ON n.oid = t.typnamespace",
        rows.join(", ")
    );
    let ask = Statement::new(text, &[]);
    let answer = thread.run(&ask, &[], 0, Isolation::Committed, Leaves::Nothing).await?;
    for row in answer.part(0).rows {
        let mut values = answer.rows.row(row);
        let mut number =
            || values.next().flatten().and_then(|bytes| Some(i32::from_be_bytes(bytes.try_into().ok()?)));
        let (at, varchar) = (number(), number());
        let is_filled = values.next().flatten() == Some(&[1]);
        let origin = at.and_then(|at| origins.get_mut(usize::try_from(at).ok()?));
        if let Some(origin) = origin {
            *origin = Origin { varchar, is_filled };
        }
    }
    Ok(origins)
}

/// Returns true if a query may join rows that are not there.
fn has_outer_join(text: &str) -> bool {
    let upper = text.to_uppercase();
    let mut words = upper.split(|character: char| !character.is_alphanumeric());
    words.any(|word| matches!(word, "LEFT" | "RIGHT" | "FULL"))
}
