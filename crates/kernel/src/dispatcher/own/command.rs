//! EXEC CICS in a natively compiled program: the command at the one door, and the program that it LINKs to.

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

use cobol_ir::run::{Fault, Passed};
use native::Unit;

use super::Level;
use crate::dispatcher::contain::contained;
use crate::dispatcher::levels::{Back, Stay, link};
use crate::dispatcher::run::{Stepped, abend_here, behind, linked};
use crate::exec::{self, Call, Handler, OwnCall};
use crate::name::Name8;
use crate::raise::AbendCode;
use crate::task::Task;

impl Level {
    /// The call that is made: what a command needs of it.
    fn stand(&self, site: u32) -> Option<(Arc<Unit>, usize, u32, u32)> {
        let active = self.programs.stack.last()?;
        let block = active.code()?.program().blocks.get(active.at.0 as usize)?;
        Some((Arc::clone(&active.unit), active.program, site, block.line))
    }
}

/// EXEC CICS.
pub(super) async fn command(
    stay: &Stay<'_>,
    mut task: Box<Task>,
    level: &mut Level,
    arguments: Vec<Passed>,
    site: u32,
) -> Back<Result<Stepped, Fault>> {
    if let Err(abend) = level.show_commarea(stay, &task) {
        let (task, stepped) = abend_here(task, abend);
        return (task, Ok(stepped));
    }
    let (Some(stand), Some(active)) = (level.stand(site), level.programs.stack.last()) else {
        return (task, Err(Fault::Host));
    };
    if arguments.iter().any(|argument| matches!(argument, Passed::Label(_))) {
        level.handles = level.programs.stack.len();
    }
    let linkage = active.frame.as_ref().map_or_else(Vec::new, |frame| frame.activation.linkage.clone());
    let own = OwnCall::new(&mut task, stand, arguments, linkage);
    level.rests(&mut task);
    let (mut task, stepped) = execute(stay, task, level, &own).await;
    level.runs_again(&mut task);
    let linkage = match own.finish(&mut task) {
        Ok(linkage) => linkage,
        Err(fault) => return (task, Err(fault)),
    };
    level.show_eib(&mut task);
    if let Some(frame) = level.programs.stack.last_mut().and_then(|active| active.frame.as_mut()) {
        for (index, address) in linkage {
            if let Some(record) = frame.activation.linkage.get_mut(index as usize) {
                *record = address;
            }
        }
    }
    match stepped {
        Stepped::On(label) => {
            let gone_on = level.go_to(&mut task, label);
            (task, gone_on.map(|()| Stepped::On(0)))
        }
        stepped => (task, Ok(stepped)),
    }
}

/// The command at the one door, and the program that it LINKs to.
async fn execute(stay: &Stay<'_>, mut task: Box<Task>, level: &mut Level, own: &OwnCall) -> Back<Stepped> {
    let Some(call) = Call::own(own) else {
        return abend_here(task, AbendCode::from("AEY9").into());
    };
    let place = own.place();
    let control = Arc::clone(&task.control);
    let name = Name8::from(place.program.as_str());
    let stands = control.stands_at(*name.as_bytes(), place.line.map_or(0, |line| line.line));
    let answered = {
        let mut answer = pin!(contained(exec::execute(&mut task, &call)));
        let mut waited = gives_way(&call);
        let answered = poll_fn(|context| {
            let polled = answer.as_mut().poll(context);
            waited |= polled.is_pending();
            polled
        })
        .await;
        if waited {
            level.since = Instant::now();
        }
        answered
    };
    drop(stands);
    match behind(stay, task, answered) {
        ControlFlow::Break(stepped) => stepped,
        ControlFlow::Continue((mut task, to)) => {
            own.lend(&mut task);
            let (mut task, end) = link(stay, task, to).await;
            own.take(&mut task);
            level.since = Instant::now();
            linked(task, &call, end).await
        }
    }
}

/// Whether a command might have to wait: that counts as giving way, as it does in a hosted program.
fn gives_way(call: &Call<'_>) -> bool {
    !matches!(
        exec::known(call.command()).handler,
        None | Some(Handler::Now(_) | Handler::NowNearlyAlways(..))
    )
}
