//! Processor time, medians, and the progress line for people.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::time::{ClockId, clock_gettime};

/// Seconds of processor time that this process has used, all threads together.
pub(crate) fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).expect("every Linux has this clock");
    Duration::from(time).as_secs_f64()
}

/// Seconds of processor time that ended child processes have used.
pub(crate) fn processor_time_of_children() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("a question that is always answered");
    [usage.user_time(), usage.system_time()]
        .iter()
        .map(|t| t.tv_sec() as f64 + t.tv_usec() as f64 / 1e6)
        .sum()
}

/// Seconds of processor time that the work takes.
pub(crate) fn spent(work: impl FnOnce()) -> f64 {
    let before = processor_time();
    work();
    processor_time() - before
}

/// Medians of a figure and its floor, measured in turns so that both see the same machine. A first round warms up
/// and does not count.
pub(crate) fn in_turns(
    id: &str,
    rounds: usize,
    mut figure: impl FnMut() -> f64,
    mut floor: impl FnMut() -> f64,
) -> (f64, f64) {
    let (mut figures, mut floors) = (Vec::new(), Vec::new());
    for round in 0..=rounds {
        progress(&format!("{id}: round {round} of {rounds}"));
        let (one, other) = (figure(), floor());
        if round > 0 {
            figures.push(one);
            floors.push(other);
        }
    }
    progress("");
    (median(figures), median(floors))
}

/// The middle one.
pub(crate) fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Says what is being done, in a line that the next word replaces; to people only.
pub(crate) fn progress(what: &str) {
    let mut terminal = std::io::stderr();
    if !terminal.is_terminal() {
        return;
    }
    // A closed terminal is no reason to stop.
    let _ = write!(terminal, "\r\x1b[K{what}").and_then(|()| terminal.flush());
}

/// A step of the work, in a line of its own.
pub(crate) fn say(what: &str) {
    progress("");
    println!("  {what}");
    // A reader that has gone is no reason to stop.
    let _ = std::io::stdout().flush();
}
