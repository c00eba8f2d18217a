//! Transaction SPCN: a task of the user for each question of a page and for each change, so that the user may no more than by commands, INQUIRE
//! TASK shows it, and PURGE ends it.

use std::sync::Arc;

use ::console::{Answered, Change, Look, Refused};
use kernel::dispatcher::{self, Attach, AttachError, Context, SuppliedWaiting};
use kernel::exec::Flow;
use kernel::name::{Name8, TransactionName};
use kernel::programs::{Program, Programs};
use kernel::raise::Outcome;
use kernel::region::Region;
use kernel::registry::Manager;
use kernel::security::User;
use kernel::task::{StartCode, TaskPart};
use kernel::transactions::{CountsAs, Supplied, Transaction, Transactions};
use tokio::sync::oneshot;

use super::figures::Figures;
use super::{definitions, edits, resources};

/// The transaction, and its program.
pub(super) const TRANSACTION: &str = "SPCN";
const PROGRAM: &str = "DFHSPCN";

/// A question or a change.
pub(super) enum Errand {
    /// The tasks now, with the region's figures.
    Now(Arc<Figures>),
    /// Anything else.
    Look(Look),
    /// A change.
    Change(Change),
}

/// An errand on its way, and the one who waits for the answer.
struct Sent {
    errand: Errand,
    answer: oneshot::Sender<Answered>,
}

impl TaskPart for Sent {}

/// Installs the transaction. It counts as an operator's: at MXT it has a place.
pub(super) fn install(region: &Region) {
    Programs::of(region).install(Program::supplied(Name8::from(PROGRAM), program));
    let transaction = Transaction::new(TransactionName::from(TRANSACTION), Name8::from(PROGRAM));
    Transactions::of(region).install(Transaction {
        supplied: Supplied::Inquire,
        counts_as: CountsAs::Operator,
        dump: false,
        ..transaction
    });
}

/// Sends a task on an errand, and waits for its answer.
pub(super) async fn send(region: &Arc<Region>, user: Arc<User>, errand: Errand) -> Answered {
    let (answer, answered) = oneshot::channel();
    let mut attach = Attach::new(TransactionName::from(TRANSACTION), StartCode::System, user);
    attach.kept.put(Sent { errand, answer });
    dispatcher::attach(region, attach).map_err(|why| match why {
        AttachError::NotAuthorized => Refused::NotPermitted,
        AttachError::Closing => Refused::Ended,
        AttachError::Unknown | AttachError::Disabled | AttachError::Remote => {
            Refused::Bad(format!("Transaction {TRANSACTION} is not enabled."))
        }
        AttachError::QueueFull | AttachError::TerminalBusy => Refused::TooSlow,
    })?;
    let ended = || Refused::Condition(format!("The task of {TRANSACTION} has ended without an answer."));
    answered.await.unwrap_or_else(|_| Err(ended()))
}

/// The program. If a user has typed its name, it does nothing.
fn program<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(async move {
        let Some(Sent { errand, answer }) = context.task().kept.take::<Sent>() else {
            return Ok(Flow::Return);
        };
        let by = Manager::of(context.task());
        let answered = run(&by, errand).await?;
        // The browser may have gone.
        let _ = answer.send(answered);
        Ok(Flow::Return)
    })
}

/// Carries an errand out.
///
/// # Errors
/// The abend of a task that is purged meanwhile.
async fn run(by: &Manager, errand: Errand) -> Outcome<Answered> {
    match errand {
        Errand::Now(figures) => Ok(resources::now(by, &figures)),
        Errand::Look(Look::Types) => Ok(Ok(resources::types())),
        Errand::Look(Look::Resources { of, name, from, count }) => {
            Ok(resources::page(by, &of, &name, (from, count)))
        }
        Errand::Look(Look::Groups) => definitions::groups(by).await,
        Errand::Look(Look::Group(name)) => definitions::group(by, &name).await,
        Errand::Look(Look::Attributes(of)) => Ok(definitions::attributes(by, &of)),
        Errand::Look(_) => Ok(Err(Refused::NotFound)),
        Errand::Change(Change::Set { of, name, values }) => resources::set(by, &of, &name, &values).await,
        Errand::Change(Change::Discard { of, name }) => resources::discard(by, &of, &name).await,
        Errand::Change(Change::Edit(edit)) => edits::edit(by, edit).await,
    }
}
