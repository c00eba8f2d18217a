//! Seeds of misfortune: tasks work on a machine whose power fails at any byte, whose disk is full, slow, cannot be read
//! or writes to a wrong place; and a model knows what must be there.
//!
//! `RECORDS_SEEDS=0..10000` runs more than the ordinary hundred. A seed that fails prints the one command that runs it
//! again. Seeds with odd numbers run encrypted.

mod damage;
mod model;
mod no_space;
mod world;

use std::ops::Range;
use std::time::Duration;

use model::Model;
use records::sim::{Machine, READ_ERROR, Running};
use records::{EncryptionKey, Error, Limits};
use world::{World, create_stores};

/// Seeds in an ordinary run.
const SEEDS: Range<u64> = 0..100;
/// Power cuts in one seed, and steps between two of them at most.
const LIVES: usize = 6;
const STEPS: u64 = 300;
/// Bytes written until the power fails, at most.
const POWER: u64 = 200_000;
/// One of so many seeds has a write that goes to a wrong place.
const MISDIRECTING: u64 = 4;

/// A machine with small segments, encrypted or not.
fn machine(seed: u64) -> Machine {
    // The log is written when the simulation says so, not by who waits.
    let limits = Limits { segment_bytes: 64 * 1024, quick_force: Duration::ZERO, ..Limits::default() };
    let machine = Machine::new(seed, limits);
    match EncryptionKey::from_hex(&"5c".repeat(32)) {
        Some(key) if seed % 2 == 1 => machine.encrypted(key),
        _ => machine,
    }
}

fn run(seed: u64) {
    let machine = machine(seed);
    let mut model = Model::default();
    create_stores(&machine.start().expect("an engine"));
    for _ in 0..LIVES {
        let Some(running) = start(&machine) else { return };
        let mut world = World::new(&machine, running, &mut model);
        let power = machine.power();
        power.fails_after(power.chance(POWER));
        let steps = power.chance(STEPS);
        let misdirected = seed.is_multiple_of(MISDIRECTING).then(|| power.chance(STEPS));
        for step in 0..steps {
            if misdirected == Some(step) {
                power.misdirect_next_write();
            }
            if world.step().is_err() {
                break;
            }
        }
    }
}

/// Starts an engine; the power may fail a few times while it does, and reads may. Nothing if what a misdirected write
/// has left is refused: the one thing that must not happen is that it goes unnoticed.
fn start(machine: &Machine) -> Option<Running> {
    let power = machine.power();
    for attempt in 0.. {
        power.restore();
        if attempt < 3 {
            power.fails_after(power.chance(2000));
            power.set_read_errors(power.chance(20));
        }
        match machine.start() {
            Ok(running) => {
                power.restore();
                return Some(running);
            }
            Err(Error::Corrupt(_) | Error::Log(_)) if power.was_misdirected() => return None,
            Err(Error::Io(text)) if text.ends_with(READ_ERROR) => {}
            Err(error) => assert!(power.is_off(), "{error}"),
        }
    }
    unreachable!("the power does not fail for ever")
}

/// Runs something with the seeds that were asked for.
fn of_all_seeds(run: fn(u64)) {
    let seeds = match std::env::var("RECORDS_SEEDS") {
        Ok(text) => {
            let (first, end) = text.split_once("..").expect("RECORDS_SEEDS=first..end");
            first.parse().expect("a number")..end.parse().expect("a number")
        }
        Err(_) => SEEDS,
    };
    for seed in seeds {
        if let Err(panic) = std::panic::catch_unwind(|| run(seed)) {
            eprintln!("again: RECORDS_SEEDS={seed}..{} cargo test -p records --test simulator", seed + 1);
            std::panic::resume_unwind(panic);
        }
    }
}

#[test]
fn what_was_acknowledged_survives_and_nothing_else_is_there() {
    of_all_seeds(run);
}
