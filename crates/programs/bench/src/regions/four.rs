//! The row `rls-four`: a card authenticated on four clones that share their records, beside one region with records of its own.

use super::clones::{Setting, Stage};
use super::meter::Step;
use crate::Options;
use crate::authenticator::run;
use crate::clock::{median, progress};
use crate::promise::Measured;

const CLONES: usize = 4;
const ACCOUNTS: usize = 100_000;
const TERMINALS: usize = 200;
/// Messages a second, and seconds of a round.
const RATE: f64 = 1_000.0;
const SECONDS: f64 = 5.0;
/// Rounds of which the median is taken.
const ROUNDS: usize = 3;

/// Microseconds of all processes that authenticate, for a message: the last one is the HSM.
fn all(step: &Step) -> f64 {
    let regions = step.processes.split_last().map_or(&[][..], |(_, regions)| regions);
    regions.iter().map(|time| time.as_secs_f64() * 1e6).sum()
}

/// An authentication on four clones and their record server, beside one on one region: the processor time of all processes.
pub(crate) fn clones(options: &Options) -> Result<Measured, String> {
    let (accounts, terminals) = (options.size(ACCOUNTS, 1_000), options.size(TERMINALS, 4));
    let (rate, seconds) = if options.quick { (20.0, 1.0) } else { (RATE, SECONDS) };
    let quick = options.quick;
    let setting = |regions| Setting { regions, accounts, terminals, logged: false, quick };
    run(async {
        let mut one = Stage::start(setting(1), progress).await?;
        let mut four = Stage::start(setting(CLONES), progress).await?;
        let names = four.names();
        let (mut figures, mut floors, mut note) = (Vec::new(), Vec::new(), String::new());
        for _ in 0..options.size(ROUNDS, 1) {
            floors.push(all(&one.step(rate, seconds).await?));
            let step = four.step(rate, seconds).await?;
            figures.push(all(&step));
            let parts = names.iter().zip(&step.processes);
            let parts: Vec<_> =
                parts.map(|(name, time)| format!("{name} {:.1}", time.as_secs_f64() * 1e6)).collect();
            note = format!("{:.0} a second; us: {}", step.report.rate(), parts.join(", "));
        }
        one.end().await?;
        four.end().await?;
        Ok(Measured::new(median(figures), median(floors)).note(note))
    })
}
