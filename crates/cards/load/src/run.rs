//! A run: all terminals at once, on one thread.

use std::cell::{Cell, RefCell};
use std::io::{self, Write};
use std::mem;
use std::rc::Rc;
use std::time::Duration;

use diagnostics::Diagnostic;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};

use crate::machine::{allow_open_files, processor_time};
use crate::plan::Plan;
use crate::report::Report;
use crate::terminal::{Shared, Terminal};

/// Files that are open besides the terminals' connections.
const OTHER_FILES: u64 = 64;
/// The interval at which progress is shown and the ledger written out.
const TELL_EVERY: Duration = Duration::from_secs(1);

/// Runs a plan until all messages are sent or `until` is ready. The ledger gets a line for each counter that was
/// accepted or may have been; `progress` sees the report once a second. It must run within a `LocalSet` on a
/// current-thread runtime, so that the client's processor time is that of one thread.
pub async fn run(
    mut plan: Plan,
    ledger: impl Write + 'static,
    mut progress: impl FnMut(&Report),
    until: impl Future<Output = ()>,
) -> Result<Report, Vec<Diagnostic>> {
    plan.check()?;
    check_open_files(plan.terminals.len() as u64)?;
    let report = Report { planned: plan.messages(), wanted_rate: plan.wanted_rate(), ..Report::default() };
    let files = mem::take(&mut plan.terminals);
    let shared = Rc::new(Shared {
        random: RefCell::new(fastrand::Rng::with_seed(plan.seed)),
        plan,
        report: RefCell::new(report),
        ledger: RefCell::new(Box::new(io::BufWriter::new(ledger))),
        ledger_error: RefCell::default(),
        last_number: Cell::new(0),
    });
    let processor = processor_time();
    let start = Instant::now();
    let mut terminals = JoinSet::new();
    for file in files {
        terminals.spawn_local(Terminal::new(file, Rc::clone(&shared)).run(start));
    }
    let update = |shared: &Shared| {
        let mut report = shared.report.borrow_mut();
        report.elapsed = start.elapsed();
        report.processor = processor_time().saturating_sub(processor);
    };
    let mut ticks = tokio::time::interval(TELL_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    tokio::pin!(until);
    loop {
        tokio::select! {
            () = &mut until => break,
            ended = terminals.join_next() => if ended.is_none() { break },
            _ = ticks.tick() => {
                update(&shared);
                flush(&shared);
                progress(&shared.report.borrow());
            }
        }
    }
    terminals.shutdown().await;
    update(&shared);
    flush(&shared);
    match shared.ledger_error.take() {
        Some(error) => {
            Err(vec![Diagnostic::error("SPLD008", format!("the ledger cannot be written: {error}"))])
        }
        None => Ok(shared.report.take()),
    }
}

fn flush(shared: &Shared) {
    if let Err(error) = shared.ledger.borrow_mut().flush() {
        shared.ledger_error.borrow_mut().get_or_insert(error);
    }
}

fn check_open_files(terminals: u64) -> Result<(), Vec<Diagnostic>> {
    let needed = terminals + OTHER_FILES;
    let allowed = allow_open_files(needed);
    if allowed >= needed {
        return Ok(());
    }
    let message =
        format!("{terminals} terminals need {needed} open files, and this machine allows {allowed}");
    Err(vec![
        Diagnostic::error("SPLD009", message).help("raise the limit (ulimit -n), or run fewer terminals"),
    ])
}
