//! MONITOR.

use spec::{cmd, cond, opt};

use kernel::exec::{Answers, Call, Handler};
use kernel::name::{Name8, Name16};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::task::Task;

/// This domain's commands.
pub(crate) const HANDLERS: Answers = &[(cmd::MONITOR, Handler::Now(monitor))];

/// Monitoring points have numbers below this.
const POINTS: i64 = 256;
/// RESP2 of INVREQ for a number that is none.
const NUMBER: i32 = 1;
/// The entry of points that name none.
const ENTRY: &str = "USER";

/// MONITOR: the point is counted in the task's record by entry name and number, and shown to those who debug.
fn monitor(task: &mut Task, call: &Call<'_>) -> Outcome {
    let point = call.number(opt::POINT)?.unwrap_or(0);
    if !(0..POINTS).contains(&point) {
        return Err(cond::INVREQ.raise(NUMBER));
    }
    let entry = call.name::<8>(opt::ENTRYNAME)?.unwrap_or(Name8::from(ENTRY));
    if let Some(performance) = task.control.performance() {
        performance.point(Name16::from(format!("{entry}.{point}").as_str()));
    }
    tracing::debug!(target: "MN", "task {}: monitoring point {point} {entry}", task.number);
    Ok(())
}
