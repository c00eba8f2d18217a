//! A program at its level, from its start to its end.

use std::pin::pin;

use super::abends::record;
use super::contain::{FAILED, contained};
use super::context::Context;
use super::stay::{After, Back, LevelEnd, Stay};
use super::{cobol, loaded, supplied};
use crate::diagnostics;
use crate::exec::Flow;
use crate::programs::{Program, SuppliedCode};
use crate::raise::{Abend, AbendCode, Raise};
use crate::task::Task;

/// A supplied program.
pub(super) async fn run_supplied(stay: &Stay<'_>, task: Box<Task>, code: &SuppliedCode) -> Back<After> {
    let mut context = Context::new(stay, task);
    let flow = contained(pin!(supplied::program(code).run(&mut context))).await;
    let mut task = context.into_task();
    let abend = match flow {
        Ok(Ok(Flow::Xctl(link))) => return (task, After::Xctl(Box::new(link))),
        Ok(Ok(Flow::On | Flow::Return)) => return (task, After::End(LevelEnd::Returned)),
        Ok(Ok(Flow::Abend(abend))) => abend,
        // It is for `Context` to LINK: a program cannot go on behind what it returns.
        Ok(Ok(Flow::Link(_))) => Abend::from(AbendCode::from(FAILED)),
        Ok(Err(raise)) => Abend::from(raise),
        Err(panic) => {
            let abend = panic.abend(&task);
            record(&mut task, abend);
            Box::pin(diagnostics::dump_abend(&mut task, abend)).await;
            return (task, After::abended(abend));
        }
    };
    record(&mut task, abend);
    (task, After::abended(abend))
}

/// A COBOL program, from its start to its end.
pub(super) async fn run_cobol(stay: &Stay<'_>, task: Box<Task>, program: &Program) -> Back<After> {
    match loaded::unit(&task, program).await {
        // It has memory of its own: a task whose programs are supplied ones does not keep that.
        Ok(unit) => Box::pin(cobol::run(stay, task, &unit)).await,
        Err(raise) => not_there(task, raise),
    }
}

/// A program that cannot be loaded.
fn not_there(mut task: Box<Task>, raise: Raise) -> Back<After> {
    let abend = match raise {
        Raise::Condition(..) => AbendCode::from("APCT").into(),
        raise => Abend::from(raise),
    };
    record(&mut task, abend);
    (task, After::abended(abend))
}
