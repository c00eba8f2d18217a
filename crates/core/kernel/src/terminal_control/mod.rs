//! Terminal control: from a terminal's input to a task, and from a task's end back to the terminal.
//!
//! A terminal's input starts a task when none is attached, and goes to the task's RECEIVE otherwise. What a terminal itself
//! is, and what its screen shows, is in `terminals`.

mod greeting;
mod started;

use std::sync::Arc;

use tn3270::datastream::{Aid, Inbound, Input};

pub use greeting::greet;

use crate::dispatcher;
use crate::dispatcher::{Attach, AttachError, Dispatcher, Ended, Follower, Refused, give_up};
use crate::name::TransactionName;
use crate::notices::Notices;
use crate::region::Region;
use crate::task::{Facility, NextTask, StartCode};
use crate::terminals::{Message, Terminal, Turn, UpperCase, empty_screen, keyboard_restore, tell, try_tell};
use crate::transactions::Transactions;

/// More inputs wait at a terminal than its task will ever read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMuch;

/// An input has arrived: for the task that is attached, or for a new one.
///
/// # Errors
/// The terminal has sent more than its task will ever read.
pub fn arrived(region: &Arc<Region>, terminal: &Arc<Terminal>, input: Inbound) -> Result<(), TooMuch> {
    if !terminal.keep_input(input) {
        return Err(TooMuch);
    }
    go_on(region, terminal);
    Ok(())
}

/// Starts a task at a terminal that has not asked for it: now, or when it is free. Where too many wait for that, it is given
/// up; a protected START is tried again.
///
/// A terminal of another region has it started there.
pub fn start_at(region: &Arc<Region>, terminal: &Arc<Terminal>, mut attach: Attach) {
    if terminal.owner().is_some() {
        attach.facility = Facility::Terminal(Arc::clone(terminal));
    }
    let Err(attach) = terminal.start_there(attach) else { return };
    if let Err(mut attach) = terminal.queue(*attach) {
        attach.facility = Facility::Terminal(Arc::clone(terminal));
        return give_up(region, Refused { why: AttachError::QueueFull, attach });
    }
    go_on(region, terminal);
    // It may have gone just now.
    if terminal.is_gone() {
        left(region, terminal);
    }
}

/// A task was to be started at a terminal of another region, which cannot be asked: it waits until the terminal is there, or is
/// given up.
pub fn not_started(region: &Arc<Region>, terminal: &Arc<Terminal>, mut attach: Attach) {
    attach.facility = Facility::Terminal(Arc::clone(terminal));
    give_up(region, Refused { why: AttachError::TerminalBusy, attach: Box::new(attach) });
}

/// Gives what waits for a free terminal its turn, until a task is attached.
fn go_on(region: &Arc<Region>, terminal: &Arc<Terminal>) {
    while let Some(turn) = terminal.next_turn() {
        let attached = match turn {
            Turn::Immediate(next) => begin_next(region, terminal, next),
            Turn::Started(started) => begin_started(region, terminal, started::attach(started)),
            Turn::Input(input) => begin_input(region, terminal, input),
        };
        if attached {
            return;
        }
        terminal.give_up();
    }
}

/// The transaction that prints copies of screens.
pub const PRINTS: &str = "CSPP";

/// Returns true if an input is the key that prints a copy of the screen. The region that owns the terminal prints it.
pub fn prints_screen(region: &Region, terminal: &Terminal, input: &Inbound) -> bool {
    region.options.print_key == Some(input.aid) && terminal.owner().is_none()
}

/// Starts the task that an input asks for. One that only clears a screen asks for none, unless a task waits for it.
fn begin_input(region: &Arc<Region>, terminal: &Arc<Terminal>, input: Inbound) -> bool {
    if prints_screen(region, terminal, &input) {
        // What the last RETURN has left is for the input after it.
        let prints = Attach::new(TransactionName::from(PRINTS), StartCode::Terminal, terminal.user());
        return attach_at(region, terminal, prints);
    }
    let mut next = terminal.take_next();
    if next.transaction.is_none() {
        if input.aid == Aid::Clear {
            terminal.try_send(empty_screen());
            return false;
        }
        let of_key = Transactions::of(region).of_key(input.aid);
        next.transaction = Some(of_key.unwrap_or_else(|| named_by(region, terminal, &input)));
    }
    terminal.keep_first_input(input);
    begin_next(region, terminal, next)
}

/// Starts the task that a terminal's input or its last task asks for.
fn begin_next(region: &Arc<Region>, terminal: &Arc<Terminal>, next: NextTask) -> bool {
    let name = next.transaction.unwrap_or_default();
    let mut attach = Attach::new(name, StartCode::Terminal, terminal.user());
    attach.commarea = next.commarea;
    attach.channel = next.channel;
    attach.input_message = next.input_message;
    attach_at(region, terminal, attach)
}

/// Starts a task that was started for the terminal. As published, a COMMAREA that the last RETURN has left is its: it is
/// for the next program that runs here. A task that brings a channel of its own leaves it.
fn begin_started(region: &Arc<Region>, terminal: &Arc<Terminal>, mut attach: Attach) -> bool {
    attach.facility = Facility::Terminal(Arc::clone(terminal));
    let passed = (attach.channel.is_none()).then(|| terminal.take_passed());
    if let Some(passed) = &passed {
        attach.commarea.clone_from(&passed.commarea);
        attach.channel.clone_from(&passed.channel);
    }
    let Err(mut refused) = Dispatcher::of(region).try_attach(region, attach) else { return true };
    if let Some(passed) = passed {
        (refused.attach.commarea, refused.attach.channel) = (None, None);
        terminal.put_back(passed);
    }
    give_up(region, refused);
    false
}

/// Attaches the task and returns true; if it cannot, the terminal's user sees the reason.
fn attach_at(region: &Arc<Region>, terminal: &Arc<Terminal>, mut attach: Attach) -> bool {
    attach.facility = Facility::Terminal(Arc::clone(terminal));
    let name = attach.transaction;
    dispatcher::attach(region, attach).map_err(|why| tell_refused(region, terminal, name, why)).is_ok()
}

/// Says at a terminal that a transaction does not begin there.
fn tell_refused(region: &Arc<Region>, terminal: &Terminal, name: TransactionName, why: AttachError) {
    let Some(message) = refusal(name, why) else { return };
    Notices::message_to_user(region, None, &message);
    try_tell(region, terminal, &message.text(region.options.applid));
}

/// The message for the user whose transaction does not begin; `None` if the user has gone.
pub fn refusal(name: TransactionName, why: AttachError) -> Option<Message> {
    Some(match why {
        // Its connection is gone.
        AttachError::TerminalBusy => return None,
        AttachError::Unknown => Message::UnknownTransaction(name),
        AttachError::Remote => Message::RemoteTransaction(name),
        AttachError::Disabled => Message::DisabledTransaction(name),
        AttachError::NotAuthorized => Message::NotAuthorized(name),
        AttachError::QueueFull => Message::TooManyTasks(name),
        AttachError::Closing => Message::RegionEnds(name),
    })
}

/// The connection is gone: what was to be started there is kept for its terminal, or given up.
pub fn left(region: &Arc<Region>, terminal: &Arc<Terminal>) {
    for mut attach in terminal.take_all_waiting() {
        attach.facility = Facility::Terminal(Arc::clone(terminal));
        give_up(region, Refused { why: AttachError::TerminalBusy, attach: Box::new(attach) });
    }
}

/// The transaction that an input asks for: the first word of its first field, at most four characters.
fn named_by(region: &Region, terminal: &Terminal, input: &Inbound) -> TransactionName {
    let text: &[u8] = match &input.input {
        Input::Unformatted { data, .. } => data,
        Input::Fields { fields, .. } => fields.first().map_or(&[], |field| &field.data),
        Input::None | Input::Structured(_) => &[],
    };
    let text = region.options.terminal_code_page.to_program(text);
    let mut words = text.split(|b| matches!(b, b' ' | b',' | b'(' | 0));
    let name = TransactionName::new(words.find(|word| !word.is_empty()).unwrap_or_default());
    if terminal.upper_case() != UpperCase::No && Transactions::of(region).started_by(name).is_none() {
        name.upper()
    } else {
        name
    }
}

/// Work for a terminal when its task ends.
pub static FOLLOWER: Follower = Follower {
    failed: |task, failure| {
        let terminal = task.terminal()?;
        Some(Box::pin(tell(&task.region, terminal, &failure.message)))
    },
    ended: |region, control, ended| {
        let terminal = control.terminal()?;
        terminal.task().filter(|task| Arc::ptr_eq(task, control))?;
        let Ended { next, message } = std::mem::take(ended);
        Some(Box::pin(async move {
            if let Some(message) = message {
                tell(region, terminal, &message).await;
            }
            task_ended(region, terminal, next).await;
        }))
    },
    refused: |region, Refused { why, attach }| {
        let Facility::Terminal(terminal) = &attach.facility else { return Some(Refused { why, attach }) };
        tell_refused(region, terminal, attach.transaction, why);
        None
    },
};

/// A task has ended: the keyboard is freed if it has not been, and what waits for the terminal goes on.
async fn task_ended(region: &Arc<Region>, terminal: &Arc<Terminal>, next: NextTask) {
    if terminal.owner().is_some() {
        return terminal.leave(next);
    }
    terminal.flush().await;
    terminal.end_job();
    terminal.ends_if_asked();
    let left_locked = terminal.detach(next);
    go_on(region, terminal);
    if left_locked && terminal.task().is_none() {
        terminal.send(keyboard_restore()).await;
        terminal.flush().await;
    }
}
