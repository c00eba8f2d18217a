//! Copies of screens on printers, for ISSUE PRINT and the print key.
//!
//! ```text
//! display ◄── Read Buffer      the screen, with all that its user has typed
//!         ──► its lines ──► START of CSPP at the first printer that is free ──► paper
//! ```

use std::sync::Arc;
use std::time::Duration;

use spec::cond;
use tn3270::datastream::{Command, Outbound, Wcc};
use tn3270::telnet::PrinterLanguage;

use super::printing;
use crate::interval::{IntervalControl, Start, StartData};
use kernel::limits::COPIES_WAITING_MAX;
use kernel::lines::often;
use kernel::name::{TerminalName, TransactionName};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::{Origin, Task, WaitKind};
use kernel::terminal_control::PRINTS;
use kernel::terminals::{Page, Terminal, Terminals};

/// Has a copy of a display's screen printed. Returns false if the display has no printer, or does not say what it shows.
///
/// # Errors
/// The abend of a task that was purged.
pub async fn print_screen(task: &Task, display: &Terminal) -> Outcome<bool> {
    let name = display.name;
    let Some(printer) = Terminals::of(&task.region).printer_for(name) else {
        often!(warn, target: "TC", "terminal {name} has no printer: PRINTER of its TERMINAL definition names one");
        return Ok(false);
    };
    let code_page = task.region.options.terminal_code_page;
    let Some(screen) = task.wait(WaitKind::TERMINAL, display.read_buffer(code_page)).await? else {
        often!(warn, target: "TC", "terminal {name} does not say what it shows: nothing is printed");
        return Ok(false);
    };
    let started = start(task, printer, printing::text_of(&screen, code_page));
    if started.is_err() {
        often!(warn, target: "TC", "terminal {name}: too much waits for printer {printer}: nothing is printed");
    }
    Ok(started.is_ok())
}

/// Starts the task that prints a text, when its printer is free.
///
/// # Errors
/// NOSPACE, IOERR, INVREQ: too many copies wait for the printer, or too much waits altogether.
fn start(task: &Task, printer: TerminalName, text: Vec<u8>) -> Outcome {
    let interval = IntervalControl::of(&task.region);
    let transaction = TransactionName::from(PRINTS);
    if interval.waiting_for(printer, transaction) >= COPIES_WAITING_MAX {
        return Err(cond::NOSPACE.raise(0));
    }
    let counted = Some(interval.counts(&text)?);
    let start = Start {
        transaction,
        terminal: Some(printer),
        data: StartData { data: Some(text), counted, ..StartData::default() },
        channel: None,
        user: Arc::clone(&task.user),
        origin: Origin::default(),
        followed: None,
    };
    interval.start(&task.region, interval.new_request(), start, Duration::ZERO)
}

/// CSPP at a printer: prints the text that the task was started with. Returns false if there is none, or it cannot be printed. A
/// text whose printer is lost meanwhile waits for it once more, behind those that wait already.
///
/// # Errors
/// The abend of a task whose printer is gone, or that was purged.
pub async fn print_text(task: &mut Task, terminal: &Terminal) -> Outcome<bool> {
    let text = task.kept.take::<StartData>().and_then(|data| data.data);
    let (Some(text), Some(printer)) = (text, terminal.parts.printer) else { return Ok(false) };
    let page = match printer.language {
        PrinterLanguage::Scs => Page::Scs(text.clone()),
        PrinterLanguage::DataStream => printing::lines_of(Command::EraseWrite, STARTS, text.clone()),
    };
    let printed = printing::print(task, terminal, page).await;
    if printed.is_err() && terminal.is_gone() {
        wait_for(task, terminal.name, text);
    }
    printed
}

/// Has a text wait for a printer that is gone. One without a definition has a name for as long as it is there: it never comes back.
fn wait_for(task: &Task, printer: TerminalName, text: Vec<u8>) {
    let is_defined = Terminals::of(&task.region).defined.get(printer).is_some();
    if !is_defined {
        often!(warn, target: "TC", "printer {printer} is gone, and has no definition: a copy of a screen is lost");
    } else if start(task, printer, text).is_err() {
        often!(warn, target: "TC", "too much waits for printer {printer}: a copy of a screen is lost");
    }
}

/// The printer is started; its lines are as long as they are.
const STARTS: Wcc = Wcc { start_printer: true, alarm: false, restore_keyboard: false, reset_modified: false };

/// The answer to a print key that prints nothing: the keyboard is free, and its user hears it.
pub fn not_printed() -> Vec<u8> {
    let wcc = Wcc { restore_keyboard: true, alarm: true, ..Wcc::default() };
    Outbound::write(Command::Write, wcc).finish()
}
