//! Ways of a program at a command: if it has given way, its runaway limit starts again, else it goes on.
//!
//! A command that might have to wait counts as giving way, whether it had to or not. One that never waits can still be answered
//! outside its program, since a watcher looks at it: that is giving way only if the task has waited for one.

use std::pin::pin;
use std::time::Duration;

use crate::exec::{self, Call, Handler, Next};
use crate::raise::{Abend, AbendCode};
use crate::task::{Task, TaskControl, WaitKind};
use crate::ticks::processor_time;

use super::abends::{RUNAWAY, record, runaway_limit};
use super::contain::{Panic, contained};

/// Use of an answer's time by a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Given,
    /// It has kept its thread busy for so long.
    Kept(Duration),
}

/// The time of an answer, from its beginning.
pub(super) struct Answering {
    waits: u32,
    processor: u64,
}

impl Answering {
    pub fn begin(control: &TaskControl) -> Self {
        Self { waits: control.wait_in_hand().serial, processor: processor_time() }
    }

    /// It is over. A task has waited if it has begun a wait meanwhile.
    pub fn end(self, control: &TaskControl) -> Way {
        match control.wait_in_hand().serial == self.waits {
            true => Way::Kept(Duration::from_nanos(processor_time().saturating_sub(self.processor))),
            false => Way::Given,
        }
    }
}

/// Answers a command at the one door: what it came to, and whether its program has given way.
pub(super) async fn answered(
    task: &mut Task,
    call: &Call<'_>,
) -> (Result<Result<Next, AbendCode>, Panic>, Way) {
    let answering = match gives_way(call) {
        true => {
            // What passes control does not wait: programs that do nothing else are one runaway.
            if !passes_control(call) {
                let_others(task).await;
            }
            None
        }
        false => Some(Answering::begin(&task.control)),
    };
    let answered = contained(pin!(exec::execute(task, call))).await;
    (answered, answering.map_or(Way::Given, |answering| answering.end(&task.control)))
}

/// Something is about to be asked for that might have to wait: the task counts as giving way. It does so, where its turn is over.
pub(super) async fn let_others(task: &mut Task) {
    task.turn.gives_way();
    if task.turn.is_over(task.control.wait_in_hand().serial) {
        give_way(task).await;
    }
}

/// Every other task that is ready goes first.
pub(super) async fn give_way(task: &Task) {
    task.control.wait_through(WaitKind::GAVE_UP, tokio::task::yield_now()).await;
}

/// The abend of a task that has passed control from program to program for as long as one may run without giving way, recorded.
pub(super) fn runaway(task: &mut Task) -> Option<Abend> {
    let busy = task.turn.busy_for(task.control.wait_in_hand().serial);
    runaway_limit(task).filter(|limit| busy >= *limit)?;
    let abend = Abend::from(AbendCode::from(RUNAWAY));
    record(task, abend);
    Some(abend)
}

/// Returns true if a command passes control to another program, or back.
fn passes_control(call: &Call<'_>) -> bool {
    matches!(exec::known(call.command()).handler, Some(Handler::Control(_)))
}

/// Returns true if a command might have to wait.
fn gives_way(call: &Call<'_>) -> bool {
    !matches!(
        exec::known(call.command()).handler,
        None | Some(Handler::Now(_) | Handler::NowNearlyAlways(..))
    )
}
