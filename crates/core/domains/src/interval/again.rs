//! The fate of a protected START whose task has failed.
//!
//! | the task | the START |
//! |---|---|
//! | its unit of work is in doubt | is over with a commit, and started again after a backout |
//! | the region ends | its record stays for the next start |
//! | its terminal has gone | waits for the terminal |
//! | RESTART(YES) | is started again at once, a number of times |
//! | failed for a cause that may pass: no space (also where its program abends by itself for it), an I/O error, a deadlock, a time-out, a commit that failed or was refused, a program that cannot be loaded | is started again later |
//! | the region's own code failed | waits for the next start |
//! | all else: its program abended, an operator purged it | is over |

use std::any::Any;
use std::time::Duration;

use spec::cond;

use super::KeptStart;
use crate::interval::IntervalControl;
use kernel::dispatcher::{Dispatcher, Failure, Following};
use kernel::limits::{START_RETRIES_MAX, START_RETRY_AFTER};
use kernel::raise::AbendCode;
use kernel::recovery::NOT_KNOWN;
use kernel::task::Task;

/// Abends whose cause may pass: NOSPACE and IOERR that no program has handled, deadlocks and time-outs of locks and queues, a
/// commit that failed or that another has refused, a program that cannot be loaded now.
const MAY_PASS: [&str; 9] = ["AEIR", "AEIQ", "AFCF", "AFCW", "AFCV", "AKCS", "ASPR", "ASP7", "APCT"];
/// The abend of a task in which the region's own code has failed.
const OUR_FAULT: &str = "AEXZ";

/// The next step for a START.
enum Next {
    Leave,
    InDoubt,
    ForTerminal,
    After(Duration),
    Hold,
    Forget,
}

/// A task has failed before the STARTs that it worked off were committed.
pub(super) fn failed<'a>(task: &'a mut Task, failure: &'a Failure) -> Option<Following<'a>> {
    let errands = task.work.take_errands().into_iter();
    let starts: Vec<KeptStart> =
        errands.filter_map(|errand| (errand as Box<dyn Any>).downcast().ok().map(|start| *start)).collect();
    if starts.is_empty() {
        return None;
    }
    let code = failure.code;
    Some(Box::pin(async move {
        for start in starts {
            settle(task, code, start, next(task, code, start)).await;
        }
    }))
}

fn next(task: &Task, code: AbendCode, kept: KeptStart) -> Next {
    let is_one_of = |codes: &[&str]| codes.iter().any(|other| AbendCode::from(*other) == code);
    // A program that has met NOSPACE may say so by an abend code of its own.
    let may_pass = is_one_of(&MAY_PASS) || task.recent.met(cond::NOSPACE);
    let may_try = kept.tries < START_RETRIES_MAX;
    if code == AbendCode::from(NOT_KNOWN) {
        Next::InDoubt
    } else if Dispatcher::of(&task.region).is_closed() {
        Next::Leave
    } else if task.terminal().is_some_and(|terminal| terminal.is_gone()) {
        Next::ForTerminal
    } else if task.control.is_purged() {
        Next::Forget
    } else if task.transaction.restart && may_try {
        Next::After(Duration::ZERO)
    } else if may_pass && may_try {
        Next::After(START_RETRY_AFTER)
    } else if may_pass || is_one_of(&[OUR_FAULT]) {
        Next::Hold
    } else {
        Next::Forget
    }
}

async fn settle(task: &Task, code: AbendCode, kept: KeptStart, next: Next) {
    let region = &task.region;
    let (number, transaction) = (task.number, task.transaction.name);
    if let Next::Forget = next {
        if let Err(raise) = kept.forget(region).await {
            tracing::error!(target: "IC", "task {number}: its START stays: {raise}");
        }
        return;
    }
    if let Next::Leave = next {
        tracing::info!(target: "IC", "task {number} ({transaction}): its START is kept for the next start");
        return;
    }
    if let Next::InDoubt = next {
        tracing::info!(target: "IC", "task {number} ({transaction}): its START is over, or done again, when its unit of work ends");
        return;
    }
    let Some((request, start)) = kept.tried().read(region).await else {
        tracing::error!(target: "IC", "task {number} ({transaction}): its START cannot be read, and is kept for the next start");
        return;
    };
    match next {
        Next::ForTerminal => IntervalControl::of(region).await_terminal(region, request, start),
        Next::After(time) => {
            tracing::warn!(
                target: "IC",
                "request {request}: transaction {transaction} has ended with {code}, and is started again in {} s",
                time.as_secs()
            );
            IntervalControl::of(region).put_back(region, request, start, time);
        }
        Next::Hold | Next::Leave | Next::InDoubt | Next::Forget => {
            tracing::error!(
                target: "IC",
                "request {request}: transaction {transaction} has ended with {code}; it is kept until the region starts \
                 again or CANCEL REQID({request}) gives it up"
            );
            IntervalControl::of(region).keep(request, start);
        }
    }
}
