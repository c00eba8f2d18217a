//! Checks of credentials on behalf of a task.

use spec::cond;

use kernel::meters::Figure;
use kernel::raise::{Outcome, RaiseCondition};
use kernel::security::{self, Credentials, SignOn};
use kernel::task::{Task, WaitKind};

/// RESP2 if the security manager does not answer.
pub(crate) const MANAGER_SILENT: i32 = 29;

/// Checks credentials off the TCB.
///
/// # Errors
/// The abend of a task that was purged meanwhile; INVREQ if the check itself failed.
pub async fn check(task: &Task, credentials: Credentials) -> Outcome<SignOn> {
    let watch = task.stopwatch();
    let checking = security::check(&task.region, credentials, || task.may_write_line());
    let checked = task.wait(WaitKind::TCB, checking).await?;
    task.stops(watch, Figure::PasswordChecks);
    checked.map_err(|_| cond::INVREQ.raise(MANAGER_SILENT))
}
