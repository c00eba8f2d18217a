//! HANDLE, IGNORE, PUSH and POP: what a program wants done about conditions, keys and abends.

use spec::{OptionId, cmd, cond, opt};

use kernel::exec::{Answers, Call, Handler};
use kernel::programs::Programs;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::Task;
use kernel::task::{AbendExit, Label};
use kernel::terminals::aid;

/// This domain's commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::HANDLE_CONDITION, Handler::Now(handle_condition)),
    (cmd::IGNORE_CONDITION, Handler::Now(ignore_condition)),
    (cmd::HANDLE_AID, Handler::Now(handle_aid)),
    (cmd::HANDLE_ABEND, Handler::Now(handle_abend)),
    (cmd::PUSH_HANDLE, Handler::Now(push_handle)),
    (cmd::POP_HANDLE, Handler::Now(pop_handle)),
];

fn label(call: &Call<'_>, option: OptionId) -> Outcome<Label> {
    let number = call.number(option)?.unwrap_or(0);
    Label::try_from(number).map_err(|_| cond::INVREQ.raise(0))
}

/// HANDLE CONDITION: a name with a label goes there, a name alone has its default action again.
fn handle_condition(task: &mut Task, call: &Call<'_>) -> Outcome {
    for option in call.arguments() {
        if let Some(condition) = spec::condition_named(option.name()) {
            let label = label(call, option)?;
            task.level_mut().handles.on_condition(condition, label);
        }
    }
    for option in call.keywords() {
        if let Some(condition) = spec::condition_named(option.name()) {
            task.level_mut().handles.default_for(condition);
        }
    }
    Ok(())
}

/// IGNORE CONDITION.
fn ignore_condition(task: &mut Task, call: &Call<'_>) -> Outcome {
    for option in call.keywords() {
        if let Some(condition) = spec::condition_named(option.name()) {
            task.level_mut().handles.ignore(condition);
        }
    }
    Ok(())
}

/// HANDLE AID: a key with a label goes there after the next input, a key alone is no longer handled.
fn handle_aid(task: &mut Task, call: &Call<'_>) -> Outcome {
    for option in call.arguments() {
        let label = Some(label(call, option)?);
        set_key(task, option, label);
    }
    for option in call.keywords() {
        set_key(task, option, None);
    }
    Ok(())
}

fn set_key(task: &mut Task, option: OptionId, label: Option<Label>) {
    let handles = &mut task.level_mut().handles;
    if option == opt::ANYKEY {
        handles.on_any_key(label);
    } else if let Some(key) = aid::by_name(option.name()) {
        handles.on_aid(key, label);
    }
}

/// HANDLE ABEND: LABEL, PROGRAM, CANCEL (also when nothing is named) or RESET.
fn handle_abend(task: &mut Task, call: &Call<'_>) -> Outcome {
    if call.has(opt::LABEL) {
        let label = label(call, opt::LABEL)?;
        task.level_mut().handles.on_abend(AbendExit::Label(label));
    } else if let Some(program) = call.name(opt::PROGRAM)? {
        Programs::of(&task.region).usable(program)?;
        task.level_mut().handles.on_abend(AbendExit::Program(program));
    } else if call.keyword(opt::RESET) {
        task.level_mut().handles.reset_abend();
    } else {
        task.level_mut().handles.cancel_abend();
    }
    Ok(())
}

/// PUSH HANDLE.
fn push_handle(task: &mut Task, _: &Call<'_>) -> Outcome {
    if task.level_mut().handles.push() { Ok(()) } else { Err(cond::INVREQ.raise(0)) }
}

/// POP HANDLE: INVREQ where nothing was pushed.
fn pop_handle(task: &mut Task, _: &Call<'_>) -> Outcome {
    if task.level_mut().handles.pop() { Ok(()) } else { Err(cond::INVREQ.raise(0)) }
}
