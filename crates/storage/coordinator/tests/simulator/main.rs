//! Seeds of misfortune: units of work end in several places while coordinator and participants are killed, messages are
//! lost, late or come twice, power fails and operators do not wait.
//!
//! The coordinator keeps its decisions and own changes in the real record engine on a simulated machine; one participant is
//! another such engine, two are models. `COORDINATOR_SEEDS=0..10000` runs more than the ordinary few. A seed that fails
//! prints the one command that runs it again.

mod engine;
mod model;
mod network;
mod site;
mod world;

use std::ops::Range;

use world::{Counts, World};

/// Seeds in an ordinary run.
const SEEDS: Range<u64> = 0..100;
/// Steps of one seed, at most.
const STEPS: u64 = 1500;

fn run(seed: u64) -> Counts {
    let mut world = World::new(seed);
    for _ in 0..100 + world.chance(STEPS) {
        world.step();
    }
    world.end()
}

#[test]
fn all_commit_or_all_back_out_and_nothing_is_in_doubt_for_ever() {
    let seeds = match std::env::var("COORDINATOR_SEEDS") {
        Ok(text) => {
            let (first, end) = text.split_once("..").expect("COORDINATOR_SEEDS=first..end");
            first.parse().expect("a number")..end.parse().expect("a number")
        }
        Err(_) => SEEDS,
    };
    let mut counts = Counts::default();
    for seed in seeds {
        match std::panic::catch_unwind(|| run(seed)) {
            Ok(more) => counts.add(&more),
            Err(panic) => {
                eprintln!(
                    "again: COORDINATOR_SEEDS={seed}..{} cargo test -p coordinator --test simulator",
                    seed + 1
                );
                std::panic::resume_unwind(panic);
            }
        }
    }
    println!("{counts:?}");
    assert!(counts.committed > 0 && counts.backed_out > 0 && counts.resolved > 0, "{counts:?}");
    assert!(counts.resolved_own > 0 && counts.forced_own > 0, "{counts:?}");
}
