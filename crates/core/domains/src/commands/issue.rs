//! ISSUE PRINT, ISSUE COPY, ISSUE ERASEAUP: what a display shows, printed, copied or erased. ISSUE DISCONNECT, ISSUE RESET: the end of a
//! session.

use spec::{cmd, cond, opt};
use tn3270::datastream::{Command, Outbound, Size};
use tn3270::screen::Screen;
use tn3270::telnet::PrinterLanguage;

use super::copies::print_screen;
use super::printing;
use super::terminals::{delivered, terminal};
use kernel::exec::{Answers, Call, Handler, Waiting};
use kernel::name::TerminalName;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::task::{Task, WaitKind};
use kernel::terminals::{Page, Terminal, Terminals};

/// These commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::ISSUE_PRINT, Handler::Waits(issue_print)),
    (cmd::ISSUE_COPY, Handler::Waits(issue_copy)),
    (cmd::ISSUE_ERASEAUP, Handler::Waits(issue_eraseaup)),
    (cmd::ISSUE_DISCONNECT, Handler::Now(issue_disconnect)),
    (cmd::ISSUE_RESET, Handler::Now(issue_disconnect)),
];

/// A copy that could not be made.
const NOT_COPIED: Raise = Raise::Condition(cond::TERMERR, 0);

/// ISSUE PRINT: what the screen shows now is printed when the printer is free.
fn issue_print<'a>(task: &'a mut Task, _: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let terminal = terminal(task)?;
        let flushed = task.wait(WaitKind::TERMINAL, terminal.flush()).await?;
        if !flushed {
            return Err(Raise::abend("ATNI"));
        }
        if print_screen(task, &terminal).await? { Ok(()) } else { Err(NOT_COPIED) }
    })
}

/// ISSUE COPY: what another display shows, on the terminal of the task.
fn issue_copy<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let to = terminal(task)?;
        let from: TerminalName = call.need_name(opt::TERMID)?;
        let terminals = Terminals::of(&task.region);
        let from = terminals.get(from).ok_or_else(|| cond::TERMIDERR.raise(0))?;
        let control = Control::of(call.bytes_of(opt::CTLCHAR, 1)?.map(|byte| byte[0]));
        let code_page = task.region.options.terminal_code_page;
        let reads = task.wait(WaitKind::TERMINAL, from.read_buffer(code_page)).await?;
        let screen = reads.ok_or(NOT_COPIED)?;
        match to.parts.printer.map(|printer| printer.language) {
            // Its language has no positions.
            Some(PrinterLanguage::Scs) => Err(NOT_COPIED),
            Some(PrinterLanguage::DataStream) => {
                let stream = control.stream(Command::EraseWrite, screen);
                let printed = printing::print(task, &to, Page::Stream(stream)).await?;
                if printed { Ok(()) } else { Err(NOT_COPIED) }
            }
            None => {
                let command = command_for(&to, screen.size()).ok_or(NOT_COPIED)?;
                delivered(task, call, &to, control.stream(command, screen)).await
            }
        }
    })
}

/// The command that gives a display's screen a size; `None` if it has no such size.
fn command_for(to: &Terminal, size: Size) -> Option<Command> {
    match size {
        size if size == to.parts.default_size => Some(Command::EraseWrite),
        size if size == to.parts.alternate_size => Some(Command::EraseWriteAlternate),
        _ => None,
    }
}

/// The copy control character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Control {
    /// The bits that a write control character has, too: line length, start of the printer, alarm.
    shared: u8,
    protected: bool,
    unprotected: bool,
}

impl Control {
    const SHARED: u8 = 0b0011_1100;
    /// The bits that make any of these a graphic byte.
    const GRAPHIC: u8 = 0xC0;

    /// That of a command; without it the whole buffer is copied.
    fn of(byte: Option<u8>) -> Self {
        let byte = byte.unwrap_or(0b11);
        Self { shared: byte & Self::SHARED, protected: byte & 0b10 != 0, unprotected: byte & 0b01 != 0 }
    }

    /// The stream that shows, or prints, the copy.
    fn stream(self, command: Command, mut screen: Screen) -> Vec<u8> {
        screen.keep(self.protected, self.unprotected);
        let mut stream = screen.redraw(true);
        if let [first, wcc, ..] = &mut stream[..] {
            *first = command.code();
            *wcc |= self.shared | Self::GRAPHIC;
        }
        stream
    }
}

/// ISSUE ERASEAUP: the unprotected fields of the screen are erased.
fn issue_eraseaup<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let terminal = terminal(task)?;
        if terminal.is_printer() {
            return Err(cond::INVREQ.raise(0));
        }
        delivered(task, call, &terminal, Outbound::bare(Command::EraseAllUnprotected)).await
    })
}

/// ISSUE DISCONNECT, and its former name ISSUE RESET: the terminal's session ends with the task.
fn issue_disconnect(task: &mut Task, _: &Call<'_>) -> Outcome {
    terminal(task)?.log_off_with_task();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_copy_control_character_chooses_and_starts() {
        let all = Control { shared: 0, protected: true, unprotected: true };
        assert_eq!(Control::of(None), all);
        assert_eq!(Control::of(Some(0xFB)), Control { shared: 0x38, ..all });
        assert_eq!(Control::of(Some(0xC9)), Control { shared: 0x08, protected: false, unprotected: true });
        assert_eq!(Control::of(Some(0xC2)), Control { shared: 0, protected: true, unprotected: false });
    }
}
