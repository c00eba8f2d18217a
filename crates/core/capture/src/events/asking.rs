//! Commands that emit events, in the task that emits them.

use kernel::exec::{Content, Parcel, issue};
use kernel::raise::Raise;
use kernel::task::Task;
use spec::{Condition, cond};

use super::failure::Failure;

/// Has a command answered that emits an event.
pub(super) async fn ask(task: &mut Task, parcel: &Parcel, may_be: &[Condition]) -> Result<(), Failure> {
    // As EXEC CICS, whose options are on the heap: the future of a command within a command has no size otherwise.
    if let Err(code) = Box::pin(issue(task, parcel)).await {
        return Err(Failure::Ended(Raise::Abend(code)));
    }
    let (condition, resp2) = parcel.response().unwrap_or((cond::NORMAL, 0));
    if condition == cond::NORMAL || may_be.contains(&condition) {
        return Ok(());
    }
    let why = format!("{} {} {resp2}", parcel.command().name, condition.name());
    let is_config = [
        cond::QIDERR,
        cond::INVREQ,
        cond::NOTFND,
        cond::TRANSIDERR,
        cond::USERIDERR,
        cond::NOTAUTH,
        cond::SYSIDERR,
        cond::JIDERR,
    ];
    Err(if is_config.contains(&condition) { Failure::Config(why) } else { Failure::Other(why) })
}

/// A command with arguments and keywords.
///
/// # Errors
/// One of them does not fit: ours.
pub(super) fn command(
    command: spec::CommandId,
    arguments: Vec<(spec::OptionId, Content)>,
    keywords: &[spec::OptionId],
) -> Result<Parcel, Failure> {
    let mut parcel = Parcel::new(command);
    let unfit = |unfit: kernel::exec::parcel::Unfit| Failure::Other(unfit.to_string());
    for (option, content) in arguments {
        parcel.give(option, content).map_err(unfit)?;
    }
    for keyword in keywords {
        parcel.keyword(*keyword).map_err(unfit)?;
    }
    Ok(parcel)
}
