//! The table of handlers: one function for each command.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use spec::CommandId;
use spec::measures::slot;

use super::Call;
use crate::channels::Channel;
use crate::definitions;
use crate::programs::Program;
use crate::raise::{Abend, Outcome};
use crate::system::{KINDS, Kind};
use crate::task::{Commarea, Task};

/// The future of a command that may wait. It lives on its TCB's thread.
pub type Waiting<'a> = Pin<Box<dyn Future<Output = Outcome> + 'a>>;

/// How a command is answered.
#[derive(Clone, Copy)]
pub enum Handler {
    /// At once: the command never waits.
    Now(fn(&mut Task, &Call<'_>) -> Outcome),
    /// It may wait.
    Waits(for<'a> fn(&'a mut Task, &'a Call<'_>) -> Waiting<'a>),
    /// At once where that needs no waiting (`None`: it does), otherwise by waiting.
    NowOr(
        fn(&mut Task, &Call<'_>) -> Outcome<Option<()>>,
        for<'a> fn(&'a mut Task, &'a Call<'_>) -> Waiting<'a>,
    ),
    /// The same for a command that hardly ever waits: as long as it does not, it is no giving way, and its program's time
    /// runs on.
    NowNearlyAlways(
        fn(&mut Task, &Call<'_>) -> Outcome<Option<()>>,
        for<'a> fn(&'a mut Task, &'a Call<'_>) -> Waiting<'a>,
    ),
    /// It says which program runs next.
    Control(fn(&mut Task, &Call<'_>) -> Outcome<Flow>),
}

/// An `async fn` of a command as [`Handler::NowOr`]: it is tried where the program stands, and if it would have to wait
/// there it is dropped and asked again where it can. So before its first wait it must have changed nothing that its
/// being dropped does not undo; what cannot promise that waits for [`elsewhere`] first.
macro_rules! at_once {
    (nearly always $command:expr) => {
        $crate::exec::Handler::NowNearlyAlways(
            |task, call| $crate::exec::try_now($command(task, call)),
            |task, call| Box::pin($command(task, call)),
        )
    };
    ($command:expr) => {
        $crate::exec::Handler::NowOr(
            |task, call| $crate::exec::try_now($command(task, call)),
            |task, call| Box::pin($command(task, call)),
        )
    };
}
pub(crate) use at_once;

/// What a command comes to if it need not wait; `None` if it must.
pub(crate) fn try_now(command: impl Future<Output = Outcome>) -> Outcome<Option<()>> {
    match pin!(command).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => outcome.map(Some),
        Poll::Pending => Ok(None),
    }
}

/// Whether a command is only tried here.
pub(crate) fn is_tried(context: &Context<'_>) -> bool {
    context.waker().will_wake(Waker::noop())
}

/// Never ready where a command is only tried, and at once where it can wait.
pub(crate) fn elsewhere() -> impl Future<Output = ()> {
    poll_fn(|context| if is_tried(context) { Poll::Pending } else { Poll::Ready(()) })
}

/// The commands that a file answers, each with its handler.
pub type Answers = &'static [(CommandId, Handler)];

/// Where control goes.
pub enum Flow {
    /// Behind the command.
    On,
    /// To a program one level down, and back.
    Link(Link),
    /// To another program at this level; the one that asks is over.
    Xctl(Link),
    /// To the level above, or to the end of the task.
    Return,
    /// The task abends.
    Abend(Abend),
}

/// The program that gets control, and with what.
pub struct Link {
    /// It, found.
    pub program: Arc<Program>,
    /// Its COMMAREA.
    pub commarea: Option<Commarea>,
    /// Its channel.
    pub channel: Option<Arc<Channel>>,
    /// INPUTMSG: what its first RECEIVE gets.
    pub input_message: Option<Vec<u8>>,
}

/// What every command of a program needs to be known of, in one place.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    /// Its handler, if it is built.
    pub(crate) handler: Option<Handler>,
    /// EIBFN after it, as the program sees its bytes; zeros where the published number is not known.
    pub(crate) function: [u8; 2],
    /// Its counter of [`Requests`](crate::statistics::Requests).
    pub(crate) slot: u8,
}

/// All commands by their numbers.
static KNOWN: [Known; spec::COMMANDS] = known();

/// Every domain's handlers in one table, and CREATE and DISCARD of every type that is defined. Two handlers for a command
/// do not compile.
const fn known() -> [Known; spec::COMMANDS] {
    let mut table = [Known { handler: None, function: [0; 2], slot: 0 }; spec::COMMANDS];
    let mut number = 0;
    while number < table.len() {
        let command = &spec::commands()[number];
        if let Some(function) = command.eibfn {
            table[number].function = function.to_be_bytes();
        }
        table[number].slot = slot(command.id) as u8;
        number += 1;
    }
    let mut domains: &[&[Answers]] = crate::HANDLERS;
    while let [domain, others @ ..] = domains {
        let mut files: &[Answers] = domain;
        while let [file, others @ ..] = files {
            let mut answers: Answers = file;
            while let [(command, handler), others @ ..] = answers {
                let known = &mut table[command.0 as usize];
                assert!(known.handler.is_none(), "two handlers for one command");
                known.handler = Some(*handler);
                answers = others;
            }
            files = others;
        }
        domains = others;
    }
    let mut kinds: &[&Kind] = KINDS;
    while let [kind, others @ ..] = kinds {
        if let Some(defined) = kind.defined {
            let (create, discard) = (defined.create.0 as usize, defined.discard.0 as usize);
            let none = table[create].handler.is_none() && table[discard].handler.is_none();
            assert!(none, "two handlers for CREATE or DISCARD of a type");
            table[create].handler = Some(definitions::CREATE);
            table[discard].handler = Some(definitions::DISCARD);
        }
        kinds = others;
    }
    table
}

/// What is known of a command.
#[inline(always)]
pub(crate) fn of(command: CommandId) -> &'static Known {
    &KNOWN[usize::from(command.0)]
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use spec::Status;

    use super::*;
    use crate::raise::Raise;

    #[test]
    fn records_say_which_commands_are_built_and_where_a_task_may_wait() {
        for command in spec::commands() {
            let handler = of(command.id).handler;
            let name = command.name;
            assert_eq!(handler.is_some(), command.status != Status::NotYet, "the status of {name}");
            match handler {
                Some(Handler::Now(_)) => assert!(!command.suspends, "{name} never waits"),
                Some(Handler::Waits(_) | Handler::NowOr(..) | Handler::NowNearlyAlways(..)) => {
                    assert!(command.suspends, "{name} may wait")
                }
                // A program may have to be loaded, a unit of work to be committed.
                Some(Handler::Control(_)) | None => {}
            }
        }
    }

    #[test]
    fn a_command_that_need_not_wait_is_answered_where_it_is_tried() {
        assert_eq!(try_now(ready(Ok(()))), Ok(Some(())));
        assert_eq!(try_now(ready(Err(Raise::abend("AEY9")))), Err(Raise::abend("AEY9")));
    }

    #[test]
    fn one_that_must_wait_is_asked_again_where_it_can() {
        let command = || async {
            elsewhere().await;
            Ok(())
        };
        assert_eq!(try_now(command()), Ok(None));
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        assert_eq!(runtime.block_on(command()), Ok(()));
    }
}
