//! `syncpoint run`: a region from an application's folder.

use std::process;

use command_line::ends::Ends;
use command_line::{event_loop, stderr, terminal};
use kernel::transactions::{Supplied, Transaction, Transactions};
use records::Trust;
use region::{NotStarted, Running, Startup};

use crate::application::{Application, Messages};
use crate::ends;
use crate::log::{self, Log};
use crate::prepare::prepare;
use crate::supervisor::Supervisor;
use crate::watch;

/// Transactions that the first words on the screen name: in one line, and lines at most.
const NAMES_IN_A_LINE: usize = 10;
const NAME_LINES_MAX: usize = 3;

/// The exit status of a region that can no longer write its log, for the program that starts it again.
const STORAGE_FAILED: i32 = 74;

/// The reason why a region ends, which decides how it ends.
enum End {
    InOrder,
    AtOnce,
    /// Its records cannot be relied upon before they are opened again.
    Failed(String),
}

/// Runs a region until a signal or a command stops it.
pub(crate) fn run(application: Application, watch: bool, trust: Trust) -> Result<(), Messages> {
    let log = log::start(&application)?;
    event_loop::run(serve(application, watch, trust, log))
}

async fn serve(application: Application, watch: bool, trust: Trust, log: Log) -> Result<(), Messages> {
    let supervisor = Supervisor::find();
    let before = watch.then(|| watch::Before::of(&application));
    let startup = Startup {
        root: &application.root,
        state: &application.state,
        config: &application.config,
        users: application.users()?,
        users_file: application.root.join(&application.config.security.users.value),
        toolchain: application.toolchain()?,
        trust,
        watchers: Vec::new(),
        tap: None,
        build: None,
    };
    let mut ends = Ends::new()?;
    ends::reopen_when_asked(log)?;
    ends::let_signals_pass()?;
    let started = startup.start_unless(end_in_start(&mut ends, &supervisor)).await;
    let (running, messages) = match started {
        Ok(started) => started,
        Err(NotStarted::Wrong(messages)) => return Err(messages),
        Err(NotStarted::Ended) => {
            eprintln!("the region has ended");
            return Ok(());
        }
    };
    terminal::tell(&messages);
    ends::read_again_when_asked(&running.region)?;
    greet(&application, &running);
    prepare(&running);
    supervisor.ready();
    let watching = before.map(|before| watch::watch(&application, &running, before));
    let end = tokio::select! {
        _ = ends.next() => End::InOrder,
        () = running.region.shutdown.notified() => End::InOrder,
        () = running.region.immediate_shutdown.notified() => End::AtOnce,
        why = running.region.records.failure() => End::Failed(why),
    };
    if let Some(watching) = watching {
        watching.abort();
    }
    supervisor.stopping();
    end_at_next(ends);
    match end {
        End::InOrder => {
            eprintln!(
                "the region shuts down: no new tasks; those that run have half a minute (Ctrl-C again ends them at once)"
            );
            running.shut_down().await;
        }
        End::AtOnce => {
            eprintln!(
                "the region ends at once: tasks are ended, and what they have not committed is backed out"
            );
            running.crash().await;
        }
        End::Failed(why) => {
            eprintln!(
                "the region ends at once, with exit status {STORAGE_FAILED}: {why}. All that was committed is in the \
                 log; the next start is an emergency restart"
            );
            running.crash().await;
            stderr::end();
            process::exit(STORAGE_FAILED);
        }
    }
    eprintln!("the region has ended");
    Ok(())
}

/// Waits for a signal that ends the region before it serves.
async fn end_in_start(ends: &mut Ends, supervisor: &Supervisor) {
    ends.next().await;
    supervisor.stopping();
    eprintln!("the region ends before it has started (Ctrl-C again ends it at once)");
    if let Ok(again) = Ends::new() {
        end_at_next(again);
    }
}

/// Ends the process at the next signal, whatever the region does.
fn end_at_next(mut ends: Ends) {
    tokio::task::spawn_local(async move {
        let status = ends.next().await;
        stderr::end();
        process::exit(status);
    });
}

/// Says where to connect, and shows what to type there.
fn greet(application: &Application, running: &Running) {
    println!("Region {} ({}) runs.", application.config.applid, application.config.sysid);
    for address in running.addresses("tn3270") {
        println!("  Terminals: tn3270 {address}        for example  c3270 {address}");
    }
    for address in running.addresses("tn3270-tls") {
        println!("  Terminals: tn3270 over TLS {address}        for example  c3270 L:{address}");
    }
    for address in running.addresses("debug") {
        println!("  Debugger:  {address}        for an editor: docs/debugging.md");
    }
    for address in running.addresses("operate") {
        println!("  Figures:   http://{address}/metrics, http://{address}/health");
    }
    let scheme = if application.config.console.identity.is_some() { "https" } else { "http" };
    for address in running.addresses("console") {
        println!("  Console:   {scheme}://{address}");
    }
    println!("  State:     {}", application.state.display());
    let transactions = Transactions::of(&running.region).list();
    let own = transactions.iter().filter(|t| t.supplied == Supplied::No && !begins_by_itself(t));
    let own = own.map(|t| t.name.to_string());
    let mut lines = vec![application.config.sit.gmtext.clone(), String::new()];
    lines.push(String::from("Press CLEAR, type the name of a transaction, press ENTER:"));
    lines.extend(
        own.collect::<Vec<_>>().chunks(NAMES_IN_A_LINE).take(NAME_LINES_MAX).map(|names| names.join("  ")),
    );
    print!("{}", screen(&lines));
    println!("Press Ctrl-C to shut it down.");
}

/// Returns true if a message that comes begins the transaction, and not a user who types its name: its program is one of the
/// product's own.
fn begins_by_itself(transaction: &Transaction) -> bool {
    transaction.program.trimmed().starts_with(b"DFH")
}

/// Lines in the frame of a small screen.
fn screen(lines: &[String]) -> String {
    let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let edge = "─".repeat(width + 2);
    let rows: String = lines.iter().map(|line| format!("  │ {line:<width$} │\n")).collect();
    format!("  ┌{edge}┐\n{rows}  └{edge}┘\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_screen_is_framed() {
        let lines = ["HELLO".to_owned(), String::new(), "é".to_owned()];
        assert_eq!(screen(&lines), "  ┌───────┐\n  │ HELLO │\n  │       │\n  │ é     │\n  └───────┘\n");
    }
}
