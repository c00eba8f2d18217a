//! ASSIGN: each option is a row of a match, which costs the same for the first and the last.

use spec::{OptionId, cmd, cond, opt};

use crate::exec::value::Value;
use crate::exec::{Answers, Call, Handler};
use crate::name::Name8;
use crate::raise::{Outcome, RaiseCondition};
use crate::task::{StartCode, Task};
use crate::terminals::Terminal;

/// These commands.
pub(super) const HANDLERS: Answers = &[(cmd::ASSIGN, Handler::Now(assign))];

/// The values that a task has in any case.
fn of_task(option: OptionId) -> Option<fn(&Task) -> Value> {
    let value: fn(&Task) -> Value = match option {
        opt::ABCODE => |t| Value::text(t.abend.as_ref().map_or(*b"    ", |a| *a.code.as_bytes())),
        opt::ABPROGRAM => |t| Value::text(t.abend.as_ref().map_or(Name8::BLANK, |a| a.program)),
        opt::ABDUMP => |t| Value::Flag(t.abend.as_ref().is_some_and(|a| a.dump)),
        opt::APPLID => |t| Value::text(t.region.options.applid),
        opt::CHANNEL => {
            |t| Value::text(t.level().channel.as_ref().map_or([b' '; 16], |c| *c.name.as_bytes()))
        }
        opt::CMDSEC => |_| Value::text(b" "),
        opt::CWALENG => |t| Value::Number(t.region.options.cwa_length as i64),
        opt::FCI => |t| Value::text([if t.terminal.is_some() { 0x01 } else { 0x00 }]),
        opt::INITPARM => |_| Value::text([b' '; 60]),
        opt::INITPARMLEN => |_| Value::Number(0),
        opt::INPUTMSGLEN => |t| Value::Number(t.level().input_message.as_ref().map_or(0, Vec::len) as i64),
        opt::INVOKINGPROG => |t| Value::text(t.level().invoked_by),
        opt::LANGINUSE => |_| Value::text(b"ENU"),
        opt::LINKLEVEL => |t| Value::Number(t.depth() as i64),
        opt::LOCALCCSID => |t| Value::Number(t.region.terminal_code_page.number().into()),
        opt::NATLANGINUSE => |_| Value::text(b"E"),
        opt::ORGABCODE => |t| Value::text(t.abend.as_ref().map_or(*b"    ", |a| *a.code.as_bytes())),
        opt::PROGRAM => |t| Value::text(t.level().program),
        opt::RESSEC => |_| Value::text(b" "),
        opt::RESTART => |_| Value::Flag(false),
        opt::RETURNPROG => |t| Value::text(t.caller().map_or(Name8::from("CICS"), |caller| caller.program)),
        opt::STARTCODE => |t| Value::text(t.start_code.as_bytes()),
        opt::SYSID => |t| Value::text(t.region.options.sysid),
        opt::TASKPRIORITY => |t| Value::Number(t.priority.into()),
        opt::TRANPRIORITY => |t| Value::Number(t.transaction.priority.into()),
        opt::TWALENG => |t| Value::Number(t.transaction.twa_length as i64),
        opt::USERID => |t| Value::text(t.user.id),
        opt::USERNAME => |t| Value::text(format!("{:<20.20}", t.user.name)),
        opt::USERPRIORITY => |_| Value::Number(0),
        _ => return None,
    };
    Some(value)
}

/// RESP2 of INVREQ.
mod resp2 {
    /// The task was not started by a trigger level.
    pub const NO_TRIGGER: i32 = 4;
    /// The task has no terminal.
    pub const NO_TERMINAL: i32 = 5;
}

/// The values of a terminal: INVREQ for a task that has none.
fn of_terminal(option: OptionId) -> Option<fn(&Task, &Terminal) -> Value> {
    let value: fn(&Task, &Terminal) -> Value = match option {
        opt::ALTSCRNHT => |_, t| Value::Number(t.parts.alternate_size.rows.into()),
        opt::ALTSCRNWD => |_, t| Value::Number(t.parts.alternate_size.columns.into()),
        opt::APLKYBD => |_, _| Value::Flag(false),
        opt::APLTEXT => |_, _| Value::Flag(false),
        opt::BTRANS => |_, _| Value::Flag(false),
        opt::COLOR => |_, t| Value::Flag(t.parts.colour),
        opt::DEFSCRNHT => |_, t| Value::Number(t.parts.default_size.rows.into()),
        opt::DEFSCRNWD => |_, t| Value::Number(t.parts.default_size.columns.into()),
        opt::DELIMITER => |_, _| Value::text([0]),
        opt::EWASUPP => |_, t| Value::Flag(t.parts.alternate_size != t.parts.default_size),
        opt::EXTDS => |_, t| Value::Flag(t.parts.colour || t.parts.highlight || t.parts.extended),
        opt::FACILITY => |_, t| Value::text(t.name),
        opt::GMMI => {
            |task, t| Value::Flag(task.start_code == StartCode::Terminal && t.last_key().0.code() == 0x60)
        }
        opt::HILIGHT => |_, t| Value::Flag(t.parts.highlight),
        opt::KATAKANA => |_, _| Value::Flag(false),
        opt::MSRCONTROL => |_, _| Value::Flag(false),
        opt::NETNAME => |_, t| Value::text(t.netname),
        opt::NEXTTRANSID => |_, t| Value::text(t.next_transaction().unwrap_or_default()),
        opt::OUTLINE => |_, t| Value::Flag(t.parts.extended),
        opt::PARTNS => |_, _| Value::Flag(false),
        opt::PS => |_, _| Value::Flag(false),
        opt::SCRNHT => |_, t| Value::Number(t.size().rows.into()),
        opt::SCRNWD => |_, t| Value::Number(t.size().columns.into()),
        opt::SOSI => |_, _| Value::Flag(false),
        opt::TCTUALENG => |_, _| Value::Number(0),
        opt::TELLERID => |_, _| Value::text([0]),
        // A 3270 display of the published terminal types.
        opt::TERMCODE => |_, _| Value::text([0x91, 0x02]),
        opt::TERMPRIORITY => |_, _| Value::Number(0),
        opt::TEXTKYBD => |_, _| Value::Flag(false),
        opt::TEXTPRINT => |_, _| Value::Flag(false),
        opt::UNATTEND => |_, _| Value::Flag(false),
        opt::VALIDATION => |_, t| Value::Flag(t.parts.extended),
        _ => return None,
    };
    Some(value)
}

/// ASSIGN: every option that is here. The first that the task has not is INVREQ, after the others are set.
fn assign(task: &mut Task, call: &Call<'_>) -> Outcome {
    let mut missing = None;
    for option in call.arguments() {
        if let Some(value) = of_task(option) {
            call.put_value(option, &value(task))?;
        } else if let Some(value) = of_terminal(option) {
            match &task.terminal {
                Some(terminal) => call.put_value(option, &value(task, terminal))?,
                None => missing = Some(cond::INVREQ.raise(resp2::NO_TERMINAL)),
            }
        } else if option == opt::QNAME {
            match task.trigger_queue {
                Some(queue) => call.put(option, queue.as_bytes())?,
                None => missing = Some(cond::INVREQ.raise(resp2::NO_TRIGGER)),
            }
        } else if option == opt::TNADDR {
            let peer = task.terminal.as_ref().map(|t| t.parts.peer.clone()).unwrap_or_default();
            call.put_value(option, &Value::padded(&peer, 39))?;
        }
    }
    missing.map_or(Ok(()), Err)
}
