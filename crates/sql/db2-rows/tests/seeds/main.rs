//! Seeds of misfortune: tasks change rows and records in one unit of work on a machine whose power fails at any byte, whose disk is full
//! or cannot be read; and a ledger of records says which rows must be there.
//!
//! `ROWS_SEEDS=0..10000` runs more than the ordinary ones. A seed that fails prints the one command that runs it again.

#[path = "../common/mod.rs"]
mod common;

mod judge;
mod units;

use std::future::Future;
use std::ops::Range;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::task::Poll;

use records::Engine;
use records::sim::Machine;

use common::{Region, limits, look};
use judge::judge;
use units::World;

/// Seeds in an ordinary run.
const SEEDS: Range<u64> = 0..100;
/// Power cuts in one seed, and steps between two of them at most.
const LIVES: usize = 3;
const STEPS: u64 = 600;
/// Bytes written until the power fails, at most.
const POWER: u64 = 150_000;
/// Tasks at work.
const TASKS: usize = 4;

/// A task that does one unit of work after the other, until the engine fails.
type Actor<'w> = Pin<Box<dyn Future<Output = ()> + 'w>>;

fn run(seed: u64) {
    let mut region = Region::on(Machine::new(seed, limits()));
    let mut world = World::begun(&region);
    for _ in 0..LIVES {
        live(&region, &world);
        region = region_after(region);
        judge(&region, &mut world);
    }
}

/// Lets tasks work until the power fails, or for some steps.
fn live(region: &Region, world: &World) {
    let power = region.machine.power();
    power.fails_after(power.chance(POWER));
    let actor = |_| Box::pin(world.work(region)) as Actor<'_>;
    let mut actors: Vec<Actor<'_>> = (0..TASKS).map(actor).collect();
    for _ in 0..power.chance(STEPS) {
        let failed = match power.chance(16) {
            0 => region.running.engine.checkpoint().is_err() && power.is_off(),
            1 | 2 => region.running.write_group().is_err() && power.is_off(),
            3 => {
                power.set_disk_full(power.chance(6) == 0);
                power.set_read_errors(if power.chance(6) == 0 { 20 } else { 0 });
                false
            }
            _ => {
                let at = power.chance(TASKS as u64) as usize;
                look(actors[at].as_mut()) == Poll::Ready(())
            }
        };
        if failed {
            break;
        }
    }
}

/// The region after a power cut.
fn region_after(region: Region) -> Region {
    let Region { machine, running, tables } = region;
    drop((running, tables));
    machine.power().restore();
    machine.power().set_disk_full(false);
    machine.power().set_read_errors(0);
    Region::on(machine)
}

#[test]
fn rows_are_what_the_ledger_says() {
    let seeds = match std::env::var("ROWS_SEEDS") {
        Ok(text) => {
            let (first, end) = text.split_once("..").expect("ROWS_SEEDS=first..end");
            first.parse().expect("a number")..end.parse().expect("a number")
        }
        Err(_) => SEEDS,
    };
    for seed in seeds {
        if let Err(panic) = std::panic::catch_unwind(|| run(seed)) {
            eprintln!("again: ROWS_SEEDS={seed}..{} cargo test -p db2-rows --test seeds", seed + 1);
            std::panic::resume_unwind(panic);
        }
    }
    let counts = units::COUNTS.each_ref().map(|count| count.load(Ordering::Relaxed));
    eprintln!(
        "committed {} backed out {} deadlocks {} doubles {} definitions {}",
        counts[0], counts[1], counts[2], counts[3], counts[4]
    );
    // A run in which one of these never happens proves nothing of it.
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
}
