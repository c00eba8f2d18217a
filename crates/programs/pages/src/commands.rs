//! Work in a task of its own: EXEC CICS commands without a program, and what came of each.

use std::pin::Pin;
use std::sync::Arc;

use kernel::dispatcher;
use kernel::dispatcher::{Attach, Context, SuppliedProgram, SuppliedWaiting};
use kernel::exec::{Flow, Parcel};
use kernel::name::{Name8, TransactionName};
use kernel::programs::{Program, Programs};
use kernel::raise::{Outcome, Raise};
use kernel::region::Region;
use kernel::security::User;
use kernel::task::StartCode;
use kernel::transactions::{Transaction, Transactions};
use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::house::PATIENCE;

/// The transaction and the program of such tasks.
const NAME: &str = "TEST";
/// Stands before the name of the condition that a command is to raise.
const RAISES: &str = "=>";

/// Carries out a command as CECI takes it, and sees to it that it raises what the line says behind `=>`: NORMAL where it says nothing.
///
/// # Errors
/// The mistake in it, or another condition.
pub async fn carry_out_line(region: &Arc<Region>, line: &str) -> Result<(), String> {
    let (text, wanted) = match line.split_once(RAISES) {
        Some((text, wanted)) => (text.trim(), wanted.trim()),
        None => (line.trim(), "NORMAL"),
    };
    let command = Parcel::read(text).map_err(|mistakes| mistakes.join(" "))?;
    let answered = carry_out(region, User::region(), vec![command]).await?;
    let (condition, resp2) = answered.first().and_then(Parcel::response).ok_or("it has no response")?;
    match condition.name() == wanted {
        true => Ok(()),
        false => Err(format!("{text}: {} {resp2} instead of {wanted}", condition.name())),
    }
}

/// Has commands answered on behalf of a user, who may run the transaction TEST, one after the other in one task.
///
/// # Errors
/// The task does not begin, or does not come to its end.
pub async fn carry_out(
    region: &Arc<Region>,
    user: Arc<User>,
    commands: Vec<Parcel>,
) -> Result<Vec<Parcel>, String> {
    let issues: Worked<Result<Vec<Parcel>, String>> = Box::new(move |context| {
        Box::pin(async move {
            for command in &commands {
                match context.issue(command).await {
                    Ok(Flow::On) => {}
                    Ok(flow) => return (Err(String::from("the command passes control")), Ok(flow)),
                    Err(abend) => {
                        return (Err(format!("abend {}", abend.code)), Err(Raise::Abend(abend.code)));
                    }
                }
            }
            (Ok(commands), Ok(Flow::Return))
        })
    });
    work(region, user, issues).await?
}

/// Work of a task: its result, and how the task ends.
pub type Worked<T> = Box<
    dyn for<'a, 'c> FnOnce(&'a mut Context<'c>) -> Pin<Box<dyn Future<Output = (T, Outcome<Flow>)> + 'a>>
        + Send,
>;

/// Does work in a task of its own, on behalf of a user.
///
/// # Errors
/// The task does not begin, or does not come to its end.
pub async fn work<T: Send + 'static>(
    region: &Arc<Region>,
    user: Arc<User>,
    work: Worked<T>,
) -> Result<T, String> {
    let (back, answers) = oneshot::channel();
    let work = Work(Mutex::new(Some((work, back))));
    Programs::of(region).install(Program::supplied(Name8::from(NAME), work));
    let name = TransactionName::from(NAME);
    Transactions::of(region).install(Transaction::new(name, Name8::from(NAME)));
    let attach = Attach::new(name, StartCode::System, user);
    dispatcher::attach(region, attach).map_err(|why| format!("{NAME} is not attached: {why:?}"))?;
    // A task that is ended drops the other end, or its definition does: the next one takes its place.
    let answers = tokio::time::timeout(PATIENCE, answers).await;
    let answers = answers.map_err(|_| format!("no answer comes within {} s", PATIENCE.as_secs()))?;
    answers.map_err(|_| String::from("the task was ended"))
}

/// A program that works once.
struct Work<T>(Mutex<Option<(Worked<T>, oneshot::Sender<T>)>>);

impl<T: Send> SuppliedProgram for Work<T> {
    fn run<'a>(&'a self, context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
        Box::pin(async move {
            let taken = self.0.lock().take();
            let Some((work, back)) = taken else { return Ok(Flow::Return) };
            let (result, flow) = work(context).await;
            // The asker may have gone.
            let _ = back.send(result);
            flow
        })
    }
}
