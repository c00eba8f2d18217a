//! Damage to the disks of the machine between two lives: every wrong answer without a warning is a failure.

use records::Error;
use records::sim::Damage;

use super::{STEPS, machine, of_all_seeds};
use crate::model::Model;
use crate::world::{World, create_stores};

/// Works for a while, damages something, starts again and reads everything.
fn run(seed: u64) {
    let machine = machine(seed);
    let mut model = Model::default();
    create_stores(&machine.start().expect("an engine"));
    let power = machine.power();
    let mut world = World::new(&machine, machine.start().expect("an engine"), &mut model);
    for _ in 0..STEPS / 2 + power.chance(STEPS) {
        if world.step().is_err() {
            return;
        }
    }
    drop(world);
    power.restore();
    let log = [Damage::Missing, Damage::ZeroTail, Damage::Flip].get(power.chance(4) as usize);
    let damaged = log.map_or_else(|| machine.damage_base(), |damage| machine.damage_log(*damage));
    match machine.start() {
        // Whatever can be read is as the model says.
        Ok(running) => match World::open(&machine, running, &mut model) {
            Ok(_) => {}
            Err(Error::Corrupt(_) | Error::Log(_)) => assert!(damaged, "damage where there is none"),
            Err(error) => panic!("{error}"),
        },
        Err(Error::Corrupt(_) | Error::Log(_)) => assert!(damaged, "damage where there is none"),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn damage_is_never_answered_as_data() {
    of_all_seeds(run);
}
