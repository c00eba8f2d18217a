//! ASSIGN: each option is a row of a table.

use spec::{CommandId, OptionId, cmd, cond, opt};

use crate::exec::{Call, Handler};
use crate::name::Name8;
use crate::raise::{Outcome, RaiseCondition};
use crate::task::{StartCode, Task};
use crate::terminals::Terminal;

/// These commands.
pub(super) const HANDLERS: &[(CommandId, Handler)] = &[(cmd::ASSIGN, Handler::Now(assign))];

/// What an option gives.
enum Value {
    /// Characters, as many as the published field has.
    Text(Vec<u8>),
    /// A number in the field's own USAGE.
    Number(i64),
    /// X'FF' for yes, X'00' for no.
    Flag(bool),
}

use Value::{Flag, Number};

fn text(bytes: impl AsRef<[u8]>) -> Value {
    Value::Text(bytes.as_ref().to_vec())
}

/// The values that a task has in any case.
const OF_TASK: &[(OptionId, fn(&Task) -> Value)] = &[
    (opt::ABCODE, |t| text(t.abend.as_ref().map_or(*b"    ", |a| *a.code.as_bytes()))),
    (opt::ABPROGRAM, |t| text(t.abend.as_ref().map_or(Name8::BLANK, |a| a.program))),
    (opt::ABDUMP, |t| Flag(t.abend.as_ref().is_some_and(|a| a.dump))),
    (opt::APPLID, |t| text(t.region.options.applid)),
    (opt::CHANNEL, |t| text(t.level().channel.as_ref().map_or([b' '; 16], |c| *c.name.as_bytes()))),
    (opt::CMDSEC, |_| text(b" ")),
    (opt::CWALENG, |t| Number(t.region.options.cwa_length as i64)),
    (opt::FCI, |t| text([if t.terminal.is_some() { 0x01 } else { 0x00 }])),
    (opt::INITPARM, |_| text([b' '; 60])),
    (opt::INITPARMLEN, |_| Number(0)),
    (opt::INPUTMSGLEN, |t| Number(t.level().input_message.as_ref().map_or(0, Vec::len) as i64)),
    (opt::INVOKINGPROG, |t| text(t.level().invoked_by)),
    (opt::LANGINUSE, |_| text(b"ENU")),
    (opt::LINKLEVEL, |t| Number(t.depth() as i64)),
    (opt::LOCALCCSID, |t| Number(t.region.terminal_code_page.number().into())),
    (opt::NATLANGINUSE, |_| text(b"E")),
    (opt::ORGABCODE, |t| text(t.abend.as_ref().map_or(*b"    ", |a| *a.code.as_bytes()))),
    (opt::PROGRAM, |t| text(t.level().program)),
    (opt::RESSEC, |_| text(b" ")),
    (opt::RESTART, |_| Flag(false)),
    (opt::RETURNPROG, |t| text(t.caller().map_or(Name8::from("CICS"), |caller| caller.program))),
    (opt::STARTCODE, |t| text(t.start_code.as_bytes())),
    (opt::SYSID, |t| text(t.region.options.sysid)),
    (opt::TASKPRIORITY, |t| Number(t.transaction.priority.into())),
    (opt::TRANPRIORITY, |t| Number(t.transaction.priority.into())),
    (opt::TWALENG, |t| Number(t.transaction.twa_length as i64)),
    (opt::USERID, |t| text(t.user.id)),
    (opt::USERNAME, |t| text(format!("{:<20.20}", t.user.name))),
    (opt::USERPRIORITY, |_| Number(0)),
];

/// The values of a terminal: INVREQ for a task that has none.
const OF_TERMINAL: &[(OptionId, fn(&Task, &Terminal) -> Value)] = &[
    (opt::ALTSCRNHT, |_, t| Number(t.parts.alternate_size.rows.into())),
    (opt::ALTSCRNWD, |_, t| Number(t.parts.alternate_size.columns.into())),
    (opt::APLKYBD, |_, _| Flag(false)),
    (opt::APLTEXT, |_, _| Flag(false)),
    (opt::BTRANS, |_, _| Flag(false)),
    (opt::COLOR, |_, t| Flag(t.parts.colour)),
    (opt::DEFSCRNHT, |_, t| Number(t.parts.default_size.rows.into())),
    (opt::DEFSCRNWD, |_, t| Number(t.parts.default_size.columns.into())),
    (opt::DELIMITER, |_, _| text([0])),
    (opt::EWASUPP, |_, t| Flag(t.parts.alternate_size != t.parts.default_size)),
    (opt::EXTDS, |_, t| Flag(t.parts.colour || t.parts.highlight || t.parts.extended)),
    (opt::FACILITY, |_, t| text(t.name)),
    (opt::GMMI, |task, t| Flag(task.start_code == StartCode::Terminal && t.last_key().0.code() == 0x60)),
    (opt::HILIGHT, |_, t| Flag(t.parts.highlight)),
    (opt::KATAKANA, |_, _| Flag(false)),
    (opt::MSRCONTROL, |_, _| Flag(false)),
    (opt::NETNAME, |_, t| text(t.netname)),
    (opt::NEXTTRANSID, |_, t| text(t.next_transaction().unwrap_or_default())),
    (opt::OUTLINE, |_, t| Flag(t.parts.extended)),
    (opt::PARTNS, |_, _| Flag(false)),
    (opt::PS, |_, _| Flag(false)),
    (opt::SCRNHT, |_, t| Number(t.size().rows.into())),
    (opt::SCRNWD, |_, t| Number(t.size().columns.into())),
    (opt::SOSI, |_, _| Flag(false)),
    (opt::TCTUALENG, |_, _| Number(0)),
    (opt::TELLERID, |_, _| text([0])),
    // A 3270 display of the published terminal types.
    (opt::TERMCODE, |_, _| text([0x91, 0x02])),
    (opt::TERMPRIORITY, |_, _| Number(0)),
    (opt::TEXTKYBD, |_, _| Flag(false)),
    (opt::TEXTPRINT, |_, _| Flag(false)),
    (opt::UNATTEND, |_, _| Flag(false)),
    (opt::VALIDATION, |_, t| Flag(t.parts.extended)),
];

/// ASSIGN: every option that is here. The first that the task has not is INVREQ, after the others are set.
fn assign(task: &mut Task, call: &Call<'_>) -> Outcome {
    let mut missing = None;
    for option in call.arguments() {
        if let Some((_, value)) = OF_TASK.iter().find(|(row, _)| *row == option) {
            put(call, option, value(task))?;
        } else if let Some((_, value)) = OF_TERMINAL.iter().find(|(row, _)| *row == option) {
            match &task.terminal {
                Some(terminal) => put(call, option, value(task, terminal))?,
                None => missing = Some(cond::INVREQ.raise(1)),
            }
        } else if option == opt::QNAME {
            missing = Some(cond::INVREQ.raise(1));
        } else if option == opt::TNADDR {
            let peer = task.terminal.as_ref().map(|t| t.parts.peer.clone()).unwrap_or_default();
            put(call, option, text(format!("{peer:<39.39}")))?;
        }
    }
    missing.map_or(Ok(()), Err)
}

fn put(call: &Call<'_>, option: OptionId, value: Value) -> Outcome {
    match value {
        Value::Text(bytes) => call.put(option, &bytes),
        Number(number) => call.put_number(option, number),
        Flag(yes) => call.put(option, &[if yes { 0xff } else { 0x00 }]),
    }
}
