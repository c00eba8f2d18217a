//! ASSIGN: what each option gives is a row of a table.

use bms::Extended;
use spec::{OptionId, cmd, cond, opt};
use tn3270::datastream::Size;
use tn3270::telnet::PrinterLanguage;

use kernel::exec::call::Field;
use kernel::exec::{Answers, ByOption, Call, Handler};
use kernel::name::Name8;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::task::{StartCode, Task};
use kernel::terminals::Terminal;

/// These commands.
pub(super) const HANDLERS: Answers = &[(cmd::ASSIGN, Handler::Now(assign))];

/// Gives what an option asks for. A function for each, lest each pays for the dearest.
type Gives = fn(&Task, Field<'_>) -> Outcome;

static GIVES: ByOption<Gives> = ByOption::new(&[
    (opt::ABCODE, |t, to| to.put(t.abend.as_ref().map_or(b"    ", |a| a.code.as_bytes()))),
    (opt::ABPROGRAM, |t, to| to.put(t.abend.as_ref().map_or(Name8::BLANK, |a| a.program).as_bytes())),
    (opt::ABDUMP, |t, to| to.put_flag(t.abend.as_ref().is_some_and(|a| a.dump))),
    (opt::APPLID, |t, to| to.put(t.region.options.applid.as_bytes())),
    (opt::CHANNEL, |t, to| to.put(t.level().channel.as_ref().map_or(&[b' '; 16], |c| c.name.as_bytes()))),
    (opt::CMDSEC, |t, to| to.put(if t.control.transaction.command_security { b"X" } else { b" " })),
    (opt::CWALENG, |t, to| to.put_number(t.region.options.cwa_length as i64)),
    (opt::FCI, |t, to| to.put(if t.terminal().is_some() { &[0x01] } else { &[0x00] })),
    (opt::INITPARM, |_, to| to.put(&[b' '; 60])),
    (opt::INITPARMLEN, |_, to| to.put_number(0)),
    (opt::INPUTMSGLEN, |t, to| to.put_number(t.input_message().map_or(0, Vec::len) as i64)),
    (opt::INVOKINGPROG, |t, to| to.put(t.level().invoked_by.as_bytes())),
    (opt::LANGINUSE, |_, to| to.put(b"ENU")),
    (opt::LINKLEVEL, |t, to| to.put_number(t.depth() as i64)),
    (opt::LOCALCCSID, |t, to| to.put_number(t.region.options.terminal_code_page.number().into())),
    (opt::NATLANGINUSE, |_, to| to.put(b"E")),
    (opt::ORGABCODE, |t, to| to.put(t.abend.as_ref().map_or(b"    ", |a| a.code.as_bytes()))),
    // No principal facility here is a session with another system.
    (opt::PRINSYSID, |_, _| Err(cond::INVREQ.raise(resp2::NO_TERMINAL))),
    (opt::PROGRAM, |t, to| to.put(t.level().program.as_bytes())),
    (opt::QNAME, |t, to| match t.start_code.trigger_queue() {
        Some(queue) => to.put(queue.as_bytes()),
        None => Err(cond::INVREQ.raise(resp2::NO_TRIGGER)),
    }),
    (opt::RESSEC, |t, to| to.put(if t.control.transaction.resource_security { b"X" } else { b" " })),
    (opt::RESTART, |_, to| to.put_flag(false)),
    (opt::RETURNPROG, |t, to| to.put(t.caller().map_or(Name8::from("CICS"), |c| c.program).as_bytes())),
    (opt::STARTCODE, |t, to| to.put(t.start_code.as_bytes())),
    (opt::SYSID, |t, to| to.put(t.region.options.sysid.as_bytes())),
    (opt::TASKPRIORITY, |t, to| to.put_number(t.priority.into())),
    (opt::TNADDR, |t, to| {
        let peer = t.terminal().map_or("", |terminal| &terminal.parts.peer);
        to.put(format!("{peer:<39.39}").as_bytes())
    }),
    (opt::TRANPRIORITY, |t, to| to.put_number(t.transaction.priority.into())),
    (opt::TWALENG, |t, to| to.put_number(t.transaction.twa_length as i64)),
    (opt::USERID, |t, to| to.put(t.user.id.as_bytes())),
    (opt::USERNAME, |t, to| to.put(format!("{:<20.20}", t.user.name).as_bytes())),
    (opt::USERPRIORITY, |_, to| to.put_number(0)),
]);

/// Gives what an option asks for of the task's terminal.
type GivesOfTerminal = fn(&Task, &Terminal, Field<'_>) -> Outcome;

static GIVES_OF_TERMINAL: ByOption<GivesOfTerminal> = ByOption::new(&[
    (opt::ALTSCRNHT, |_, t, to| to.put_number(t.parts.alternate_size.rows.into())),
    (opt::ALTSCRNWD, |_, t, to| to.put_number(t.parts.alternate_size.columns.into())),
    (opt::APLKYBD, |_, _, to| to.put_flag(false)),
    (opt::APLTEXT, |_, _, to| to.put_flag(false)),
    (opt::BTRANS, |_, _, to| to.put_flag(false)),
    (opt::COLOR, |_, t, to| to.put_flag(t.parts.features.contains(Extended::Colour))),
    (opt::DEFSCRNHT, |_, t, to| to.put_number(t.parts.default_size.rows.into())),
    (opt::DEFSCRNWD, |_, t, to| to.put_number(t.parts.default_size.columns.into())),
    (opt::DELIMITER, |_, _, to| to.put(&[0])),
    (opt::DS3270, |_, t, to| to.put_flag(!takes_scs(t))),
    (opt::DSSCS, |_, t, to| to.put_flag(takes_scs(t))),
    (opt::EWASUPP, |_, t, to| to.put_flag(t.parts.alternate_size != t.parts.default_size)),
    (opt::EXTDS, |_, t, to| to.put_flag(!t.parts.features.is_empty())),
    (opt::FACILITY, |_, t, to| to.put(t.name.as_bytes())),
    (opt::GMMI, |task, t, to| {
        to.put_flag(task.start_code == StartCode::Terminal && t.last_key().0.code() == 0x60)
    }),
    (opt::HILIGHT, |_, t, to| to.put_flag(t.parts.features.contains(Extended::Highlight))),
    (opt::KATAKANA, |_, _, to| to.put_flag(false)),
    (opt::MSRCONTROL, |_, _, to| to.put_flag(false)),
    (opt::NETNAME, |_, t, to| to.put(t.netname.as_bytes())),
    (opt::NEXTTRANSID, |_, t, to| to.put(t.next_transaction().unwrap_or_default().as_bytes())),
    // The users file knows no operator identification.
    (opt::OPID, |_, _, to| to.put(b"   ")),
    (opt::OUTLINE, |_, t, to| to.put_flag(t.parts.features.contains(Extended::Outline))),
    (opt::PARTNS, |_, _, to| to.put_flag(false)),
    (opt::PS, |_, _, to| to.put_flag(false)),
    (opt::SCRNHT, |task, t, to| to.put_number(screen_of(task, t).rows.into())),
    (opt::SCRNWD, |task, t, to| to.put_number(screen_of(task, t).columns.into())),
    (opt::SOSI, |_, _, to| to.put_flag(false)),
    (opt::TCTUALENG, |_, _, to| to.put_number(0)),
    (opt::TELLERID, |_, _, to| to.put(&[0])),
    (opt::TERMCODE, |_, t, to| to.put(&[terminal_type(t), MODEL])),
    (opt::TERMPRIORITY, |_, _, to| to.put_number(0)),
    (opt::TEXTKYBD, |_, _, to| to.put_flag(false)),
    (opt::TEXTPRINT, |_, _, to| to.put_flag(false)),
    (opt::UNATTEND, |_, _, to| to.put_flag(false)),
    (opt::VALIDATION, |_, t, to| to.put_flag(t.parts.features.contains(Extended::Validation))),
]);

/// The model of all terminals.
const MODEL: u8 = 0x02;

/// The published type of a terminal: a 3270 display, a 3270 printer, an SCS printer.
fn terminal_type(terminal: &Terminal) -> u8 {
    match terminal.parts.printer.map(|printer| printer.language) {
        None => 0x91,
        Some(PrinterLanguage::DataStream) => 0x93,
        Some(PrinterLanguage::Scs) => 0xB6,
    }
}

fn takes_scs(terminal: &Terminal) -> bool {
    terminal.parts.printer.is_some_and(|printer| printer.language == PrinterLanguage::Scs)
}

/// The screen's size as it is defined for the task, also before its first ERASE.
fn screen_of(task: &Task, terminal: &Terminal) -> Size {
    if task.transaction.profile.alternate_screen() { terminal.parts.alternate_size } else { terminal.size() }
}

/// RESP2 of INVREQ.
mod resp2 {
    /// The task was not started by a trigger level.
    pub const NO_TRIGGER: i32 = 4;
    /// The task has no terminal, or its terminal is not of the kind.
    pub const NO_TERMINAL: i32 = 5;
}

/// ASSIGN: every option that is here. The first that the task has not is INVREQ, after the others are set.
fn assign(task: &mut Task, call: &Call<'_>) -> Outcome {
    let mut outcome = Ok(());
    for (option, field) in call.fields() {
        let given = match GIVES.get(option) {
            Some(gives) => gives(task, field),
            None => of_terminal(task, option, field),
        };
        if let Err(raise) = given {
            outcome = first_missing(outcome, raise)?;
        }
    }
    outcome
}

/// Gives an option of the task's terminal.
#[inline(never)]
fn of_terminal(task: &Task, option: OptionId, to: Field<'_>) -> Outcome {
    // RESP and RESP2 come here, too: they are written at the end of every command.
    let Some(gives) = GIVES_OF_TERMINAL.get(option) else { return Ok(()) };
    match task.terminal() {
        Some(terminal) => gives(task, terminal, to),
        None => Err(cond::INVREQ.raise(resp2::NO_TERMINAL)),
    }
}

/// The first condition of the statement. An abend ends it at once.
#[cold]
#[inline(never)]
fn first_missing(before: Outcome, raise: Raise) -> Outcome<Outcome> {
    match raise {
        Raise::Abend(_) => Err(raise),
        Raise::Condition(..) => Ok(before.and(Err(raise))),
    }
}
