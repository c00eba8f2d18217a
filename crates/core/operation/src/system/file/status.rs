//! SET FILE OPEN, CLOSED, ENABLED, DISABLED: the changes that wait for tasks that use the file, or end them.

use std::sync::Arc;

use spec::{cond, opt};

use domains::files::{File, Files, NotOpened};
use kernel::exec::Waiting;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::registry::{Changes, Given, Manager};
use kernel::task::WaitKind;

/// RESP2 of INVREQ: the task that closes or disables it uses it itself.
const IN_USE_HERE: i32 = 21;
/// RESP2 of INVREQ: the data set is quiesced.
const QUIESCED: i32 = 45;
/// RESP2 of IOERR: the file could not be opened.
const NOT_OPENED: i32 = 32;

pub(super) fn close<'a>(
    by: &'a Manager,
    file: &'a Arc<File>,
    to: &'a Given,
    others: Changes<'a>,
) -> Waiting<'a> {
    let close = to.is("CLOSED").then_some(File::close as fn(&File));
    Box::pin(end_use(by, file, close, others))
}

pub(super) fn disable<'a>(
    by: &'a Manager,
    file: &'a Arc<File>,
    to: &'a Given,
    others: Changes<'a>,
) -> Waiting<'a> {
    let disable = to.is("DISABLED").then_some(File::disable as fn(&File));
    Box::pin(end_use(by, file, disable, others))
}

/// Closes or disables a file. Unless NOWAIT it waits until the tasks that use it have ended their units of work; FORCE
/// ends those tasks.
async fn end_use(by: &Manager, file: &File, end: Option<fn(&File)>, others: Changes<'_>) -> Outcome {
    let Some(end) = end else { return Ok(()) };
    if file.is_used_by(by.task_number()) {
        return Err(cond::INVREQ.raise(IN_USE_HERE));
    }
    end(file);
    let busy = |name| others.iter().any(|(option, given)| *option == opt::BUSY && given.is(name));
    if busy("FORCE") {
        file.purge_users();
    }
    if busy("NOWAIT") { Ok(()) } else { by.wait(WaitKind::FILE, file.until_unused()).await }
}

pub(super) fn open<'a>(by: &'a Manager, file: &'a Arc<File>, to: &'a Given) -> Waiting<'a> {
    Box::pin(async move {
        if !to.is("OPEN") {
            return Ok(());
        }
        let region = &by.region;
        match by.wait(WaitKind::FILE, Files::of(region).open(file, region)).await? {
            Ok(_) => Ok(()),
            Err(NotOpened::Quiesced) => Err(cond::INVREQ.raise(QUIESCED)),
            Err(error) => {
                tracing::error!(target: "FC", "file {}: {error}", file.name);
                Err(cond::IOERR.raise(NOT_OPENED))
            }
        }
    })
}

pub(super) fn enable(_: &Manager, file: &Arc<File>, to: &Given) -> Outcome {
    if to.is("ENABLED") {
        file.enable();
    }
    Ok(())
}
