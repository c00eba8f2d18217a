//! Cursors give one row at a time, in an order, and go on behind their key.

use std::ops::Bound;

use db2_rows::{Cursor, Isolation, KeyColumn, Path, Range, Stop, Unique, Wish};
use records::Direction;

use crate::common::*;

fn reads() -> Wish {
    Wish::reads(Isolation::CursorStability)
}

fn region() -> Region {
    Region::with_accounts(&[(5, "ANN", 1), (3, "EVE", 2), (4, "BOB", 3), (1, "BOB", 4), (2, "ANN", 5)])
}

#[test]
fn rows_come_in_the_order_of_an_index_or_of_their_numbers() {
    let region = region();
    let (table, mut task) = (region.acct(), region.task());
    let [by_id, by_owner] = [0, 1].map(|at| Path::Index(table.indexes[at].id));
    assert_eq!(task.ids(&table, Path::Scan, Range::all(), reads()), [5, 3, 4, 1, 2]);
    assert_eq!(task.ids(&table, by_id, Range::all(), reads()), [1, 2, 3, 4, 5]);
    assert_eq!(task.ids(&table, by_id, Range::all().backward(), reads()), [5, 4, 3, 2, 1]);
    // Rows with the same key come in the order of their numbers.
    assert_eq!(task.ids(&table, by_owner, Range::all(), reads()), [5, 2, 4, 1, 3]);
    let bob = Range::of(&key(&["BOB".into()], &[false]));
    assert_eq!(task.ids(&table, by_owner, bob.clone(), reads()), [4, 1]);
    assert_eq!(task.ids(&table, by_owner, bob.backward(), reads()), [1, 4]);
}

#[test]
fn bounds_are_in_the_range_or_out_of_it() {
    let region = region();
    let (table, mut task) = (region.acct(), region.task());
    let by_id = Path::Index(table.indexes[0].id);
    let range = |from, to, direction| Range { from, to, direction };
    let (two, four) = (of(2), of(4));
    let inside = range(Bound::Excluded(two.clone()), Bound::Included(four.clone()), Direction::Forward);
    assert_eq!(task.ids(&table, by_id, inside.clone(), reads()), [3, 4]);
    assert_eq!(task.ids(&table, by_id, inside.backward(), reads()), [4, 3]);
    let below = range(Bound::Unbounded, Bound::Excluded(two), Direction::Forward);
    assert_eq!(task.ids(&table, by_id, below, reads()), [1]);
    let above = range(Bound::Included(four), Bound::Unbounded, Direction::Backward);
    assert_eq!(task.ids(&table, by_id, above, reads()), [5, 4]);
}

#[test]
fn an_index_may_go_up_in_one_column_and_down_in_another() {
    let region = region();
    let mut task = region.task();
    let mut new = index("MIXED", &[1, 0], Unique::No);
    new.key[1] = KeyColumn { column: 0, is_descending: true };
    let table = task.build(new);
    let mixed = Path::Index(table.indexes[2].id);
    assert_eq!(task.ids(&table, mixed, Range::all(), reads()), [5, 2, 4, 1, 3]);
}

#[test]
fn a_cursor_goes_on_behind_its_key_whatever_becomes_of_the_rows() {
    let region = region();
    let (table, mut task, mut other) = (region.acct(), region.task(), region.task());
    let by_id = Path::Index(table.indexes[0].id);
    let mut cursor = Cursor::open(&table, by_id, Range::all(), reads()).expect("a cursor");
    assert_eq!([task.step(&mut cursor), task.step(&mut cursor)], [Some(1), Some(2)]);
    // The row on which it stands goes, one that it has read ahead goes, and another comes.
    for id in [2, 3] {
        let rid = other.rid(&table, id);
        other.now(|work, unit| work.delete(unit, &table, rid));
    }
    other.commit();
    task.now(|work, unit| work.insert(unit, &table, &account(6, "SUE", 0)));
    assert_eq!([task.step(&mut cursor), task.step(&mut cursor)], [Some(4), Some(5)]);
    assert_eq!([task.step(&mut cursor), task.step(&mut cursor)], [Some(6), None]);
    // The end is no place: what comes later is found.
    task.now(|work, unit| work.insert(unit, &table, &account(7, "SUE", 0)));
    assert_eq!([task.step(&mut cursor), task.step(&mut cursor)], [Some(7), None]);
}

#[test]
fn a_cursor_that_is_held_goes_on_in_the_next_unit_of_work() {
    let region = region();
    let (table, mut task, mut other) = (region.acct(), region.task(), region.task());
    let by_id = Path::Index(table.indexes[0].id);
    let wish = Wish::updates(Isolation::CursorStability);
    let mut cursor = Cursor::open(&table, by_id, Range::all(), wish).expect("a cursor");
    assert_eq!(task.step(&mut cursor), Some(1));
    task.commit();
    cursor.over_commit();
    // The row on which it stood is free.
    let rid = other.rid(&table, 1);
    other.now(|work, unit| work.delete(unit, &table, rid));
    other.commit();
    assert_eq!(task.step(&mut cursor), Some(2));
}

#[test]
fn a_whole_key_of_a_unique_index_is_one_row_and_a_part_of_it_may_be_many() {
    let region = region();
    let mut task = region.task();
    let table = task.build(index("OWNED", &[1, 0], Unique::Yes));
    let [by_id, owned] = [0, 2].map(|at| Path::Index(table.indexes[at].id));
    assert_eq!(task.ids(&table, by_id, Range::of(&of(2)), reads()), [2]);
    assert_eq!(task.ids(&table, by_id, Range::of(&of(9)), reads()), [0; 0]);
    assert_eq!(task.ids(&table, owned, Range::of(&key(&["BOB".into()], &[false])), reads()), [1, 4]);
    let bob = key(&["BOB".into(), 4.into()], &[false, false]);
    assert_eq!(task.ids(&table, owned, Range::of(&bob), reads()), [4]);
}

#[test]
fn the_row_of_a_whole_key_is_waited_for_passed_over_and_kept_like_others() {
    let region = region();
    let (table, mut task, mut other) = (region.acct(), region.task(), region.task());
    let by_id = Path::Index(table.indexes[0].id);
    let rid = other.rid(&table, 2);
    other.now(|work, unit| work.update(unit, &table, rid, &account(2, "SUE", 0)));
    let two = |wish| Cursor::open(&table, by_id, Range::of(&of(2)), wish).expect("a cursor");
    let (mut waits, mut passes) = (two(reads()), two(Wish { skips_locked: true, ..reads() }));
    assert_eq!(task.tries_step(&mut waits), Err(Stop::Later));
    assert_eq!([task.step(&mut passes), task.step(&mut passes)], [None, None]);
    other.commit();
    assert_eq!([task.step(&mut waits), task.step(&mut waits)], [Some(2), None]);
    // With read stability it stays with its reader.
    let mut keeps = two(Wish::reads(Isolation::ReadStability));
    assert_eq!([task.step(&mut keeps), task.step(&mut keeps)], [Some(2), None]);
    assert!(other.must_wait(|work, unit| work.delete(unit, &table, rid)));
}
