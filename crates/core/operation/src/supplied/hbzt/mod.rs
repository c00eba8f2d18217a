//! HBZT: processor time of the region, of its TCBs and of the processes that work for it: as it is, and since a baseline.

mod screen;

use tn3270::datastream::Aid;

use super::desk::Desk;
use domains::statistics::Accounts;
use kernel::dispatcher::{Context, SuppliedWaiting};
use kernel::exec::Flow;

/// Modes of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// The accounts at the moment of the baseline.
    Actual,
    /// Their growth since the baseline.
    Delta,
}

/// HBZT: takes a baseline; ENTER shows what has come since, PF1 takes another baseline, PF3 or CLEAR ends it.
pub(super) fn program<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    let task = context.task();
    Box::pin(async move {
        let mut desk = Desk::of(task)?;
        // The input that has begun the task is no key.
        let _ = desk.opening();
        let mut baseline = Accounts::now(&desk.task.region);
        desk.show(&screen::panel(Mode::Actual, &desk, &baseline, &baseline)).await?;
        loop {
            match desk.read().await?.aid {
                Aid::Pf(3 | 15) | Aid::Clear => break,
                Aid::Pf(1 | 13) => {
                    baseline = Accounts::now(&desk.task.region);
                    desk.show(&screen::panel(Mode::Actual, &desk, &baseline, &baseline)).await?;
                }
                _ => {
                    let now = Accounts::now(&desk.task.region);
                    desk.show(&screen::panel(Mode::Delta, &desk, &now, &now.since(&baseline))).await?;
                }
            }
        }
        desk.say("HBZT HAS ENDED").await?;
        Ok(Flow::Return)
    })
}
