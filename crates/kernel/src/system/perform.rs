//! PERFORM SHUTDOWN.

use spec::cmd;

use crate::exec::{Answers, Handler};
use crate::region::Region;

/// These commands.
pub(super) const HANDLERS: Answers = &[(
    cmd::PERFORM_SHUTDOWN,
    Handler::Now(|task, _| {
        shut_down(&task.region);
        Ok(())
    }),
)];

/// Tells whoever runs the region that it shall end. The task that asks goes on until it ends itself.
pub(crate) fn shut_down(region: &Region) {
    tracing::info!(target: "DM", "the region shall shut down");
    region.shutdown.notify_one();
}
