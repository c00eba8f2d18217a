//! The table of handlers: one function for each command.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use spec::CommandId;
use spec::measures::slot;

use super::Call;
use crate::channels::Channel;
use crate::programs::Program;
use crate::raise::{Abend, Outcome};
use crate::task::{Commarea, Task};

/// The future of a command that may wait. It lives on its TCB's thread.
pub type Waiting<'a> = Pin<Box<dyn Future<Output = Outcome> + 'a>>;

/// Ways to answer a command.
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
/// being dropped does not undo; what cannot promise that waits for [`elsewhere`](crate::trial::elsewhere) first.
#[macro_export]
macro_rules! at_once {
    (nearly always $command:expr) => {
        $crate::exec::Handler::NowNearlyAlways(
            |task, call| $crate::trial::try_now(::std::pin::pin!($command(task, call))),
            |task, call| Box::pin($command(task, call)),
        )
    };
    ($command:expr) => {
        $crate::exec::Handler::NowOr(
            |task, call| $crate::trial::try_now(::std::pin::pin!($command(task, call))),
            |task, call| Box::pin($command(task, call)),
        )
    };
}
pub use at_once;

/// The commands that a file answers, each with its handler.
pub type Answers = &'static [(CommandId, Handler)];

/// Targets of control.
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

/// Knowledge of a command that every program needs, in one place.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    /// Its handler, if it is built.
    pub(crate) handler: Option<Handler>,
    /// EIBFN after it, as the program sees its bytes; zeros where the published number is not known.
    pub(crate) function: [u8; 2],
    /// Its counter of [`Requests`](crate::meters::Requests).
    pub(crate) slot: u8,
}

/// All commands by their numbers.
pub struct Commands(Box<[Known]>);

static COMMANDS: OnceLock<Commands> = OnceLock::new();

impl Commands {
    /// All commands, with the handlers of these domains.
    ///
    /// # Panics
    /// If there are two for a command.
    pub fn new(handlers: impl Iterator<Item = (CommandId, Handler)>) -> Self {
        let records = spec::commands().iter();
        let known = records.map(|command| Known {
            handler: None,
            function: command.eibfn.unwrap_or_default().to_be_bytes(),
            slot: slot(command.id) as u8,
        });
        let mut commands: Box<[Known]> = known.collect();
        for (command, handler) in handlers {
            let before = commands[usize::from(command.0)].handler.replace(handler);
            assert!(before.is_none(), "two handlers for {}", spec::command(command).name);
        }
        Self(commands)
    }

    /// From now on commands are answered by these: once in a process, before its first region starts.
    pub fn install(self) {
        COMMANDS.get_or_init(|| self);
    }

    /// The handler of a command, if it is built.
    pub fn handler(&self, command: CommandId) -> Option<Handler> {
        self.0[usize::from(command.0)].handler
    }
}

/// Knowledge of a command.
///
/// # Panics
/// Never: a task issues commands, and its region installed them.
#[inline(always)]
pub(crate) fn of(command: CommandId) -> &'static Known {
    let commands = COMMANDS.get().expect("installed before the first region");
    &commands.0[usize::from(command.0)]
}
