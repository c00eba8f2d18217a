//! Commands that get storage for SET while the region is short on it.

use spec::{cmd, opt};

use super::Call;
use crate::raise::Outcome;
use crate::task::Task;

/// Returns true if a command must wait before it begins: it gets storage for SET, of which the region is short.
#[inline]
pub(super) fn must_wait(task: &Task, call: &Call<'_>) -> bool {
    task.region.dsa.is_short() && gets_for_set(task, call)
}

/// Waits as long as a command must.
///
/// # Errors
/// See [`Task::wait_for_storage`].
pub(super) async fn enough_for_set(task: &Task, call: &Call<'_>) -> Outcome {
    while must_wait(task, call) {
        task.wait_for_storage(task.region.dsa.enough()).await?;
    }
    Ok(())
}

/// GETMAIN waits by itself, and ADDRESS SET gets nothing. A task that has nearly all itself would wait in vain.
#[cold]
fn gets_for_set(task: &Task, call: &Call<'_>) -> bool {
    let gets = !matches!(call.command(), cmd::GETMAIN | cmd::GETMAIN64 | cmd::ADDRESS_SET);
    gets && call.has(opt::SET) && task.storage.counted() < task.region.dsa.enough_from()
}
