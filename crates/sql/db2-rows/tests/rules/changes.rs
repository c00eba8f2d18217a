//! Rows come, change and go; a statement that fails has changed nothing.

use db2_rows::{Isolation, Path, Range, Unique, Wish};

use crate::common::*;

const CS: Isolation = Isolation::CursorStability;

#[test]
fn a_row_is_found_by_its_key_until_it_is_deleted() {
    let region = Region::with_accounts(&[(1, "ANN", 100), (2, "BOB", 200)]);
    let (table, mut task) = (region.acct(), region.task());
    let (rid, found) = task.find(&table, 2, Wish::reads(CS)).expect("no wait").expect("a row");
    assert_eq!(found, [2.into(), "BOB".into(), 200.into()]);
    assert!(task.now(|work, unit| work.update(unit, &table, rid, &account(2, "BOB", 250))));
    assert_eq!(task.find(&table, 2, Wish::reads(CS)).expect("no wait").expect("a row").1[2], 250.into());
    assert!(task.now(|work, unit| work.delete(unit, &table, rid)));
    assert_eq!(task.find(&table, 2, Wish::reads(CS)), Ok(None));
    // What is not there is neither changed nor deleted.
    assert!(!task.now(|work, unit| work.delete(unit, &table, rid)));
    assert!(!task.now(|work, unit| work.update(unit, &table, rid, &account(2, "BOB", 1))));
}

#[test]
fn a_second_row_with_a_unique_key_is_refused_with_the_index_and_the_row() {
    let region = Region::with_accounts(&[(1, "ANN", 100)]);
    let (table, mut task) = (region.acct(), region.task());
    let refused =
        task.statement(|task| task.tries(|work, unit| work.insert(unit, &table, &account(1, "EVE", 0))));
    let Err(db2_rows::Stop::Failed(failure)) = refused else { panic!("{refused:?}") };
    assert_eq!((failure.code, &*failure.tokens), (-803, &["ACCTPK".to_owned(), format!("{:016X}", 2)][..]));
    // The unit of work goes on, with what was there.
    task.commit();
    assert_eq!(region.task().ids(&table, Path::Scan, Range::all(), Wish::reads(CS)), [1]);
    let own = Path::Index(table.indexes[1].id);
    assert_eq!(region.task().ids(&table, own, Range::all(), Wish::reads(CS)), [1]);
}

/// UPDATE ACCT SET ID = ID + `by`, over the rows in the order of their numbers.
fn add_to_all(task: &mut Task, table: &db2_rows::Table, ids: &[i64], by: i64) -> db2_rows::Tried<()> {
    let rids: Vec<_> = ids.iter().map(|id| (task.rid(table, *id), *id)).collect();
    task.statement(|task| {
        for (rid, id) in rids {
            task.tries(|work, unit| work.update(unit, table, rid, &account(id + by, "ANN", 0)))?;
        }
        Ok(())
    })
}

#[test]
fn keys_are_unique_at_the_end_of_a_statement_and_not_before() {
    for (by, order) in [(1, [1, 2, 3, 4]), (1, [4, 3, 2, 1]), (-1, [1, 2, 3, 4]), (-1, [3, 1, 4, 2])] {
        let region = Region::with_accounts(&[(1, "ANN", 0), (2, "ANN", 0), (3, "ANN", 0), (4, "ANN", 0)]);
        let (table, mut task) = (region.acct(), region.task());
        assert_eq!(add_to_all(&mut task, &table, &order, by), Ok(()));
        task.commit();
        let path = Path::Index(table.indexes[0].id);
        let found = task.ids(&table, path, Range::all(), Wish::reads(CS));
        assert_eq!(found, [1, 2, 3, 4].map(|id| id + by));
        for id in found {
            let row = task.find(&table, id, Wish::reads(CS)).expect("no wait").expect("a row");
            assert_eq!(row.1[0], id.into());
        }
    }
}

#[test]
fn a_statement_of_many_rows_that_fails_at_its_end_changes_none() {
    let region = Region::with_accounts(&[(1, "ANN", 0), (2, "ANN", 0), (3, "ANN", 0)]);
    let (table, mut task) = (region.acct(), region.task());
    // Row 2 comes to where row 3 stays.
    let refused = add_to_all(&mut task, &table, &[1, 2], 1);
    assert!(matches!(refused, Err(db2_rows::Stop::Failed(failure)) if failure.code == -803));
    for path in [Path::Scan, Path::Index(table.indexes[0].id), Path::Index(table.indexes[1].id)] {
        assert_eq!(task.ids(&table, path, Range::all(), Wish::reads(CS)), [1, 2, 3]);
    }
    // The keys are free for what the statement did not do.
    assert_eq!(add_to_all(&mut task, &table, &[3, 2, 1], 1), Ok(()));
}

#[test]
fn savepoints_put_back_what_came_after_them() {
    let region = Region::with_accounts(&[(1, "ANN", 100)]);
    let (table, mut task) = (region.acct(), region.task());
    let first = task.work.savepoint().expect("a savepoint");
    task.statement(|task| task.tries(|work, unit| work.insert(unit, &table, &account(2, "BOB", 0))))
        .expect("inserted");
    let second = task.work.savepoint().expect("a savepoint");
    let rid = task.rid(&table, 1);
    task.statement(|task| task.tries(|work, unit| work.delete(unit, &table, rid))).expect("deleted");
    let all = |task: &mut Task| task.ids(&table, Path::Scan, Range::all(), Wish::reads(CS));
    assert_eq!(all(&mut task), [2]);
    task.now(|work, unit| work.back_to(unit, second));
    assert_eq!(all(&mut task), [1, 2]);
    task.now(|work, unit| work.back_to(unit, first));
    assert_eq!(all(&mut task), [1]);
    // The second one is gone with what came after the first.
    assert_eq!(task.fails(|work, unit| work.back_to(unit, second)), (-880, "savepoint".into()));
    task.work.release(first).expect("released");
    assert_eq!(task.fails(|work, _| work.release(first)).0, -882);
    task.commit();
    assert_eq!(all(&mut region.task()), [1]);
}

#[test]
fn null_is_refused_where_it_must_not_be_and_a_row_must_be_one() {
    let region = Region::with_accounts(&[]);
    let (table, mut task) = (region.acct(), region.task());
    let without_id = row(&[Value::Null, "ANN".into(), 0.into()]);
    assert_eq!(task.fails(|work, unit| work.insert(unit, &table, &without_id)), (-407, "ID".into()));
    let malformed = task.tries(|work, unit| work.insert(unit, &table, b"\x01\x00"));
    assert!(matches!(malformed, Err(db2_rows::Stop::Engine(records::Error::Corrupt(_)))), "{malformed:?}");
}

#[test]
fn null_is_one_value_in_a_unique_index_and_none_in_one_where_not_null() {
    for (unique, second) in [(Unique::Yes, Some(-803)), (Unique::WhereNotNull, None), (Unique::No, None)] {
        let region = Region::with_accounts(&[(1, "ANN", 0)]);
        let mut task = region.task();
        let table = task.build(index("BYOWNER", &[1], unique));
        let nobody = |id: i64| row(&[id.into(), Value::Null, 0.into()]);
        let inserts = |task: &mut Task, row: &[u8]| match task
            .statement(|task| task.tries(|work, unit| work.insert(unit, &table, row)))
        {
            Err(db2_rows::Stop::Failed(failure)) => Some(failure.code),
            outcome => outcome.map(|_| None).expect("no wait"),
        };
        assert_eq!(inserts(&mut task, &nobody(2)), None);
        assert_eq!(inserts(&mut task, &nobody(3)), second);
        assert_eq!(inserts(&mut task, &account(4, "ANN", 0)), (unique != Unique::No).then_some(-803));
    }
}

#[test]
fn what_is_backed_out_was_never_there() {
    let region = Region::with_accounts(&[(1, "ANN", 100)]);
    let (table, mut task) = (region.acct(), region.task());
    task.now(|work, unit| work.insert(unit, &table, &account(2, "BOB", 0)));
    let rid = task.rid(&table, 1);
    task.now(|work, unit| work.update(unit, &table, rid, &account(7, "ANN", 0)));
    task.back_out();
    assert_eq!(task.ids(&table, Path::Index(table.indexes[0].id), Range::all(), Wish::reads(CS)), [1]);
}
