//! A fixed scenario in which the N-th call that changes a disk finds no room, for every N: once, or from there on.

use records::sim::{Machine, NoSpace, Running};
use records::{Answer, Decider, Decision, Engine, Error, Result, StoreId};

use crate::machine;
use crate::world::{STORES, create_stores, now};

/// Large enough that a few units of work fill a segment.
const RECORD: usize = 9_000;
/// Units of work of the scenario.
const UNITS: u8 = 12;
/// Units after which there is a checkpoint.
const CHECKPOINTS: [u8; 2] = [4, 9];
/// The unit that is prepared first.
const PREPARED: u8 = 6;
/// More calls than the scenario makes.
const CALLS_MAX: u64 = 200;

/// Fates of a unit of work.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Durable,
    Refused,
    /// The disk failed in a way after which only a restart can tell.
    Unknown,
}

fn fate(outcome: Result<()>) -> Fate {
    match outcome {
        Ok(()) => Fate::Durable,
        Err(Error::NoSpace(_) | Error::NotIndoubt) => Fate::Refused,
        Err(_) => Fate::Unknown,
    }
}

/// The outcome of something that is in the log's queue.
fn written(running: &Running, mut answer: Answer<'_, Result<()>>) -> Result<()> {
    use std::future::Future;
    use std::task::{Context, Poll, Waker};
    for _ in 0..3 {
        if let Poll::Ready(outcome) =
            std::pin::Pin::new(&mut answer).poll(&mut Context::from_waker(Waker::noop()))
        {
            return outcome;
        }
        // Those who wait learn of an error.
        let _ = running.write_group();
    }
    panic!("nobody answers");
}

fn unit(running: &Running, store: StoreId, number: u8) -> Result<()> {
    let mut unit = running.engine.begin(running.engine.locks().new_owner());
    now(unit.put(store, &[number], &vec![number; RECORD]))?;
    if number == PREPARED {
        written(running, unit.prepare(b"prepared"))?;
        drop(unit);
        return written(running, running.engine.resolve(b"prepared", Decision::Commit, Decider::Coordinator));
    }
    written(running, unit.commit())
}

fn scenario(running: &Running) -> Vec<Fate> {
    let store = running.engine.find(STORES[0].0).expect("the store");
    let mut fates = Vec::new();
    for number in 0..UNITS {
        fates.push(fate(unit(running, store, number)));
        if CHECKPOINTS.contains(&number) {
            // A checkpoint that finds no room is tried again by the engine's thread; here, at the next one.
            let _ = running.engine.checkpoint();
        }
    }
    fates
}

fn is_there(running: &Running, number: u8) -> bool {
    let store = running.engine.find(STORES[0].0).expect("the store");
    let mut unit = running.engine.begin(running.engine.locks().new_owner());
    let mut record = Vec::new();
    let found = now(unit.get(store, &[number], &mut record)).expect("a read");
    assert!(!found || record == vec![number; RECORD], "half a record");
    found
}

/// Ends what the scenario may have left in doubt.
fn resolve_rest(running: &Running, fates: &mut [Fate]) {
    if running.engine.indoubt().expect("a list").is_empty() {
        return;
    }
    let outcome =
        written(running, running.engine.resolve(b"prepared", Decision::Commit, Decider::Coordinator));
    assert_eq!(outcome, Ok(()), "there is room again");
    fates[usize::from(PREPARED)] = Fate::Durable;
}

/// The scenario on a new machine. False if it made too few calls to reach the trouble.
fn run(seed: u64, trouble: fn(u64) -> NoSpace, call: u64) -> bool {
    let machine: Machine = machine(seed);
    create_stores(&machine.start().expect("an engine"));
    let running = machine.start().expect("an engine");
    let power = machine.power();
    let before = power.calls();
    power.set_no_space(Some(trouble(before + call)));
    let mut fates = scenario(&running);
    let met = power.calls() - before >= call;
    power.set_no_space(None);
    let goes_on = !fates.contains(&Fate::Unknown);
    if goes_on {
        // Without a restart, as soon as there is room.
        resolve_rest(&running, &mut fates);
        running.engine.checkpoint().expect("there is room again");
        let store = running.engine.find(STORES[0].0).expect("the store");
        assert_eq!(unit(&running, store, UNITS), Ok(()), "call {call}");
    }
    drop(running);
    let running = machine.start().expect("a restart needs no room");
    resolve_rest(&running, &mut fates);
    for (number, fate) in fates.iter().enumerate() {
        let there = is_there(&running, number as u8);
        match fate {
            Fate::Durable => assert!(there, "call {call}: unit {number} is lost"),
            Fate::Refused => assert!(!there, "call {call}: unit {number} was refused"),
            Fate::Unknown => {}
        }
    }
    assert_eq!(is_there(&running, UNITS), goes_on, "call {call}");
    met
}

#[test]
fn no_room_at_any_call_is_refused_in_order_or_over_with_a_restart() {
    for seed in [0, 1] {
        for trouble in [NoSpace::At as fn(u64) -> NoSpace, NoSpace::From] {
            let calls = (1..CALLS_MAX).take_while(|call| run(seed, trouble, *call)).count();
            assert!((20..CALLS_MAX as usize - 1).contains(&calls), "{calls} calls");
        }
    }
}
