//! Tables and indexes come and go with the unit of work that defines them.

use std::pin::pin;
use std::task::Poll;

use db2_rows::{
    Cursor, Isolation, KeyColumn, LockMode, Name, NewIndex, NewTable, Path, Range, Reason, Stop, Unique,
    Wish, Work, limits,
};
use records::{Decider, Decision, Engine, UnitOfWork};

use crate::common::*;

fn reads() -> Wish {
    Wish::reads(Isolation::CursorStability)
}

#[test]
fn a_new_table_has_rows_before_its_commit_and_others_see_it_after() {
    let region = Region::new();
    let (mut task, other) = (region.task(), region.task());
    let table = task.now(|work, unit| work.create_table(unit, acct()));
    task.now(|work, unit| work.insert(unit, &table, &account(1, "ANN", 0)));
    assert!(task.work.catalogue().table(&name("ACCT")).is_some());
    assert!(other.work.catalogue().table(&name("ACCT")).is_none());
    task.commit();
    assert_eq!(region.task().ids(&region.acct(), Path::Scan, Range::all(), reads()), [1]);
}

#[test]
fn a_definition_that_is_backed_out_leaves_nothing() {
    let region = Region::with_accounts(&[(1, "ANN", 0)]);
    let stores = region.running.engine_stores();
    let mut task = region.task();
    let other = NewTable { name: Name::new("OTHER", "ACCT"), ..acct() };
    // A table of the same name in another schema is another table.
    task.now(|work, unit| work.create_table(unit, other.clone()));
    task.build(index("AMOUNTS", &[2], Unique::No));
    assert_eq!(region.running.engine_stores(), stores + 2);
    task.back_out();
    assert_eq!(region.running.engine_stores(), stores);
    assert_eq!(region.acct().indexes.len(), 2);
    assert!(region.tables.catalogue().table(&Name::new("OTHER", "ACCT")).is_none());
    // And others may define at once.
    region.task().build(index("AMOUNTS", &[2], Unique::No));
}

#[test]
fn a_definition_is_put_back_with_its_statement() {
    let region = Region::new();
    let mut task = region.task();
    let savepoint = task.work.savepoint().expect("a savepoint");
    task.statement(|task| task.tries(|work, unit| work.create_table(unit, acct()))).expect("created");
    task.now(|work, unit| work.back_to(unit, savepoint));
    assert!(task.work.catalogue().table(&name("ACCT")).is_none());
    task.commit();
    assert!(region.tables.catalogue().table(&name("ACCT")).is_none());
    assert_eq!(region.running.engine_stores(), 2);
}

#[test]
fn a_new_index_is_filled_from_the_rows_some_at_a_time() {
    let rows: Vec<_> = (0..250).map(|id| (id, "ANN", 1_000 - id)).collect();
    let region = Region::with_accounts(&rows);
    let mut task = region.task();
    let mut building = task.now(|work, unit| work.create_index(unit, index("AMOUNTS", &[2], Unique::Yes)));
    let mut turns = 0;
    let table = loop {
        let step = |work: &mut Work, unit: &mut dyn UnitOfWork| {
            turns += 1;
            building.go_on(work, unit)
        };
        if let Some(table) = task.now(step) {
            break table;
        }
    };
    // A hundred rows each, and fewer where the disk is waited for.
    assert!(turns >= 3);
    let by_amount = Path::Index(table.indexes[2].id);
    assert_eq!(task.ids(&table, by_amount, Range::all(), reads()), (0..250).rev().collect::<Vec<_>>());
    // OWNER is the same everywhere.
    let mut building = task.now(|work, unit| work.create_index(unit, index("OWNERS", &[1], Unique::Yes)));
    assert_eq!(task.fails(|work, unit| building.go_on(work, unit)), (-603, "BANK.OWNERS".into()));
}

#[test]
fn who_uses_a_table_that_is_being_defined_waits_and_then_looks_it_up_again() {
    let region = Region::with_accounts(&[(1, "ANN", 0)]);
    let (table, mut task, mut other) = (region.acct(), region.task(), region.task());
    task.build(index("AMOUNTS", &[2], Unique::No));
    assert_eq!(other.find(&table, 1, reads()), Err(Stop::Later));
    {
        let mut waits = pin!(other.work.wait(&mut *other.unit));
        assert!(look(waits.as_mut()).is_pending());
        task.commit();
        assert_eq!(look(waits.as_mut()), Poll::Ready(Ok(())));
    }
    let stale = other.find(&table, 1, reads());
    assert!(matches!(stale, Err(Stop::Failed(failure)) if failure.reason == Reason::Stale));
    assert!(other.find(&region.acct(), 1, reads()).expect("no wait").is_some());
}

#[test]
fn a_definition_waits_for_those_who_change_the_table() {
    let region = Region::with_accounts(&[(1, "ANN", 0)]);
    let (table, mut task, mut other) = (region.acct(), region.task(), region.task());
    other.now(|work, unit| work.insert(unit, &table, &account(2, "BOB", 0)));
    assert!(task.must_wait(|work, unit| work.drop_table(unit, &name("ACCT"))));
    other.commit();
    task.now(|work, unit| work.drop_table(unit, &name("ACCT")));
    task.commit();
    assert_eq!(region.running.engine_stores(), 2);
    assert_eq!(other.fails(|work, unit| work.insert(unit, &table, &account(3, "EVE", 0))).0, -204);
    assert_eq!(other.fails(|work, unit| work.drop_table(unit, &name("ACCT"))).0, -204);
}

#[test]
fn what_is_wrong_with_a_definition_is_refused_by_its_code() {
    let region = Region::with_accounts(&[]);
    let mut task = region.task();
    assert_eq!(task.fails(|work, unit| work.create_table(unit, acct())).0, -601);
    let table = |called: &str, columns| NewTable { name: name(called), columns, checks: Vec::new() };
    let twice = table("T", vec![column("A", NUMBER, true), column("A", TEXT, true)]);
    assert_eq!(task.fails(|work, unit| work.create_table(unit, twice.clone())), (-612, "A".into()));
    let many = (0..=limits::COLUMNS).map(|number| column(&format!("C{number}"), NUMBER, true)).collect();
    let many = table("T", many);
    assert_eq!(task.fails(|work, unit| work.create_table(unit, many.clone())), (-904, "columns".into()));
    let long = table(&"N".repeat(limits::NAME_BYTES + 1), Vec::new());
    assert_eq!(task.fails(|work, unit| work.create_table(unit, long.clone())).0, -107);
    let mut create = |new: NewIndex| task.fails(|work, unit| work.create_index(unit, new.clone()));
    assert_eq!(create(index("ACCTPK", &[0], Unique::No)).0, -601);
    assert_eq!(create(index("NONE", &[], Unique::No)).0, -602);
    assert_eq!(create(index("WRONG", &[3], Unique::No)).0, -205);
    let mut long = index("LONG", &[], Unique::No);
    long.key = vec![KeyColumn { column: 1, is_descending: false }; 60];
    assert_eq!(create(long).0, -614);
    assert_eq!(task.fails(|work, unit| work.drop_index(unit, &name("ACCTPK"))).0, -669);
    task.now(|work, unit| work.drop_index(unit, &name("ACCTOWN")));
}

#[test]
fn a_restart_finds_tables_rows_and_the_next_number_of_a_row() {
    let region = Region::with_accounts(&[(1, "ANN", 0), (2, "BOB", 0)]);
    let last = region.task().rid(&region.acct(), 2);
    // A definition that a kill ends leaves no store.
    let mut task = region.task();
    task.now(|work, unit| work.create_table(unit, NewTable { name: name("LOST"), ..acct() }));
    std::mem::forget(task);
    let region = region.restarted();
    assert_eq!(region.running.engine_stores(), 5);
    let (table, mut task) = (region.acct(), region.task());
    assert_eq!(task.ids(&table, Path::Index(table.indexes[0].id), Range::all(), reads()), [1, 2]);
    let rid = task.now(|work, unit| work.insert(unit, &table, &account(3, "EVE", 0)));
    assert!(rid > last);
}

/// A task is dropped while its unit of work is in doubt.
fn in_doubt(region: &Region, mut task: Task) {
    let mut prepares = pin!(task.unit.prepare(b"unit"));
    while look(prepares.as_mut()).is_pending() {
        region.running.write_group().expect("the power is on");
    }
}

/// Ends it.
fn resolve(region: &Region, decision: Decision) {
    let mut resolves = pin!(region.running.engine.resolve(b"unit", decision, Decider::Coordinator));
    while look(resolves.as_mut()).is_pending() {
        region.running.write_group().expect("the power is on");
    }
}

#[test]
fn a_definition_in_doubt_keeps_others_from_the_table_until_it_is_decided() {
    for (decision, restarts) in
        [(Decision::Commit, false), (Decision::Commit, true), (Decision::Backout, true)]
    {
        let mut region = Region::with_accounts(&[(1, "ANN", 7)]);
        let mut task = region.task();
        task.build(index("AMOUNTS", &[2], Unique::No));
        in_doubt(&region, task);
        if restarts {
            region = region.restarted();
        }
        let (table, mut task) = (region.acct(), region.task());
        assert_eq!(task.fails(|work, unit| work.insert(unit, &table, &account(2, "BOB", 5))).0, -904);
        assert_eq!(
            task.fails(|work, unit| work.create_table(unit, acct())),
            (-904, "definitions in doubt".into())
        );
        assert!(task.find(&table, 1, reads()).expect("readers go on").is_some());
        task.back_out();
        resolve(&region, decision);
        let table = region.acct();
        assert_eq!(table.indexes.len(), if decision == Decision::Commit { 3 } else { 2 });
        task.now(|work, unit| work.insert(unit, &table, &account(2, "BOB", 5)));
        task.commit();
        if let Some(amounts) = table.indexes.get(2) {
            assert_eq!(task.ids(&table, Path::Index(amounts.id), Range::all(), reads()), [2, 1]);
        }
        assert_eq!(region.restarted().running.engine_stores(), 2 + 1 + table.indexes.len());
    }
}

#[test]
fn a_table_with_rows_in_doubt_is_neither_dropped_nor_gets_an_index() {
    for restarts in [false, true] {
        let mut region = Region::with_accounts(&[(1, "ANN", 7)]);
        let (table, mut task) = (region.acct(), region.task());
        task.now(|work, unit| work.insert(unit, &table, &account(2, "BOB", 5)));
        in_doubt(&region, task);
        if restarts {
            region = region.restarted();
        }
        let mut other = region.task();
        assert_eq!(other.fails(|work, unit| work.drop_table(unit, &name("ACCT"))).0, -904);
        other.back_out();
        for mode in [LockMode::Share, LockMode::Exclusive] {
            assert_eq!(other.fails(|work, unit| work.lock_table(unit, &region.acct(), mode)).0, -904);
            other.back_out();
        }
        let mut scan =
            Cursor::open(&region.acct(), Path::Scan, Range::all(), Wish::reads(Isolation::RepeatableRead))
                .expect("a cursor");
        assert_eq!(
            other.fails(|work, unit| scan.next(work, unit).map(drop)).0,
            -904,
            "BOB would be passed over"
        );
        other.back_out();
        let amounts = index("AMOUNTS", &[2], Unique::No);
        assert_eq!(other.fails(|work, unit| work.create_index(unit, amounts.clone())).0, -904);
        other.back_out();
        resolve(&region, Decision::Commit);
        let amounts = other.build(amounts).indexes[2].id;
        other.commit();
        assert_eq!(other.ids(&region.acct(), Path::Index(amounts), Range::all(), reads()), [2, 1]);
    }
}

#[test]
fn a_row_that_a_unit_of_work_in_doubt_shares_is_no_others() {
    for restarts in [false, true] {
        let mut region = Region::with_accounts(&[(1, "ANN", 7)]);
        let (mut table, mut task) = (region.acct(), region.task());
        task.find(&table, 1, Wish::reads(Isolation::ReadStability)).expect("no wait").expect("a row");
        task.now(|work, unit| work.insert(unit, &table, &account(2, "BOB", 5)));
        in_doubt(&region, task);
        if restarts {
            region = region.restarted();
            table = region.acct();
        }
        // After a restart one of them has the number of the owner that shares the row.
        for _ in 0..20 {
            let mut other = region.task();
            let rid = other.rid(&table, 1);
            assert_eq!(other.fails(|work, unit| work.delete(unit, &table, rid)).0, -904);
            other.back_out();
        }
        resolve(&region, Decision::Commit);
        let mut other = region.task();
        let rid = other.rid(&table, 1);
        assert!(other.now(|work, unit| work.delete(unit, &table, rid)));
        other.commit();
    }
}

#[test]
fn a_table_that_was_dropped_in_doubt_is_gone_when_that_is_decided() {
    let region = Region::with_accounts(&[(1, "ANN", 7)]);
    let (table, mut task, mut other) = (region.acct(), region.task(), region.task());
    task.now(|work, unit| work.drop_table(unit, &name("ACCT")));
    in_doubt(&region, task);
    assert!(other.find(&table, 1, reads()).expect("readers go on").is_some());
    resolve(&region, Decision::Commit);
    let stale = other.find(&table, 1, reads());
    assert!(matches!(stale, Err(Stop::Failed(failure)) if failure.reason == Reason::Stale));
    assert!(region.tables.catalogue().table(&name("ACCT")).is_none());
}

#[test]
fn a_view_in_doubt_is_there_when_that_is_decided() {
    for (decision, restarts) in
        [(Decision::Commit, false), (Decision::Commit, true), (Decision::Backout, false)]
    {
        let mut region = Region::with_accounts(&[]);
        let mut task = region.task();
        task.now(|work, unit| work.create_view(unit, &name("V"), b"text"));
        assert_eq!(task.fails(|work, unit| work.create_view(unit, &name("ACCT"), b"")).0, -601);
        in_doubt(&region, task);
        if restarts {
            region = region.restarted();
        }
        resolve(&region, decision);
        let catalogue = region.tables.catalogue();
        let text = catalogue.view(&name("V")).map(|view| view.definition.clone());
        assert_eq!(text, (decision == Decision::Commit).then(|| b"text".to_vec()));
    }
}
