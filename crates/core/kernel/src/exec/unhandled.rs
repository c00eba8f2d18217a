//! Commands that end their task, or are not built: what the region's log says of them, for the terminal shows only a
//! code, and RESP only a number.

use super::Call;
use crate::locks;
use crate::raise::{AbendCode, Raise};
use crate::task::Task;

/// Tells why a command ends its task: the command, what came of it, and the place in the user's own source.
#[cold]
pub(super) fn tell(task: &mut Task, call: &Call<'_>, why: Raise) {
    // Who has purged the task, or left its terminal, need not be told.
    if task.control.is_purged() {
        return;
    }
    let program = task.level().program;
    let (command, place) = (spec::command(call.command()).name, place(call));
    let end = match why {
        Raise::Condition(..) => ", and the program does not handle it",
        Raise::Abend(_) => "",
    };
    let deadlock = deadlock(task, why).map_or_else(String::new, |words| format!(": {words}"));
    let reason = format!("{command} ended with {why}{deadlock}{end}{place}");
    if task.may_write_line() {
        tracing::error!(
            target: "AP",
            "task {} ({}), program {program}: {reason}",
            task.number, task.transaction.name
        );
    }
    task.abend_reason = Some(reason);
}

/// The abends of a task that would have waited for ever.
const DEADLOCKS: [&str; 3] = ["AFCF", "AFCW", "AKCS"];

/// That it was a deadlock, and with whom.
fn deadlock(task: &Task, why: Raise) -> Option<String> {
    let Raise::Abend(code) = why else { return None };
    if !DEADLOCKS.iter().any(|deadlock| code == AbendCode::from(*deadlock)) {
        return None;
    }
    let lock = locks::refused(task)?;
    Some(format!("a deadlock, since {lock}, which waits for this task"))
}

/// Tells that a program asks for what is not built, or not for it: the command, the options that are missing, and the place.
#[cold]
pub(super) fn tell_unbuilt(task: &Task, call: &Call<'_>) {
    if !task.may_write_line() {
        return;
    }
    let program = task.level().program;
    let (command, place) = (spec::command(call.command()), place(call));
    let given = call.arguments().chain(call.keywords());
    let missing: Vec<&str> = given
        .filter_map(|id| command.options.iter().find(|option| option.id == id && !option.is_for_regions()))
        .map(|option| option.name)
        .collect();
    let is_external = |name: &&str| command.option(name).is_some_and(|option| option.external);
    let what = match (command.status, missing.is_empty()) {
        (spec::Status::NotYet, _) | (_, true) => command.name.to_string(),
        _ => format!("{} of {}", missing.join(" and "), command.name),
    };
    let is = if missing.len() > 1 { "are" } else { "is" };
    let why = match !missing.is_empty() && missing.iter().all(is_external) {
        true => "for programs outside of a region",
        false => "not built",
    };
    tracing::warn!(
        target: "AP",
        "task {} ({}), program {program}: {what} {is} {why}: INVREQ{place}",
        task.number, task.transaction.name
    );
}

/// Place of a program's command, in words; empty if no program gives it.
fn place(call: &Call<'_>) -> String {
    call.place().map_or_else(String::new, |place| format!(", {place}"))
}
