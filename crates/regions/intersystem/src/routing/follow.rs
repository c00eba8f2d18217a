//! Tasks of STARTs of which a routing program hears where they run, too: that they begin, that they have ended, that they have ended with an
//! abend.
//!
//! ```text
//! DYROPTER of the selection ─► the START has the area with it ─► [`program`]: begins (5) ─► the transaction's own program ─► ended (2), abended (4)
//! ```

use kernel::dispatcher::{Context, SuppliedWaiting};
use kernel::exec::{Flow, Followed};
use kernel::lines::often;
use kernel::name::Name8;
use kernel::programs::Programs;
use kernel::raise::{Outcome, Raise};
use kernel::transactions::Transactions;

use super::program::call;
use crate::dypds::{Dypds, Function};

/// The abend of such a program that no START asks for; and of a task whose program cannot be used.
const NOT_ASKED: &str = "AZTA";
const NO_PROGRAM: &str = "APCT";

/// The program with which such a task begins.
pub(crate) fn program<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        let followed = context.task().kept.take::<Followed>().ok_or_else(|| Raise::abend(NOT_ASKED))?;
        let router = Transactions::of(&context.region).distributed_router();
        if router.is_blank() || Programs::of(&context.region).usable(router).is_err() {
            often!(warn, target: "IS", "task {}: its routing program wants to hear of it, and DSRTPGM names none here", context.number);
            return own_program(context).await.map(|()| Flow::Return);
        }
        let mut area = Dypds::left(&followed.0);
        area.call(Function::Initiated);
        area = call(context, router, area).await?;
        let ended = own_program(context).await;
        if !context.is_purged() {
            tell_end(context, router, area, ended).await?;
        }
        ended.map(|()| Flow::Return)
    })
}

/// Runs the program of the transaction.
async fn own_program(context: &mut Context<'_>) -> Outcome {
    let (program, channel) = (context.transaction.program, context.level().channel.clone());
    match context.try_link(program, None, channel).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) => Err(Raise::abend(NO_PROGRAM)),
        Err(abend) => Err(Raise::Abend(abend.code)),
    }
}

/// The routing program hears how the task has ended.
async fn tell_end(context: &mut Context<'_>, router: Name8, mut area: Dypds, ended: Outcome) -> Outcome {
    match ended {
        Err(Raise::Abend(code)) => {
            area.set_abend(*code.as_bytes());
            area.call(Function::Abended);
        }
        Ok(()) | Err(Raise::Condition(..)) => area.call(Function::Ended),
    }
    call(context, router, area).await.map(drop)
}
