//! Rows of Db2's values: what they are when they come back, and in which order.

use std::sync::Arc;

use db2_rows::{
    Column, Cursor, Isolation, KeyColumn, NewIndex, NewTable, Path, Range, Stop, Table, Tables, Unique,
    ValueForm, Wish,
};
use db2_values::{Decimal, Order, Type, Value, key, row};
use records::sim::Machine;

use crate::common::{Region, Task, limits, name, ready};

const KINDS: [Type; 2] = [Type::VarChar(10), Type::Decimal { precision: 5, scale: 2 }];

fn text(text: &str) -> Value {
    Value::Text(text.as_bytes().to_vec())
}

fn amount(unscaled: i128) -> Value {
    Value::Decimal(Decimal { unscaled, scale: 2 })
}

/// A table (NAME not null, AMOUNT) with an index over both, NAME up and AMOUNT down.
fn table(order: Order) -> (Region, Task, Arc<Table>) {
    let machine = Machine::new(1, limits());
    let running = machine.start().expect("an engine");
    let tables =
        ready(Tables::open(running.engine.clone(), Arc::new(ValueForm::new(order)))).expect("tables");
    let region = Region { machine, running, tables };
    let mut task = region.task();
    let column = |(called, kind): (&str, Type)| Column {
        name: called.into(),
        kind: kind.into(),
        is_nullable: called == "AMOUNT",
        default: None,
        identity: None,
    };
    let columns: Vec<_> = ["NAME", "AMOUNT"].into_iter().zip(KINDS).map(column).collect();
    let new = NewTable { name: name("T"), columns, checks: Vec::new() };
    task.now(|work, unit| work.create_table(unit, new.clone()));
    let key = [(0, false), (1, true)].map(|(column, is_descending)| KeyColumn { column, is_descending });
    let unique = Unique::Yes;
    let table = task.build(NewIndex {
        table: name("T"),
        name: name("X"),
        key: key.to_vec(),
        unique,
        is_primary: false,
    });
    (region, task, table)
}

fn all(task: &mut Task, table: &Arc<Table>, range: Range) -> Vec<Vec<Value>> {
    let wish = Wish::reads(Isolation::CursorStability);
    let mut cursor = Cursor::open(table, Path::Index(table.indexes[0].id), range, wish).expect("a cursor");
    let mut rows = Vec::new();
    while let Some(row) = task.now(|work, unit| Ok(cursor.next(work, unit)?.map(|row| row.bytes.to_vec()))) {
        let mut values = Vec::new();
        row::decode(&row, &KINDS, &mut values).expect("a row");
        rows.push(values);
    }
    rows
}

#[test]
fn rows_come_in_the_order_of_their_values_with_blanks_that_do_not_count() {
    let (_region, mut task, table) = table(Order::default());
    let rows = [
        [text("B"), amount(-5)],
        [text("A "), amount(100)],
        [text("A"), amount(250)],
        [text("A"), Value::Null],
    ];
    for new in &rows {
        task.now(|work, unit| work.insert(unit, &table, &row::encode(new, &KINDS)));
    }
    // NULL is the greatest, so it comes first where the order goes down.
    let expected = [3, 2, 1, 0].map(|at| rows[at].to_vec());
    assert_eq!(all(&mut task, &table, Range::all()), expected);
    let mut beginning = Vec::new();
    key::append(&mut beginning, &text("A  "), KINDS[0], false, Order::default());
    assert_eq!(all(&mut task, &table, Range::of(&beginning)), expected[..3]);
    let double = row::encode(&[text("A   "), amount(250)], &KINDS);
    let refused = task.statement(|task| task.tries(|work, unit| work.insert(unit, &table, &double)));
    assert!(matches!(refused, Err(Stop::Failed(failure)) if failure.code == -803));
}

#[test]
fn null_and_bytes_that_are_no_row_are_refused() {
    let (_region, mut task, table) = table(Order::default());
    let without_name = row::encode(&[Value::Null, amount(1)], &KINDS);
    assert_eq!(task.fails(|work, unit| work.insert(unit, &table, &without_name)), (-407, "NAME".into()));
    let short = row::encode(&[text("A"), amount(1)], &KINDS);
    let malformed = task.tries(|work, unit| work.insert(unit, &table, &short[..short.len() - 1]));
    assert!(matches!(malformed, Err(Stop::Engine(records::Error::Corrupt(_)))));
}

#[test]
fn characters_are_in_the_order_of_a_code_page_if_the_form_says_so() {
    for (order, expected) in
        [(Order::default(), ["1", "A", "a"]), (Order::of(ebcdic::CodePage::Ibm037), ["a", "A", "1"])]
    {
        let (_region, mut task, table) = table(order);
        for name in ["A", "1", "a"] {
            task.now(|work, unit| {
                work.insert(unit, &table, &row::encode(&[text(name), Value::Null], &KINDS))
            });
        }
        let names: Vec<_> =
            all(&mut task, &table, Range::all()).into_iter().map(|row| row[0].clone()).collect();
        assert_eq!(names, expected.map(text));
    }
}

#[test]
fn tables_are_not_opened_with_another_order_than_that_of_their_indexes() {
    let (region, _, _) = table(Order::default());
    let open = |order| {
        let form = Arc::new(ValueForm::new(order));
        ready(Tables::open(region.running.engine.clone(), form)).map(drop)
    };
    assert_eq!(open(Order::default()), Ok(()));
    let refused = open(Order::of(ebcdic::CodePage::Ibm037));
    assert!(matches!(refused, Err(Stop::Engine(records::Error::Unsupported(_)))), "{refused:?}");
}
