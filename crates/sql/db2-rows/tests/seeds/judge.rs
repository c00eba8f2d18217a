//! The judge: what a restart finds is what the ledger says, in every order, and the ledger has what was acknowledged.

use std::collections::{BTreeMap, BTreeSet};

use db2_rows::{Isolation, Path, Range, Table, Wish};
use records::{Batch, Direction, Origin};

use crate::common::*;
use crate::units::{RING, World};

/// The sum of the ledger's entries for an account.
#[derive(Debug, Default)]
struct Account {
    opened: i64,
    amount: i64,
}

/// Compares tables with the ledger.
pub fn judge(region: &Region, world: &mut World) {
    let mut task = region.task();
    let mut batch = Batch::default();
    let read = task.unit.range(world.ledger, Origin::Start, Direction::Forward, usize::MAX, &mut batch);
    ready(read).expect("reads");
    let entries: BTreeMap<u64, String> = batch
        .iter()
        .map(|(key, entry)| {
            (u64::from_be_bytes(key.try_into().expect("a number")), String::from_utf8_lossy(entry).into())
        })
        .collect();
    let found: BTreeSet<u64> = entries.keys().copied().collect();
    assert!(found.is_superset(&world.durable.borrow()), "a commit that was acknowledged is not there");
    assert!(found.is_disjoint(&world.never.borrow()), "a unit of work that was backed out is there");
    // Decides those whose outcome the test cannot know.
    *world.durable.borrow_mut() = found;

    let (accounts, rotations) = posted(entries.values());
    let expected: Vec<(i64, i64)> = accounts
        .iter()
        .inspect(|(id, account)| assert!((0..=1).contains(&account.opened), "{id} {account:?}"))
        .filter(|(_, account)| account.opened == 1)
        .map(|(id, account)| (*id, account.amount))
        .collect();
    let catalogue = task.work.catalogue();
    let table = catalogue.table(&name("ACCT")).expect("ACCT").clone();
    let rows = rows(&mut task, &table);
    let mut by_id: Vec<_> = rows.iter().map(|row| (number(&row[0]), number(&row[2]))).collect();
    by_id.sort_unstable();
    assert_eq!(by_id, expected, "rows and ledger");
    let ring = catalogue.table(&name("RING")).expect("RING").clone();
    for row in self::rows(&mut task, &ring) {
        assert_eq!(number(&row[0]), (number(&row[1]) + rotations) % RING, "{row:?} after {rotations}");
    }
    // The ledger's store is there, with the catalogue, the numbers and what tables use.
    let used: usize = catalogue.tables().map(|table| 1 + table.indexes.len()).sum();
    assert_eq!(region.running.engine_stores(), 3 + used);
}

fn posted<'e>(entries: impl Iterator<Item = &'e String>) -> (BTreeMap<i64, Account>, i64) {
    let mut accounts = BTreeMap::<i64, Account>::new();
    let mut rotations = 0;
    for entry in entries {
        let mut words = entry.split_whitespace();
        while let Some(word) = words.next() {
            let mut number = || words.next().and_then(|word| word.parse().ok()).expect("a number");
            match word {
                "rotate" => rotations += 1,
                "open" => accounts.entry(number()).or_default().opened += 1,
                "close" => accounts.entry(number()).or_default().opened -= 1,
                "pay" => {
                    let id = number();
                    accounts.entry(id).or_default().amount += number();
                }
                word => panic!("{word}"),
            }
        }
    }
    (accounts, rotations)
}

fn number(value: &Value) -> i64 {
    match value {
        Value::Number(number) => *number,
        value => panic!("{value:?}"),
    }
}

/// The rows of a table, which all its indexes have, in their orders.
fn rows(task: &mut Task, table: &std::sync::Arc<Table>) -> Vec<Vec<Value>> {
    let wish = Wish::reads(Isolation::CursorStability);
    let all = |task: &mut Task, path, range| {
        let mut cursor = db2_rows::Cursor::open(table, path, range, wish).expect("a cursor");
        let mut rows = Vec::new();
        let mut next = |task: &mut Task| {
            task.now(|work, unit| {
                let row = cursor.next(work, unit)?;
                Ok(row.map(|row| values(&table.columns, row.bytes).expect("a row")))
            })
        };
        while let Some(row) = next(task) {
            rows.push(row);
        }
        rows
    };
    let scanned = all(task, Path::Scan, Range::all());
    for index in &table.indexes {
        let of_row = |row: &Vec<Value>| {
            let columns = index.key.iter().map(|key| row[key.column].clone());
            key(&columns.collect::<Vec<_>>(), &vec![false; index.key.len()])
        };
        let mut sorted = scanned.clone();
        // Rows with the same key come in the order of their numbers, as a scan has them.
        sorted.sort_by_key(of_row);
        assert_eq!(all(task, Path::Index(index.id), Range::all()), sorted, "{}", index.name);
        sorted.reverse();
        assert_eq!(all(task, Path::Index(index.id), Range::all().backward()), sorted, "{}", index.name);
    }
    scanned
}
