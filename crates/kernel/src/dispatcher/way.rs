//! Whether a program has given way at a command: then its runaway limit begins again, else it goes on.
//!
//! A command that might have to wait counts as giving way, whether it had to or not. One that never waits can still be answered
//! outside its program, since somebody looks at it: that is giving way only if the task has waited for somebody.

use std::time::Duration;

use crate::exec::{self, Call, Handler, Next};
use crate::raise::AbendCode;
use crate::task::{Task, TaskControl};
use crate::ticks::processor_time;

use super::contain::{Panic, contained};

/// How a program has spent the time of an answer.
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
    let answering = (!gives_way(call)).then(|| Answering::begin(&task.control));
    let answered = contained(exec::execute(task, call)).await;
    (answered, answering.map_or(Way::Given, |answering| answering.end(&task.control)))
}

/// Whether a command might have to wait.
fn gives_way(call: &Call<'_>) -> bool {
    !matches!(
        exec::known(call.command()).handler,
        None | Some(Handler::Now(_) | Handler::NowNearlyAlways(..))
    )
}
