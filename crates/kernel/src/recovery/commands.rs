//! SYNCPOINT and SYNCPOINT ROLLBACK.

use spec::cmd;

use crate::exec::{Answers, Handler};

/// This domain's commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::SYNCPOINT, Handler::Waits(|task, _| Box::pin(task.syncpoint()))),
    (cmd::SYNCPOINT_ROLLBACK, Handler::Waits(|task, _| Box::pin(async { Ok(task.rollback().await) }))),
];
