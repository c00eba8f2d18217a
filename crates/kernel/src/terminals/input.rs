//! From a terminal's input to a task, and from a task's end back to the terminal.

use std::sync::Arc;

use tn3270::datastream::{
    Address, Aid, Command, FieldAttribute, Inbound, Input, Outbound, Size, Visibility, Wcc,
};

use super::{Message, Terminal, UpperCase};
use crate::dispatcher::{Attach, AttachError, Refused, give_up};
use crate::name::TransactionName;
use crate::region::Region;
use crate::task::{NextTask, StartCode};

/// More inputs wait at a terminal than its task will ever read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMuch;

/// An input has arrived: for the task that is attached, or for a new one.
///
/// # Errors
/// The terminal has sent more than its task will ever read.
pub fn arrived(region: &Arc<Region>, terminal: &Arc<Terminal>, input: Inbound) -> Result<(), TooMuch> {
    if terminal.task().is_none() {
        start(region, terminal, input);
        return Ok(());
    }
    if !terminal.keep_input(input) {
        return Err(TooMuch);
    }
    // The task may have ended since, without having seen this input.
    if let Some(input) = terminal.take_waiting_input() {
        start(region, terminal, input);
    }
    Ok(())
}

/// Whether an input does no more than clear a screen on which nobody waits for it.
fn only_clears(terminal: &Terminal, input: &Inbound) -> bool {
    input.aid == Aid::Clear && terminal.next_transaction().is_none()
}

/// Starts the task that an input asks for.
fn start(region: &Arc<Region>, terminal: &Arc<Terminal>, input: Inbound) {
    if only_clears(terminal, &input) {
        terminal.try_send(empty_screen());
        return;
    }
    let next = terminal.take_next();
    let name = next.transaction.unwrap_or_else(|| named_by(region, terminal, &input));
    terminal.keep_first_input(input);
    begin(region, terminal, name, next);
}

/// Starts the task that a terminal's input or its last task asks for.
fn begin(region: &Arc<Region>, terminal: &Arc<Terminal>, name: TransactionName, next: NextTask) {
    let mut attach = Attach::new(name, StartCode::Terminal, terminal.user());
    attach.terminal = Some(Arc::clone(terminal));
    attach.commarea = next.commarea;
    attach.channel = next.channel;
    attach.input_message = next.input_message;
    attach_at(region, terminal, attach);
}

/// Starts a task at a terminal that has not asked for it: now, or when it is free.
pub fn start_at(region: &Arc<Region>, terminal: &Arc<Terminal>, attach: Attach) {
    match terminal.queue(attach) {
        None => {}
        Some(attach) => {
            terminal.put_back(attach);
            start_waiting(region, terminal);
        }
    }
}

/// Starts the next of the tasks that wait for the terminal, if that is free. False if none begins.
fn start_waiting(region: &Arc<Region>, terminal: &Arc<Terminal>) -> bool {
    while let Some(mut attach) = terminal.take_waiting() {
        attach.terminal = Some(Arc::clone(terminal));
        match region.dispatcher().try_attach(region, attach) {
            Ok(_) => return true,
            // Another task was faster: at its end it is this one's turn. It may have ended since.
            Err(Refused { why: AttachError::TerminalBusy, attach }) if !terminal.is_gone() => {
                terminal.put_back(*attach);
            }
            Err(refused) => give_up(region, refused),
        }
    }
    false
}

fn attach_at(region: &Arc<Region>, terminal: &Arc<Terminal>, attach: Attach) {
    let name = attach.transaction;
    match region.attach(attach) {
        // A started task was faster: the input is kept for it.
        Ok(_) | Err(AttachError::TerminalBusy) => {}
        Err(why) => {
            terminal.detach(NextTask::default());
            tell_refused(region, terminal, name, why);
        }
    }
}

/// Says at a terminal that a transaction does not begin there.
pub(crate) fn tell_refused(region: &Region, terminal: &Terminal, name: TransactionName, why: AttachError) {
    let message = match why {
        AttachError::TerminalBusy => return,
        AttachError::Unknown => Message::UnknownTransaction(name),
        AttachError::Disabled => Message::DisabledTransaction(name),
        AttachError::NotAuthorized => Message::NotAuthorized(name),
        AttachError::QueueFull => Message::TooManyTasks(name),
        AttachError::Closing => Message::RegionEnds(name),
    };
    terminal.try_send(message_stream(region, terminal, &message.text(region.options.applid)));
}

/// The connection is gone: what was to be started there is kept for its terminal, or given up.
pub fn left(region: &Arc<Region>, terminal: &Arc<Terminal>) {
    for mut attach in terminal.take_all_waiting() {
        attach.terminal = Some(Arc::clone(terminal));
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
    let text = region.terminal_code_page.to_program(text);
    let mut words = text.split(|b| matches!(b, b' ' | b',' | b'(' | 0));
    let name = TransactionName::new(words.find(|word| !word.is_empty()).unwrap_or_default());
    if terminal.upper_case() != UpperCase::No && region.transactions.get(name).is_none() {
        name.upper()
    } else {
        name
    }
}

/// A task has ended: the keyboard is freed if it has not been, and what waits for the terminal goes on.
pub async fn task_ended(region: &Arc<Region>, terminal: &Arc<Terminal>, next: NextTask) {
    terminal.flush().await;
    let immediate = next.transaction.filter(|_| next.immediate);
    terminal.detach(next);
    if let Some(name) = immediate {
        let next = terminal.take_next();
        return begin(region, terminal, name, next);
    }
    if start_waiting(region, terminal) {
        return;
    }
    // The keyboard may have been free before the task was over: a fast user is not to be forgotten.
    if let Some(input) = terminal.take_waiting_input() {
        return start(region, terminal, input);
    }
    if terminal.is_locked() && terminal.task().is_none() {
        terminal.send(keyboard_restore()).await;
        terminal.flush().await;
    }
}

/// A write that does nothing but free the keyboard.
pub fn keyboard_restore() -> Vec<u8> {
    Outbound::write(Command::Write, Wcc { restore_keyboard: true, ..Wcc::default() }).finish()
}

/// A screen with nothing on it, open for typing.
pub fn empty_screen() -> Vec<u8> {
    let mut stream = Outbound::write(Command::EraseWrite, Wcc::RESTORE);
    stream.insert_cursor();
    stream.finish()
}

/// Lines of a message: all of them are written, so that nothing stays of a longer message before it.
const MESSAGE_LINES: u16 = 2;

/// A message on the screen's last lines; the rest of the screen stays, and is open for typing.
pub fn message_stream(region: &Region, terminal: &Terminal, text: &str) -> Vec<u8> {
    let Size { rows, columns } = terminal.size();
    let protected = FieldAttribute::default().protected(true).visibility(Visibility::Bright);
    let mut stream = Outbound::write(Command::Write, Wcc::RESTORE);
    stream.set_buffer_address(Address((rows - MESSAGE_LINES) * columns)).start_field(protected);
    // The first column of each line is left free: an attribute stands in that of the first, and one behind the text.
    let mut lines = broken(text, usize::from(columns) - 2).into_iter();
    for line in (0..MESSAGE_LINES).rev() {
        let text = region.terminal_code_page.from_program(lines.next().unwrap_or_default().as_bytes());
        let end = Address((rows - line) * columns - 1);
        let start = end.0 + 2 - columns;
        stream.set_buffer_address(Address(start)).text(&text);
        if start + text.len() as u16 != end.0 {
            stream.repeat_to_address(end, BLANK);
        }
    }
    stream
        .set_buffer_address(Address(rows * columns - 1))
        .start_field(FieldAttribute::default())
        .set_buffer_address(Address(0))
        .insert_cursor();
    stream.finish()
}

/// The blank of terminals.
const BLANK: u8 = 0x40;

/// A text in lines of at most so many bytes, broken between words where there are any.
fn broken(mut text: &str, longest: usize) -> Vec<&str> {
    let mut lines = Vec::new();
    while text.len() > longest {
        let room = text.floor_char_boundary(longest + 1);
        let at = text[..room].rfind(' ').filter(|at| *at > 0).unwrap_or(text.floor_char_boundary(longest));
        lines.push(&text[..at]);
        text = text[at..].trim_start();
    }
    lines.push(text);
    lines
}

#[cfg(test)]
mod tests {
    use super::broken;

    #[test]
    fn a_message_is_broken_between_words() {
        assert_eq!(broken("one two three", 7), ["one two", "three"]);
        assert_eq!(broken("one two three", 6), ["one", "two", "three"]);
        assert_eq!(broken("onetwothree", 4), ["onet", "woth", "ree"]);
        assert_eq!(broken("one", 3), ["one"]);
    }
}
