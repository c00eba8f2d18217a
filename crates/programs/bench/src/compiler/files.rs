//! Programs whose code is there already: what a start takes to find it.

use std::time::Duration;

use super::{program, toolchain};
use crate::Options;
use crate::clock::{median, processor_time, progress};
use crate::promise::Measured;
use crate::site::Workshop;
use crate::startup::{self, STATEMENTS};

/// Programs.
const PROGRAMS: usize = 100;
/// Seconds of processor time for all of them, at most.
const LOAD_MAX: f64 = 0.005;
/// Rounds of which the median is taken.
const ROUNDS: usize = 9;
/// After this time a file is known by its stamp.
const SETTLED: Duration = Duration::from_millis(50);

/// Milliseconds of processor time for finding the code of a hundred programs, each looked at whether it is whole and what it was
/// made from has not changed.
pub(crate) fn load(options: &Options) -> Result<Measured, String> {
    let workshop = Workshop::empty()?;
    let programs = options.size(PROGRAMS, 3);
    let names: Vec<String> = (0..programs).map(|number| format!("PROG{number:03}")).collect();
    for name in &names {
        workshop.write(&format!("{name}.cbl"), &startup::program(name))?;
    }
    std::thread::sleep(SETTLED);
    progress("load-100: the programs are compiled");
    let first = toolchain(&workshop)?;
    for name in &names {
        program(&first, name)?;
    }
    let mut seconds = Vec::new();
    let mut entered = Vec::new();
    for round in 0..=options.size(ROUNDS, 1) {
        progress(&format!("load-100: round {round}"));
        let next = toolchain(&workshop)?;
        let before = processor_time();
        let found: Result<Vec<_>, String> = names.iter().map(|name| program(&next, name)).collect();
        let found = found?;
        seconds.push(processor_time() - before);
        if found.iter().any(|program| program.built) {
            return Err("a program that has not changed was compiled".to_owned());
        }
        let before = processor_time();
        let read = found.iter().filter_map(|program| program.unit.program(0));
        let blocks: usize = read.map(|code| code.program().blocks.len()).sum();
        entered.push(processor_time() - before);
        if blocks == 0 {
            return Err("the programs are empty".to_owned());
        }
    }
    progress("");
    let note = format!(
        "{programs} programs of {STATEMENTS} statements; {:.3} ms when all are entered the first time",
        median(entered.split_off(1)) * 1e3
    );
    Ok(Measured::new(median(seconds.split_off(1)) * 1e3, LOAD_MAX * 1e3).note(note))
}
