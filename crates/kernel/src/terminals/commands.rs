//! RECEIVE, SEND and CONVERSE: terminal control without maps.

use std::sync::Arc;

use spec::{CommandId, OptionId, cmd, cond, opt};
use tn3270::datastream::{Aid, Command, Inbound, Input, Outbound, Wcc};

use super::{Terminal, input};
use crate::exec::call::Delivery;
use crate::exec::{Call, Handler, Waiting};
use crate::limits::COMMAREA_LENGTH_MAX;
use crate::raise::{Outcome, Raise, RaiseCondition};
use crate::task::{Task, WaitKind};

/// This domain's commands.
pub(crate) const HANDLERS: &[(CommandId, Handler)] = &[
    (cmd::RECEIVE, Handler::Waits(receive)),
    (cmd::SEND, Handler::Waits(send)),
    (cmd::CONVERSE, Handler::Waits(converse)),
    (cmd::WAIT_TERMINAL, Handler::Now(|_, _| Ok(()))),
];

fn terminal(task: &Task) -> Outcome<Arc<Terminal>> {
    task.terminal.clone().ok_or_else(|| cond::NOTALLOC.raise(0))
}

/// Whether a task's input becomes upper case: its terminal or its transaction's profile wants it.
pub(crate) fn upper_cases(task: &Task, terminal: &Terminal) -> bool {
    terminal.upper_case() || task.transaction.upper_case
}

/// The next input for a task: what started it, or what its terminal sends now. EIBAID and EIBCPOSN are set, and the
/// label that HANDLE AID gave for the key.
///
/// # Errors
/// The abend of a task whose terminal is gone, or that was purged.
pub(crate) async fn receive_input(task: &mut Task, terminal: &Terminal) -> Outcome<Inbound> {
    let input = match terminal.take_input() {
        Some(input) => input,
        None => {
            if terminal.is_locked() {
                let unlocked = terminal.send(input::keyboard_restore());
                task.wait(WaitKind::Terminal, unlocked).await?;
            }
            let arrived = task.wait(WaitKind::Terminal, terminal.wait_input()).await?;
            arrived.ok_or_else(|| Raise::abend("ATNI"))?
        }
    };
    let aid = task.region.terminal_code_page.to_program_table()[usize::from(input.aid.code())];
    let cursor = input.cursor().unwrap_or_default().0;
    let level = task.level_mut();
    level.eib.set_input(aid, cursor);
    level.input_label = level.handles.aid(input.aid);
    Ok(input)
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
    let data = match task.level_mut().input_message.take() {
        Some(message) => message,
        None => {
            let input = receive_input(task, &terminal).await?;
            as_data(task, &terminal, &input, call.keyword(opt::ASIS))
        }
    };
    call.deliver(&data, lengths.delivery(call), |data| task.hold(data))
}

/// An input as a program reads it: program characters; of a formatted screen, each field behind its address.
fn as_data(task: &Task, terminal: &Terminal, input: &Inbound, as_is: bool) -> Vec<u8> {
    const SBA: u8 = 0x11;
    let code_page = task.region.terminal_code_page;
    let text = |data: &[u8]| {
        let mut text = data.to_vec();
        if upper_cases(task, terminal) && !as_is {
            code_page.upper_in_place(&mut text);
        }
        code_page.to_program_in_place(&mut text);
        text
    };
    match &input.input {
        Input::None | Input::Structured(_) => Vec::new(),
        Input::Unformatted { data, .. } => text(data),
        Input::Fields { fields, .. } => fields
            .iter()
            .flat_map(|field| {
                let mut bytes = vec![SBA];
                bytes.extend_from_slice(&field.address.encode());
                bytes.extend(text(&field.data));
                bytes
            })
            .collect(),
    }
}

/// SEND: the data stream behind the write control character is the program's own, in program characters.
fn send<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move { send_from(task, call, [opt::LENGTH, opt::FLENGTH]).await })
}

async fn send_from(task: &mut Task, call: &Call<'_>, lengths: [OptionId; 2]) -> Outcome {
    let terminal = terminal(task)?;
    let length = lengths.into_iter().find(|option| call.has(*option)).unwrap_or(lengths[0]);
    let data = call.outgoing(opt::FROM, length, COMMAREA_LENGTH_MAX)?.unwrap_or_default();
    let data = task.region.terminal_code_page.from_program(&data);
    let stream = if call.keyword(opt::STRFIELD) {
        [vec![Command::WriteStructuredField.code()], data].concat()
    } else {
        write_stream(call, &data)?
    };
    let sent = task.wait(WaitKind::Terminal, terminal.send(stream)).await?;
    if sent { Ok(()) } else { Err(Raise::abend("ATNI")) }
}

fn write_stream(call: &Call<'_>, data: &[u8]) -> Outcome<Vec<u8>> {
    let command = match (call.keyword(opt::ERASE), call.keyword(opt::ALTERNATE)) {
        (false, _) => Command::Write,
        (true, false) => Command::EraseWrite,
        (true, true) => Command::EraseWriteAlternate,
    };
    let wcc = match call.bytes_of(opt::CTLCHAR, 1)? {
        Some(byte) => Wcc::of(byte[0]),
        None => Wcc { restore_keyboard: !call.keyword(opt::LEAVEKB), reset_modified: true, ..Wcc::default() },
    };
    let mut stream = Outbound::write(command, wcc);
    stream.raw(data);
    Ok(stream.finish())
}

/// CONVERSE: SEND, then RECEIVE of what comes next.
fn converse<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let terminal = terminal(task)?;
        // What the terminal sent before it could see the question is no answer.
        while terminal.take_input().is_some_and(|input| input.aid != Aid::None) {}
        send_from(task, call, [opt::FROMLENGTH, opt::FROMFLENGTH]).await?;
        receive_into(task, call, Lengths::CONVERSE).await
    })
}
