//! Waits of one unit of work for another, and the time for which rows are kept.

use std::pin::pin;
use std::task::Poll;

use db2_rows::{Cursor, Isolation, LockMode, Path, Range, Reason, Stop, Wish};
use records::{Engine, Recovery, Wait};

use crate::common::*;

const UR: Isolation = Isolation::Uncommitted;
const CS: Isolation = Isolation::CursorStability;
const RS: Isolation = Isolation::ReadStability;
const RR: Isolation = Isolation::RepeatableRead;

fn region() -> Region {
    Region::with_accounts(&[(1, "ANN", 100), (2, "BOB", 200), (3, "EVE", 300)])
}

/// Changes the amount of an account.
fn pay(task: &mut Task, table: &db2_rows::Table, id: i64) -> db2_rows::Tried<bool> {
    let rid = task.rid(table, id);
    task.tries(|work, unit| work.update(unit, table, rid, &account(id, "NEW", 7)))
}

#[test]
fn a_reader_waits_for_the_commit_of_a_change_unless_it_reads_uncommitted_or_skips() {
    let region = region();
    let (table, mut writer, mut reader) = (region.acct(), region.task(), region.task());
    assert_eq!(pay(&mut writer, &table, 1), Ok(true));
    assert_eq!(reader.find(&table, 1, Wish::reads(CS)), Err(Stop::Later));
    // What is not committed lies with its unit of work, so an uncommitted read sees the row as it was.
    assert_eq!(reader.find(&table, 1, Wish::reads(UR)).expect("no wait").expect("a row").1[2], 100.into());
    let skips = Wish { skips_locked: true, ..Wish::reads(CS) };
    assert_eq!(reader.find(&table, 1, skips), Ok(None));
    assert_eq!(reader.ids(&table, Path::Scan, Range::all(), skips), [2, 3]);
    assert_eq!(reader.find(&table, 1, Wish::reads(CS)), Err(Stop::Later));
    {
        let mut waits = pin!(reader.work.wait(&mut *reader.unit));
        assert!(look(waits.as_mut()).is_pending());
        writer.commit();
        assert_eq!(look(waits.as_mut()), Poll::Ready(Ok(())));
    }
    assert_eq!(reader.find(&table, 1, Wish::reads(CS)).expect("no wait").expect("a row").1[2], 7.into());
    // The reader has kept nothing.
    assert_eq!(pay(&mut writer, &table, 1), Ok(true));
}

#[test]
fn cursor_stability_keeps_the_row_on_which_a_cursor_for_update_stands() {
    let region = region();
    let (table, mut task, mut other) = (region.acct(), region.task(), region.task());
    let mut cursor = Cursor::open(&table, Path::Scan, Range::all(), Wish::updates(CS)).expect("a cursor");
    assert_eq!(task.step(&mut cursor), Some(1));
    assert_eq!(pay(&mut other, &table, 1), Err(Stop::Later));
    assert_eq!(task.step(&mut cursor), Some(2));
    // The first row was left unchanged, so others may have it. One that was changed stays.
    assert_eq!(pay(&mut other, &table, 1), Ok(true));
    assert_eq!(pay(&mut task, &table, 2), Ok(true));
    assert_eq!(task.step(&mut cursor), Some(3));
    assert_eq!(pay(&mut other, &table, 2), Err(Stop::Later));
}

#[test]
fn cursor_stability_with_current_data_shares_the_row_on_which_a_cursor_stands() {
    let region = region();
    let (table, mut task, mut other) = (region.acct(), region.task(), region.task());
    let wish = Wish { keeps_current: true, ..Wish::reads(CS) };
    let mut cursor = Cursor::open(&table, Path::Scan, Range::all(), wish).expect("a cursor");
    assert_eq!(task.step(&mut cursor), Some(1));
    assert!(other.find(&table, 1, Wish::reads(RS)).expect("readers share").is_some());
    other.back_out();
    assert_eq!(pay(&mut other, &table, 1), Err(Stop::Later));
    other.back_out();
    assert_eq!(task.step(&mut cursor), Some(2));
    assert_eq!(pay(&mut other, &table, 1), Ok(true));
    cursor.close(&mut task.work, &mut *task.unit);
    assert_eq!(pay(&mut other, &table, 2), Ok(true));
}

#[test]
fn read_stability_keeps_what_it_gives_out_and_no_more() {
    let region = region();
    let (table, mut task, mut other) = (region.acct(), region.task(), region.task());
    let mut cursor = Cursor::open(&table, Path::Scan, Range::all(), Wish::reads(RS)).expect("a cursor");
    assert_eq!(task.step(&mut cursor), Some(1));
    assert_eq!(task.step(&mut cursor), Some(2));
    // The statement's condition does not want this one.
    cursor.refuse(&mut task.work, &mut *task.unit);
    assert_eq!(task.step(&mut cursor), Some(3));
    assert_eq!(pay(&mut other, &table, 2), Ok(true));
    assert_eq!(pay(&mut other, &table, 1), Err(Stop::Later));
    // Others may add rows: a second reading may find more.
    other.now(|work, unit| work.insert(unit, &table, &account(4, "SUE", 0)));
    task.commit();
    assert_eq!(pay(&mut other, &table, 1), Ok(true));
}

#[test]
fn repeatable_read_keeps_the_range_too() {
    let region = region();
    let (table, mut task, mut other) = (region.acct(), region.task(), region.task());
    let by_owner = Path::Index(table.indexes[1].id);
    let bob = Range::of(&key(&["BOB".into()], &[false]));
    assert_eq!(task.ids(&table, by_owner, bob.clone(), Wish::reads(RR)), [2]);
    // Beside the range all goes on; into it and out of it nothing goes.
    other.now(|work, unit| work.insert(unit, &table, &account(4, "SUE", 0)));
    assert!(other.must_wait(|work, unit| work.insert(unit, &table, &account(5, "BOB", 0))));
    assert_eq!(task.ids(&table, by_owner, bob, Wish::reads(RR)), [2]);
    task.commit();
    other.now(|work, unit| work.insert(unit, &table, &account(5, "BOB", 0)));
}

#[test]
fn repeatable_read_keeps_what_is_not_there() {
    let region = region();
    let (table, mut task, mut other) = (region.acct(), region.task(), region.task());
    assert_eq!(task.find(&table, 9, Wish::reads(RR)), Ok(None));
    assert!(other.must_wait(|work, unit| work.insert(unit, &table, &account(9, "SUE", 0))));
    other.now(|work, unit| work.insert(unit, &table, &account(8, "SUE", 0)));
}

#[test]
fn repeatable_read_waits_for_what_others_have_added_unseen() {
    let region = region();
    let (table, mut task, mut other) = (region.acct(), region.task(), region.task());
    other.now(|work, unit| work.insert(unit, &table, &account(9, "SUE", 0)));
    assert_eq!(task.find(&table, 9, Wish::reads(RR)), Err(Stop::Later));
    other.commit();
    assert!(task.find(&table, 9, Wish::reads(RR)).expect("no wait").is_some());
}

#[test]
fn a_key_that_another_unit_of_work_adds_or_gives_up_is_waited_for() {
    let region = region();
    let (table, mut task, mut other) = (region.acct(), region.task(), region.task());
    task.now(|work, unit| work.insert(unit, &table, &account(4, "SUE", 0)));
    assert!(other.must_wait(|work, unit| work.insert(unit, &table, &account(4, "TOM", 0))));
    task.back_out();
    other.now(|work, unit| work.insert(unit, &table, &account(4, "TOM", 0)));
    let rid = task.rid(&table, 1);
    task.now(|work, unit| work.delete(unit, &table, rid));
    assert!(other.must_wait(|work, unit| work.insert(unit, &table, &account(1, "TOM", 0))));
}

#[test]
fn lock_table_keeps_others_out() {
    let region = region();
    let (table, mut task, mut other) = (region.acct(), region.task(), region.task());
    task.now(|work, unit| work.lock_table(unit, &table, LockMode::Share));
    assert!(other.find(&table, 1, Wish::reads(CS)).expect("no wait").is_some());
    other.now(|work, unit| work.lock_table(unit, &table, LockMode::Share));
    other.back_out();
    assert_eq!(pay(&mut other, &table, 1), Err(Stop::Later));
    other.back_out();
    task.now(|work, unit| work.lock_table(unit, &table, LockMode::Exclusive));
    assert_eq!(other.find(&table, 1, Wish::reads(CS)), Err(Stop::Later));
    assert!(other.find(&table, 1, Wish::reads(UR)).expect("no wait").is_some());
    task.commit();
    assert!(other.find(&table, 1, Wish::reads(CS)).expect("no wait").is_some());
    // One row that is changed keeps the table from others.
    assert_eq!(pay(&mut other, &table, 1), Ok(true));
    assert!(task.must_wait(|work, unit| work.lock_table(unit, &table, LockMode::Share)));
}

#[test]
fn two_who_share_a_row_and_want_to_change_it_are_a_deadlock() {
    let region = region();
    let (table, mut one, mut two) = (region.acct(), region.task(), region.task());
    for task in [&mut one, &mut two] {
        assert!(task.find(&table, 1, Wish::reads(RS)).expect("readers share").is_some());
    }
    assert_eq!(pay(&mut one, &table, 1), Err(Stop::Later));
    let mut waits = pin!(one.work.wait(&mut *one.unit));
    assert!(look(waits.as_mut()).is_pending());
    assert_eq!(pay(&mut two, &table, 1), Err(Stop::Later));
    let Err(Stop::Failed(failure)) = ready(two.work.wait(&mut *two.unit)) else { panic!("no deadlock") };
    assert_eq!((failure.code, failure.reason), (-913, Reason::Deadlock));
    two.back_out();
    assert_eq!(look(waits.as_mut()), Poll::Ready(Ok(())));
}

#[test]
fn a_circle_through_a_row_and_a_record_is_a_deadlock() {
    let region = region();
    let (table, mut one, mut two) = (region.acct(), region.task(), region.task());
    let file = one.unit.create_store("file", Recovery::Recoverable).expect("a store");
    one.commit();
    assert_eq!(pay(&mut one, &table, 1), Ok(true));
    ready(two.unit.lock(file, b"record", Wait::No)).expect("free");
    assert_eq!(pay(&mut two, &table, 1), Err(Stop::Later));
    let mut waits = pin!(two.work.wait(&mut *two.unit));
    assert!(look(waits.as_mut()).is_pending());
    let refused = ready(one.unit.lock(file, b"record", Wait::Forever));
    assert_eq!(refused, Err(records::Error::Deadlock));
}

#[test]
fn a_wait_that_is_dropped_leaves_nothing_behind() {
    let region = region();
    let (table, mut one, mut two, mut three) = (region.acct(), region.task(), region.task(), region.task());
    assert_eq!(pay(&mut one, &table, 1), Ok(true));
    assert_eq!(pay(&mut two, &table, 1), Err(Stop::Later));
    {
        let mut waits = pin!(two.work.wait(&mut *two.unit));
        assert!(look(waits.as_mut()).is_pending());
    }
    one.commit();
    assert_eq!(pay(&mut three, &table, 1), Ok(true));
}

#[test]
fn a_wait_that_is_refused_leaves_nothing_behind() {
    let region = region();
    let (table, mut one, mut two, mut three) = (region.acct(), region.task(), region.task(), region.task());
    assert!(one.find(&table, 1, Wish::reads(RS)).expect("no wait").is_some());
    // Who waits for those that share a row keeps new ones out until then.
    assert_eq!(pay(&mut two, &table, 1), Err(Stop::Later));
    {
        let owner = two.unit.owner();
        let mut waits = pin!(two.work.wait(&mut *two.unit));
        assert!(look(waits.as_mut()).is_pending());
        assert_eq!(three.find(&table, 1, Wish::reads(RS)), Err(Stop::Later));
        assert!(region.running.engine.locks().cancel(owner));
        let Poll::Ready(Err(Stop::Failed(failure))) = look(waits.as_mut()) else { panic!("no failure") };
        assert_eq!((failure.code, failure.reason), (-913, Reason::Cancelled));
    }
    assert!(three.find(&table, 1, Wish::reads(RS)).expect("no wait").is_some());
}

#[test]
fn who_changes_rows_and_reads_repeatably_leaves_the_table_to_others() {
    let region = region();
    let (table, mut task, mut other) = (region.acct(), region.task(), region.task());
    assert_eq!(pay(&mut task, &table, 1), Ok(true));
    assert!(task.find(&table, 2, Wish::reads(RR)).expect("no wait").is_some());
    assert_eq!(pay(&mut other, &table, 3), Ok(true));
    assert_eq!(pay(&mut other, &table, 2), Err(Stop::Later));
}
