//! Commands that a test asks for itself, without a program: a task of their own, and what came of each.

use std::sync::Arc;

use kernel::dispatcher;
use kernel::dispatcher::{Attach, Context, SuppliedProgram, SuppliedWaiting};
use kernel::exec::{Content, Flow, Parcel};
use kernel::name::{Name8, TransactionName};
use kernel::programs::{Program, Programs};
use kernel::raise::Raise;
use kernel::region::Region;
use kernel::security::User;
use kernel::task::StartCode;
use kernel::transactions::{Transaction, Transactions};
use parking_lot::Mutex;
use spec::{Condition, OptionId};
use tokio::sync::oneshot;

/// The transaction and the program of such tasks.
const NAME: &str = "TEST";

/// A command that was answered.
pub struct Answered(Parcel);

impl Answered {
    /// RESP and RESP2.
    pub fn response(&self) -> (Condition, i32) {
        self.0.response().unwrap_or_else(|| panic!("{} has no response", self.0.command().name))
    }

    /// The characters that the command gave for an option.
    pub fn text(&self, option: OptionId) -> String {
        match self.0.content(option) {
            Some(Content::Bytes(bytes)) => bytes.into_iter().map(char::from).collect(),
            other => panic!("{}: {other:?} is no text", option.name()),
        }
    }

    /// The number that the command gave for an option.
    pub fn number(&self, option: OptionId) -> i64 {
        match self.0.content(option) {
            Some(Content::Number(number)) => number,
            other => panic!("{}: {other:?} is no number", option.name()),
        }
    }

    /// All of it.
    pub fn parcel(&self) -> &Parcel {
        &self.0
    }
}

/// The command of a text, as CECI takes it.
///
/// # Panics
/// If it is none.
pub fn command(text: &str) -> Parcel {
    Parcel::read(text).unwrap_or_else(|mistakes| panic!("{text}: {}", mistakes.join(" ")))
}

/// Has commands answered, one after the other in one task on behalf of the region. `None`: the task has not come to its end.
pub async fn answered(region: &Arc<Region>, commands: Vec<Parcel>) -> Option<Vec<Answered>> {
    answered_as(region, User::region(), commands).await
}

/// The same on behalf of a user, who may run the transaction TEST.
pub async fn answered_as(
    region: &Arc<Region>,
    user: Arc<User>,
    commands: Vec<Parcel>,
) -> Option<Vec<Answered>> {
    let (back, answers) = oneshot::channel();
    let work = Work { commands: Mutex::new(commands), back: Mutex::new(Some(back)) };
    Programs::of(region).install(Program::supplied(Name8::from(NAME), work));
    let name = TransactionName::from(NAME);
    Transactions::of(region).install(Transaction::new(name, Name8::from(NAME)));
    let attach = Attach::new(name, StartCode::System, user);
    dispatcher::attach(region, attach).unwrap_or_else(|why| panic!("{NAME} is not attached: {why:?}"));
    // A task that abends drops the other end, or its definition does: the next one takes its place.
    let answers = tokio::time::timeout(crate::house::PATIENCE, answers).await.ok()?.ok()?;
    Some(answers.into_iter().map(Answered).collect())
}

/// A program that has commands answered.
struct Work {
    commands: Mutex<Vec<Parcel>>,
    back: Mutex<Option<oneshot::Sender<Vec<Parcel>>>>,
}

impl SuppliedProgram for Work {
    fn run<'a>(&'a self, context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
        Box::pin(async move {
            // What it does not give back by its end nobody waits for.
            let back = self.back.lock().take();
            let commands = std::mem::take(&mut *self.commands.lock());
            for command in &commands {
                match context.issue(command).await.map_err(|abend| Raise::Abend(abend.code))? {
                    Flow::On => {}
                    flow => return Ok(flow),
                }
            }
            if let Some(back) = back {
                let _ = back.send(commands);
            }
            Ok(Flow::Return)
        })
    }
}
