//! Waits for storage, of which the region is short.

use std::time::Duration;

use spec::{cmd, opt};

use crate::exec::Call;
use crate::raise::{Outcome, Raise};
use crate::task::{Task, WaitKind};

/// The abend of a task that has waited for storage as long as its transaction's DTIMOUT says.
const TIMED_OUT: &str = "AKCS";

/// Waits for an event of the dynamic storage area, at most as long as DTIMOUT says.
///
/// # Errors
/// The abend of a task that was purged, or whose time is over.
pub(crate) async fn waits(task: &Task, event: impl Future<Output = ()>) -> Outcome {
    match task.transaction.deadlock_timeout_s {
        0 => task.wait(WaitKind::Storage, event).await,
        seconds => {
            let limit = Duration::from_secs(seconds.into());
            let in_time = task.wait(WaitKind::Storage, tokio::time::timeout(limit, event)).await?;
            in_time.map_err(|_| Raise::abend(TIMED_OUT))
        }
    }
}

/// Whether a command must wait before it begins: it gets storage for SET, of which the region is short.
#[inline]
pub(crate) fn must_wait(task: &Task, call: &Call<'_>) -> bool {
    task.region.dsa.is_short() && gets_for_set(task, call)
}

/// Waits as long as a command must.
///
/// # Errors
/// See [`waits`].
pub(crate) async fn enough_for_set(task: &Task, call: &Call<'_>) -> Outcome {
    while must_wait(task, call) {
        waits(task, task.region.dsa.enough()).await?;
    }
    Ok(())
}

/// GETMAIN waits by itself, and ADDRESS SET gets nothing. A task that has nearly all itself would wait in vain.
#[cold]
fn gets_for_set(task: &Task, call: &Call<'_>) -> bool {
    let gets = !matches!(call.command(), cmd::GETMAIN | cmd::GETMAIN64 | cmd::ADDRESS_SET);
    gets && call.has(opt::SET) && task.storage.bytes() < task.region.dsa.enough_from()
}
