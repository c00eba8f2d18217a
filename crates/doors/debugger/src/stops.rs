//! The places at which tasks rest, and the tasks that do.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use kernel::debugging::{self, Debugger, GoOn, Here, Scene};
use kernel::exec::{Call, Waiting, Watcher};
use kernel::raise::Outcome;
use kernel::task::Task;
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};

/// The reason why a task rests, in the words of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    Breakpoint,
    Step,
    Pause,
    /// A command.
    Command,
}

impl Reason {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Breakpoint => "breakpoint",
            Self::Step => "step",
            Self::Pause => "pause",
            Self::Command => "exception",
        }
    }
}

/// The way in which a task goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// To the next breakpoint.
    Go,
    /// To the next statement.
    Into,
    /// To the next statement that is no deeper than this.
    NotBelow(usize),
}

/// Which commands tasks rest at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Commands {
    pub(crate) before: bool,
    pub(crate) after: bool,
    /// Behind those whose response is another than NORMAL.
    pub(crate) conditions: bool,
}

/// A task that rests.
pub(crate) struct Resting {
    pub(crate) scene: Scene,
    pub(crate) changes: Vec<(u32, Vec<u8>)>,
    go_on: oneshot::Sender<GoOn>,
}

/// An event of which an editor has to hear.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stopped {
    pub(crate) task: u32,
    pub(crate) reason: Reason,
    pub(crate) text: Option<String>,
}

#[derive(Default)]
struct State {
    /// Lines by the names of their files, in small letters and without folders.
    breakpoints: HashMap<String, BTreeSet<u32>>,
    steps: HashMap<u32, Step>,
    /// The next statement of any task.
    pause: bool,
    commands: Commands,
    /// The reason why the task that is about to rest does so.
    reasons: HashMap<u32, Reason>,
    resting: BTreeMap<u32, Resting>,
}

/// All of a session. It is what the kernel asks.
pub(crate) struct Stops {
    state: Mutex<State>,
    /// A task tells of one stop at a time: there are never more in here than tasks.
    told: mpsc::UnboundedSender<Stopped>,
}

/// A file's name as breakpoints know it.
fn file_name(path: &str) -> String {
    let name = Path::new(path).file_name().map(|name| name.to_string_lossy().to_lowercase());
    name.unwrap_or_default()
}

impl Stops {
    pub(crate) fn new() -> (Arc<Self>, mpsc::UnboundedReceiver<Stopped>) {
        let (told, hears) = mpsc::unbounded_channel();
        (Arc::new(Self { state: Mutex::default(), told }), hears)
    }

    /// The breakpoints of a file, instead of those that it had.
    pub(crate) fn set_breakpoints(&self, path: &str, lines: BTreeSet<u32>) {
        self.state.lock().breakpoints.insert(file_name(path), lines);
    }

    pub(crate) fn set_commands(&self, commands: Commands) {
        self.state.lock().commands = commands;
    }

    /// The next statement of any task is one where it rests.
    pub(crate) fn pause(&self) {
        self.state.lock().pause = true;
    }

    /// The tasks that rest.
    pub(crate) fn tasks(&self) -> Vec<(u32, String)> {
        let state = self.state.lock();
        let shown = |(number, resting): (&u32, &Resting)| {
            (*number, format!("task {number} {}", resting.scene.transaction))
        };
        state.resting.iter().map(shown).collect()
    }

    /// Something with a task that rests.
    pub(crate) fn with<T>(&self, task: u32, what: impl FnOnce(&mut Resting) -> T) -> Option<T> {
        self.state.lock().resting.get_mut(&task).map(what)
    }

    /// A task goes on. False if it does not rest.
    pub(crate) fn go_on(&self, task: u32, step: impl FnOnce(&Scene) -> Step) -> bool {
        let mut state = self.state.lock();
        let Some(resting) = state.resting.remove(&task) else { return false };
        match step(&resting.scene) {
            Step::Go => state.steps.remove(&task),
            step => state.steps.insert(task, step),
        };
        // A task that has been purged does not wait any more.
        let _ = resting.go_on.send(GoOn { changes: resting.changes });
        true
    }

    /// All tasks go on, and none rests any more.
    pub(crate) fn end(&self) {
        let resting = std::mem::take(&mut *self.state.lock()).resting;
        for resting in resting.into_values() {
            let _ = resting.go_on.send(GoOn { changes: resting.changes });
        }
    }

    async fn rest_at_command(
        &self,
        task: &mut Task,
        call: &Call<'_>,
        came_to: Option<&Outcome>,
        text: String,
    ) -> Outcome {
        self.state.lock().reasons.insert(task.number, Reason::Command);
        debugging::rest_at_command(task, call, came_to, text).await
    }
}

impl State {
    /// Returns the reason to rest before a statement.
    fn reason(&mut self, here: &Here<'_>) -> Option<Reason> {
        if std::mem::take(&mut self.pause) {
            return Some(Reason::Pause);
        }
        let is_there =
            self.breakpoints.iter().any(|(file, lines)| lines.contains(&here.line.line) && here.is_in(file));
        if is_there {
            return Some(Reason::Breakpoint);
        }
        let stepped = match self.steps.get(&here.task)? {
            Step::Go => false,
            Step::Into => true,
            Step::NotBelow(depth) => here.depth() <= *depth,
        };
        stepped.then_some(Reason::Step)
    }
}

impl Debugger for Stops {
    fn rests_at(&self, here: &Here<'_>) -> bool {
        let mut state = self.state.lock();
        let Some(reason) = state.reason(here) else { return false };
        state.steps.remove(&here.task);
        state.reasons.insert(here.task, reason);
        true
    }

    fn resting(&self, scene: Scene) -> oneshot::Receiver<GoOn> {
        let (go_on, goes_on) = oneshot::channel();
        let mut state = self.state.lock();
        let (task, text) = (scene.task, scene.reason.clone());
        let reason = state.reasons.remove(&task).unwrap_or(Reason::Step);
        if self.told.send(Stopped { task, reason, text }).is_ok() {
            state.resting.insert(task, Resting { scene, changes: Vec::new(), go_on });
        }
        goes_on
    }
}

impl Watcher for Stops {
    fn before<'a>(&'a self, task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
        if !self.state.lock().commands.before {
            return Box::pin(async { Ok(()) });
        }
        let text = format!("before EXEC CICS {}", spec::command(call.command()).name);
        Box::pin(self.rest_at_command(task, call, None, text))
    }

    fn after<'a>(&'a self, task: &'a mut Task, call: &'a Call<'_>, outcome: Outcome) -> Waiting<'a> {
        let commands = self.state.lock().commands;
        let told = match &outcome {
            Ok(()) => commands.after.then(|| String::from("NORMAL")),
            Err(raise) => (commands.after || commands.conditions).then(|| raise.to_string()),
        };
        let Some(told) = told else { return Box::pin(async move { outcome }) };
        let text = format!("behind EXEC CICS {}: {told}", spec::command(call.command()).name);
        Box::pin(async move {
            self.rest_at_command(task, call, Some(&outcome), text).await?;
            outcome
        })
    }
}
