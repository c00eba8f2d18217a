//! Instructions of single requests, for `valgrind --tool=cachegrind`: run with a number of rounds and with none, the difference counts.
//!
//! ```text
//! valgrind --tool=cachegrind target/release/examples/row_costs KIND ROUNDS
//! ```
//!
//! Kinds: `engine` two reads of the engine by their keys; `uncommitted`, `stable`, `update` a row by its key, with UR, CS, for update in
//! a unit of work of its own; `cursor` a row of a cursor by an index; `insert` and `change` a row with two indexes, in units of a hundred.

use std::sync::Arc;

use db2_rows::{
    Column, Cursor, Isolation, KeyColumn, Name, NewIndex, NewTable, Path, Range, Stop, Table, Tables, Tried,
    Unique, ValueForm, Wish, Work,
};
use db2_values::{Order, Type, Value, key, row};
use records::{Engine, Limits, Local, UnitOfWork};

/// Rows of the table.
const ROWS: i64 = 10_000;
const KINDS: [Type; 4] =
    [Type::Integer, Type::Char(20), Type::Decimal { precision: 11, scale: 2 }, Type::VarChar(40)];

fn new_row(id: i64) -> Vec<u8> {
    let owner = Value::Text(format!("{:<20}", format!("OWNER {}", id % 100)).into_bytes());
    let amount = Value::Decimal(db2_values::Decimal { unscaled: i128::from(id) * 100, scale: 2 });
    row::encode(&[Value::Whole(id), owner, amount, Value::Text(b"of the first branch".to_vec())], &KINDS)
}

fn key_of(id: i64) -> Vec<u8> {
    let mut out = Vec::new();
    key::append(&mut out, &Value::Whole(id), Type::Integer, false, Order::default());
    out
}

/// Makes a request, which waits for the disk at most.
async fn ask<T>(
    work: &mut Work,
    unit: &mut dyn UnitOfWork,
    mut request: impl FnMut(&mut Work, &mut dyn UnitOfWork) -> Tried<T>,
) -> Tried<T> {
    loop {
        match request(work, unit) {
            Err(Stop::Later) => work.wait(unit).await?,
            outcome => return outcome,
        }
    }
}

async fn made(engine: &Arc<Local>, tables: &Arc<Tables>) -> Tried<Arc<Table>> {
    let owner = engine.locks().new_owner();
    let (mut work, mut unit) = (tables.work(owner), engine.begin(owner));
    let column = |at: usize| Column {
        name: format!("C{at}"),
        kind: KINDS[at].into(),
        is_nullable: at > 0,
        default: None,
        identity: None,
    };
    let name = Name::new("BANK", "ACCT");
    let new =
        NewTable { name: name.clone(), columns: (0..KINDS.len()).map(column).collect(), checks: Vec::new() };
    ask(&mut work, &mut *unit, |work, unit| work.create_table(unit, new.clone())).await?;
    for (at, unique) in [(0, Unique::Yes), (1, Unique::No)] {
        let key = vec![KeyColumn { column: at, is_descending: false }];
        let called = Name::new("BANK", &format!("X{at}"));
        let new = NewIndex { table: name.clone(), name: called, key, unique, is_primary: false };
        let mut building =
            ask(&mut work, &mut *unit, |work, unit| work.create_index(unit, new.clone())).await?;
        while ask(&mut work, &mut *unit, |work, unit| building.go_on(work, unit)).await?.is_none() {}
    }
    unit.commit().await?;
    work.committed();
    let table = tables.catalogue().table(&name).cloned();
    let table = table.ok_or(Stop::Later)?;
    for from in (0..ROWS).step_by(1_000) {
        let mut unit = engine.begin(owner);
        for id in from..from + 1_000 {
            ask(&mut work, &mut *unit, |work, unit| work.insert(unit, &table, &new_row(id))).await?;
        }
        unit.commit().await?;
        work.committed();
    }
    engine.checkpoint()?;
    Ok(table)
}

async fn measure(
    engine: &Arc<Local>,
    tables: &Arc<Tables>,
    table: &Arc<Table>,
    kind: &str,
    rounds: i64,
) -> Tried<()> {
    let owner = engine.locks().new_owner();
    let (mut work, mut unit) = (tables.work(owner), engine.begin(owner));
    let mut row = Vec::new();
    let (index, wish) = (table.indexes[0].id, |isolation| Wish::reads(isolation));
    let keys: Vec<_> = (0..ROWS).map(key_of).collect();
    let mut cursor = None;
    for round in 0..rounds {
        let id = round * 7_919 % ROWS;
        let by = (index, &*keys[id as usize]);
        match kind {
            "engine" => {
                unit.get(index.0, by.1, &mut row).await?;
                let rid = row.clone();
                unit.get(table.id.0, &rid, &mut row).await?;
            }
            "uncommitted" | "stable" => {
                let wish =
                    wish(if kind == "stable" { Isolation::CursorStability } else { Isolation::Uncommitted });
                ask(&mut work, &mut *unit, |work, unit| work.row_by_key(unit, table, by, wish, &mut row))
                    .await?;
            }
            "cursor" => {
                let wish = wish(Isolation::CursorStability);
                let path = Path::Index(table.indexes[1].id);
                if cursor.is_none() {
                    cursor = Some(Cursor::open(table, path, Range::all(), wish)?);
                }
                let Some(open) = &mut cursor else { continue };
                if !ask(&mut work, &mut *unit, |work, unit| Ok(open.next(work, unit)?.is_some())).await? {
                    cursor = None;
                }
            }
            _ => {
                let wish = Wish::updates(Isolation::CursorStability);
                let rid =
                    ask(&mut work, &mut *unit, |work, unit| work.row_by_key(unit, table, by, wish, &mut row))
                        .await?;
                let changed = new_row(if kind == "insert" { ROWS + round } else { id });
                work.begin_statement();
                match (kind, rid) {
                    ("insert", _) => drop(
                        ask(&mut work, &mut *unit, |work, unit| work.insert(unit, table, &changed)).await?,
                    ),
                    ("change", Some(rid)) => {
                        ask(&mut work, &mut *unit, |work, unit| work.update(unit, table, rid, &changed))
                            .await?;
                    }
                    _ => {}
                }
                work.end_statement(&mut *unit)?;
                if round % 100 == 99 {
                    std::mem::replace(&mut unit, engine.begin(owner)).commit_unforced().await?;
                    work.committed();
                }
            }
        }
    }
    Ok(())
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let kind = arguments.next().unwrap_or_else(|| "stable".into());
    let rounds = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(10_000);
    let folder = tempfile::tempdir().expect("a folder");
    let limits = Limits { base_bytes: 256 << 20, ..Limits::default() };
    let engine = Local::open(folder.path(), limits).expect("an engine");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let measured: Tried<()> = runtime.block_on(async {
        let form = Arc::new(ValueForm::new(Order::default()));
        let tables = Tables::open(engine.clone(), form).await?;
        let table = made(&engine, &tables).await?;
        measure(&engine, &tables, &table, &kind, rounds).await
    });
    measured.expect("measured");
}
