//! CSPP: copies of screens. At a display it is the print key, at a printer it prints the copy.

use domains::commands::copies::{not_printed, print_screen, print_text};
use kernel::dispatcher::{Context, SuppliedWaiting};
use kernel::exec::Flow;
use kernel::raise::Raise;
use kernel::task::WaitKind;

use super::desk::Desk;

/// CSPP. A printer that cannot print what it gets ends the task, as it does for BMS.
pub(super) fn program<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        let Desk { task, terminal, .. } = Desk::of(context.task())?;
        if terminal.is_printer() {
            return if print_text(task, &terminal).await? {
                Ok(Flow::Return)
            } else {
                Err(Raise::abend("ATNI"))
            };
        }
        if !print_screen(task, &terminal).await? {
            task.wait(WaitKind::TERMINAL, terminal.send(not_printed())).await?;
        }
        Ok(Flow::Return)
    })
}
