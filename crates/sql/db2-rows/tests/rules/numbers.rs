//! Sequences give each number once.

use std::sync::Arc;

use db2_rows::{NewSequence, Sequence};

use crate::common::*;

fn sequence(increment: i64, greatest: i64, cycles: bool) -> NewSequence {
    NewSequence { name: name("IDS"), start: 1, increment, least: 1, greatest, cycles }
}

fn created(region: &Region, new: NewSequence) -> Arc<Sequence> {
    let mut task = region.task();
    task.now(|work, unit| work.create_sequence(unit, new.clone()));
    task.commit();
    ids(region)
}

fn ids(region: &Region) -> Arc<Sequence> {
    region.tables.catalogue().sequence(&name("IDS")).expect("the sequence").clone()
}

fn next(task: &mut Task, sequence: &Sequence) -> i64 {
    task.now(|work, unit| work.next_value(unit, sequence))
}

#[test]
fn a_number_is_given_once_whatever_becomes_of_the_unit_of_work() {
    let region = Region::new();
    let sequence = created(&region, sequence(1, i64::MAX, false));
    let (mut task, mut other) = (region.task(), region.task());
    assert_eq!([next(&mut task, &sequence), next(&mut other, &sequence)], [1, 2]);
    task.back_out();
    assert_eq!(next(&mut task, &sequence), 3);
}

#[test]
fn a_restart_goes_on_behind_what_was_noted() {
    let region = Region::new();
    let sequence = created(&region, sequence(1, i64::MAX, false));
    let mut task = region.task();
    let given: Vec<_> = (0..25).map(|_| next(&mut task, &sequence)).collect();
    assert_eq!(given, (1..=25).collect::<Vec<_>>());
    drop(task);
    let region = region.restarted();
    // Those that were noted and not given out are lost.
    assert_eq!(next(&mut region.task(), &ids(&region)), 41);
}

#[test]
fn at_its_end_a_sequence_begins_again_or_fails() {
    let region = Region::new();
    let cycling = created(&region, sequence(2, 4, true));
    let mut task = region.task();
    assert_eq!([0; 4].map(|_| next(&mut task, &cycling)), [1, 3, 1, 3]);
    task.now(|work, unit| work.drop_sequence(unit, &name("IDS")));
    task.commit();
    let ending = created(&region, sequence(2, 4, false));
    assert_eq!([0; 2].map(|_| next(&mut task, &ending)), [1, 3]);
    assert_eq!(task.fails(|work, unit| work.next_value(unit, &ending)).0, -359);
    drop(task);
    let region = region.restarted();
    assert_eq!(region.task().fails(|work, unit| work.next_value(unit, &ids(&region))).0, -359);
}

#[test]
fn a_sequence_that_gives_nothing_is_refused() {
    let region = Region::new();
    let mut task = region.task();
    assert_eq!(task.fails(|work, unit| work.create_sequence(unit, sequence(0, 5, false))).0, -846);
    assert_eq!(task.fails(|work, unit| work.create_sequence(unit, sequence(1, 0, false))).0, -846);
}

#[test]
fn a_sequence_begins_at_its_first_number_whatever_a_dropped_one_has_given() {
    let region = Region::new();
    let dropped = created(&region, sequence(1, i64::MAX, false));
    let mut task = region.task();
    assert_eq!(next(&mut task, &dropped), 1);
    task.now(|work, unit| work.drop_sequence(unit, &name("IDS")));
    task.commit();
    drop(task);
    let region = region.restarted();
    let again = created(&region, sequence(1, i64::MAX, false));
    assert_eq!(next(&mut region.task(), &again), 1);
}
