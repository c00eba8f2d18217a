//! RECEIVE, SEND and CONVERSE: terminal control without maps.

use std::sync::Arc;

use spec::{OptionId, cmd, cond, opt};
use tn3270::datastream::{Aid, Command, Inbound, Input, Outbound, Wcc};
use tn3270::telnet::PrinterLanguage;

use kernel::exec::call::Delivery;
use kernel::exec::{Answers, Call, Handler, NOT_IN_SUBSET, Waiting};
use kernel::limits::HALFWORD_LENGTH_MAX;
use kernel::meters::Figure;
use kernel::monitoring::{RecordType, Switch};
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::task::{Task, WaitKind};
use kernel::terminal_control::prints_screen;
use kernel::terminals::{Page, Printer, Terminal, UpperCase, data, keyboard_restore};

use super::copies::{not_printed, print_screen};
use super::printing::print;
use super::scs;

/// This domain's commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::RECEIVE, Handler::Waits(receive)),
    (cmd::SEND, Handler::Waits(send)),
    (cmd::CONVERSE, Handler::Waits(converse)),
    (cmd::WAIT_TERMINAL, Handler::Waits(wait_terminal)),
];

/// The abend of a task whose terminal says nothing for longer than RTIMOUT.
const TOO_SILENT: &str = "AKCT";

/// The terminal of a task.
///
/// # Errors
/// NOTALLOC for a task without one; INVREQ for a task that another region has asked for.
pub(super) fn terminal(task: &Task) -> Outcome<Arc<Terminal>> {
    task.terminal().cloned().ok_or_else(|| match task.start_code.is_link() {
        true => cond::INVREQ.raise(NOT_IN_SUBSET),
        false => cond::NOTALLOC.raise(0),
    })
}

/// The next input for a task: what started it, or what its terminal sends now. EIBAID and EIBCPOSN are set, and the
/// label that HANDLE AID gave for the key.
///
/// # Errors
/// The abend of a task whose terminal is gone, or that was purged.
pub async fn receive_input(task: &mut Task, terminal: &Terminal) -> Outcome<Inbound> {
    if terminal.is_printer() {
        // Nothing ever comes from it.
        return Err(cond::INVREQ.raise(0));
    }
    let input = loop {
        let input = next_input(task, terminal).await?;
        if !prints_screen(&task.region, terminal, &input) {
            break input;
        }
        if !print_screen(task, terminal).await? {
            task.wait(WaitKind::TERMINAL, terminal.send(not_printed())).await?;
        }
    };
    task.adds(Figure::TerminalBytesIn, input_length(&input));
    let aid = task.region.options.terminal_code_page.to_program_table()[usize::from(input.aid.code())];
    let cursor = input.cursor().unwrap_or_default().0;
    let level = task.level_mut();
    level.eib.set_input(aid, cursor);
    level.input_label = level.handles.aid(input.aid);
    Ok(input)
}

/// The next input that is there, or that comes.
///
/// # Errors
/// As [`receive_input`].
async fn next_input(task: &Task, terminal: &Terminal) -> Outcome<Inbound> {
    if let Some(input) = terminal.take_input() {
        return Ok(input);
    }
    if terminal.is_locked() {
        task.wait(WaitKind::TERMINAL, terminal.send(keyboard_restore())).await?;
    }
    arrived(task, terminal).await
}

/// Bytes of an input: its key, the cursor, fields with their places.
fn input_length(input: &Inbound) -> usize {
    const KEY: usize = 1;
    const CURSOR: usize = 2;
    const PLACE: usize = 3;
    KEY + match &input.input {
        Input::None => 0,
        Input::Fields { fields, .. } => {
            CURSOR + fields.iter().map(|field| PLACE + field.data.len()).sum::<usize>()
        }
        Input::Unformatted { data, .. } => CURSOR + data.len(),
        Input::Structured(fields) => fields.iter().map(Vec::len).sum(),
    }
}

/// Waits for input, as long as RTIMOUT of the transaction's profile lets it.
///
/// # Errors
/// The abend of a task whose terminal is gone or says nothing for too long, or that was purged.
async fn arrived(task: &Task, terminal: &Terminal) -> Outcome<Inbound> {
    task.record_if(Switch::Conversation, RecordType::Conversation);
    let input = terminal.wait_input();
    let input = match task.transaction.profile.read_limit() {
        Some(limit) => {
            let in_time = task.wait(WaitKind::TERMINAL, tokio::time::timeout(limit, input)).await?;
            in_time.map_err(|_| Raise::abend(TOO_SILENT))?
        }
        None => task.wait(WaitKind::TERMINAL, input).await?,
    };
    input.ok_or_else(|| Raise::abend("ATNI"))
}

/// RECEIVE: INPUTMSG if there is one, else the terminal's input.
fn receive<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move { receive_into(task, call, Lengths::RECEIVE).await })
}

/// The options by which a command says how long its areas are.
struct Lengths {
    length: [OptionId; 2],
    maximum: [OptionId; 2],
}

impl Lengths {
    const RECEIVE: Self =
        Self { length: [opt::LENGTH, opt::FLENGTH], maximum: [opt::MAXLENGTH, opt::MAXFLENGTH] };
    const CONVERSE: Self =
        Self { length: [opt::TOLENGTH, opt::TOFLENGTH], maximum: [opt::MAXLENGTH, opt::MAXFLENGTH] };

    fn delivery(&self, call: &Call<'_>) -> Delivery {
        let given = |options: [OptionId; 2]| options.into_iter().find(|option| call.has(*option));
        let length = given(self.length).unwrap_or(self.length[0]);
        Delivery { room: given(self.maximum).unwrap_or(length), length, ..Delivery::PLAIN }
    }
}

async fn receive_into(task: &mut Task, call: &Call<'_>, lengths: Lengths) -> Outcome {
    let terminal = terminal(task)?;
    let data = match task.take_input_message() {
        Some(message) => message,
        None => {
            let input = receive_input(task, &terminal).await?;
            let upper_case = translates(task, &terminal) && !call.keyword(opt::ASIS);
            data::from_line(task.region.options.terminal_code_page, &input, upper_case)
        }
    };
    call.deliver(&data, lengths.delivery(call), |data| task.hold(data))
}

/// Returns true if input for a task is translated to upper case: by its terminal, or by its transaction's profile.
pub(crate) fn translates(task: &Task, terminal: &Terminal) -> bool {
    terminal.upper_case() == UpperCase::Yes || task.transaction.profile.upper_case()
}

/// SEND: the data stream after the write control character is the program's own, in program characters.
fn send<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move { send_from(task, call, [opt::LENGTH, opt::FLENGTH]).await })
}

async fn send_from(task: &mut Task, call: &Call<'_>, lengths: [OptionId; 2]) -> Outcome {
    let terminal = terminal(task)?;
    let length = lengths.into_iter().find(|option| call.has(*option)).unwrap_or(lengths[0]);
    let data = call.outgoing(opt::FROM, length, HALFWORD_LENGTH_MAX)?.unwrap_or_default();
    if let Some(Printer { language: PrinterLanguage::Scs, .. }) = terminal.parts.printer {
        let page = Page::Scs(scs::to_line(task.region.options.terminal_code_page, &data));
        return printed(task, &terminal, page).await;
    }
    let stream = if call.keyword(opt::STRFIELD) {
        // Structured fields are bytes, not characters.
        [&[Command::WriteStructuredField.code()], data.as_slice()].concat()
    } else {
        write_stream(task, call, &data::to_line(task.region.options.terminal_code_page, &data))?
    };
    if terminal.is_printer() {
        return printed(task, &terminal, Page::Stream(stream)).await;
    }
    delivered(task, call, &terminal, stream).await
}

/// Sends a data stream to a display. With WAIT, the display has it when the command is over.
///
/// # Errors
/// The abend of a task whose terminal is gone, or that was purged.
pub(crate) async fn delivered(task: &Task, call: &Call<'_>, terminal: &Terminal, stream: Vec<u8>) -> Outcome {
    terminal.forget_first_input();
    task.adds(Figure::TerminalBytesOut, stream.len());
    let mut sent = task.wait(WaitKind::TERMINAL, terminal.send(stream)).await?;
    if sent && call.keyword(opt::WAIT) {
        sent = task.wait(WaitKind::TERMINAL, terminal.flush()).await?;
    }
    // What published systems do to a task whose terminal is lost.
    if sent { Ok(()) } else { Err(Raise::abend("ATNI")) }
}

/// Has a printer print what a program sends it.
///
/// # Errors
/// TERMERR: the printer cannot print it. The abend of a task whose printer is gone, or that was purged.
async fn printed(task: &Task, terminal: &Terminal, page: Page) -> Outcome {
    if print(task, terminal, page).await? { Ok(()) } else { Err(cond::TERMERR.raise(0)) }
}

/// Returns true if an ERASE gives the screen its alternate size: by its own option, else by the transaction's profile.
pub(crate) fn erases_to_alternate(task: &Task, call: &Call<'_>) -> bool {
    call.keyword(opt::ALTERNATE)
        || (task.transaction.profile.alternate_screen() && !call.keyword(opt::DEFAULT))
}

fn write_stream(task: &Task, call: &Call<'_>, data: &[u8]) -> Outcome<Vec<u8>> {
    let command = match (call.keyword(opt::ERASE), erases_to_alternate(task, call)) {
        (false, _) => Command::Write,
        (true, false) => Command::EraseWrite,
        (true, true) => Command::EraseWriteAlternate,
    };
    let wcc = Wcc { restore_keyboard: !call.keyword(opt::LEAVEKB), reset_modified: true, ..Wcc::default() };
    let mut stream = Outbound::write(command, wcc);
    stream.raw(data);
    let mut stream = stream.finish();
    if let (Some(given), Some(wcc)) = (call.bytes_of(opt::CTLCHAR, 1)?, stream.get_mut(1)) {
        // As it is: it has a printer's line length, too.
        *wcc = given[0];
    }
    Ok(stream)
}

/// WAIT TERMINAL: the terminal has all that was sent.
fn wait_terminal<'a>(task: &'a mut Task, _: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let terminal = terminal(task)?;
        let sent = task.wait(WaitKind::TERMINAL, terminal.flush()).await?;
        if sent { Ok(()) } else { Err(Raise::abend("ATNI")) }
    })
}

/// CONVERSE: SEND, then RECEIVE of what comes next.
fn converse<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let terminal = terminal(task)?;
        if terminal.is_printer() {
            return Err(cond::INVREQ.raise(0));
        }
        // What the terminal sent before it could see the question is no answer.
        while terminal.take_input().is_some_and(|input| input.aid != Aid::None) {}
        send_from(task, call, [opt::FROMLENGTH, opt::FROMFLENGTH]).await?;
        receive_into(task, call, Lengths::CONVERSE).await
    })
}
