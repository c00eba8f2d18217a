//! A session: the stops of the tasks of one terminal.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use kernel::debugging::storage_at_command;
use kernel::dispatcher::Failure;
use kernel::exec::{Call, Parcel, interface_behind};
use kernel::limits::{EDF_REMEMBERED_MAX, SHOWN_ARGUMENT_BYTES_MAX};
use kernel::name::Name8;
use kernel::raise::{Outcome, Raise};
use kernel::task::Task;
use kernel::terminals::Terminal;
use parking_lot::Mutex;
use spec::cmd;

use super::Sessions;
use super::display::{ANY_CONDITION, Answer, Body, Conversation, Display, Shown, Stops};
use super::screen::Head;

/// The session of a terminal.
pub(super) struct Session {
    terminal: Weak<Terminal>,
    state: Mutex<State>,
}

/// The state of the followed task.
#[derive(Default)]
struct State {
    task: u32,
    /// The programs whose beginning was shown, the first one first.
    entered: Vec<Name8>,
    displays: u32,
    suppressed: bool,
    /// The user has ended the session: the remaining displays of this command are not shown.
    ended: bool,
    stops: Stops,
    previous: VecDeque<Shown>,
}

impl Session {
    pub fn of(terminal: &Arc<Terminal>) -> Self {
        Self { terminal: Arc::downgrade(terminal), state: Mutex::default() }
    }

    /// Returns true if its terminal has gone.
    pub fn is_over(&self) -> bool {
        self.terminal.upgrade().is_none_or(|terminal| terminal.is_gone())
    }

    /// A command is about to be executed.
    ///
    /// # Errors
    /// The abend that the user has asked for, or that of a task whose terminal is gone, or that was purged.
    pub async fn before(&self, task: &mut Task, call: &Call<'_>) -> Outcome {
        if self.enters(task) {
            let display = self.beginning(task, call);
            self.stop(task, display).await?;
        }
        let command = spec::command(call.command());
        if !self.passes(|stops| !stops.command.is_empty() && command.name.starts_with(&stops.command)) {
            let display = Display { status: String::from("ABOUT TO EXECUTE COMMAND"), ..about(task, call) };
            self.stop(task, display).await?;
        }
        if call.command() == cmd::RETURN && task.depth() == 1 {
            let display =
                Display { status: String::from("TASK TERMINATION"), is_end: true, ..about(task, call) };
            self.stop(task, display).await?;
        }
        Ok(())
    }

    /// Shows a command that was executed, with its outcome.
    ///
    /// # Errors
    /// As [`Self::before`].
    pub async fn after(&self, task: &mut Task, call: &Call<'_>, outcome: &Outcome) -> Outcome {
        let name = match outcome {
            Ok(()) => "NORMAL".to_owned(),
            Err(Raise::Condition(condition, _)) => condition.name().to_string(),
            // The end of the task is shown when it has failed.
            Err(Raise::Abend(_)) => return Ok(()),
        };
        let is_wanted = |stops: &Stops| match stops.condition.as_str() {
            ANY_CONDITION => name != "NORMAL",
            condition => condition == name,
        };
        if self.passes(is_wanted) {
            return Ok(());
        }
        let eib = interface_behind(task, call, outcome).unwrap_or_default();
        let resp2 = if let Err(Raise::Condition(_, resp2)) = outcome { *resp2 } else { 0 };
        let resp = if let Err(Raise::Condition(condition, _)) = outcome { condition.resp() } else { 0 };
        let display = Display {
            status: String::from("COMMAND EXECUTION COMPLETE"),
            response: format!("RESPONSE: {name:<12} EIBRESP={resp} EIBRESP2={resp2}"),
            eib,
            ..about(task, call)
        };
        self.stop(task, display).await
    }

    /// The task has failed.
    pub async fn failed(&self, task: &mut Task, failure: &Failure) {
        let head = Head { program: failure.program.to_string(), ..head(task) };
        let words = vec![
            format!("ABEND {} IN PROGRAM {}", failure.code, failure.program),
            String::from("What the task has changed is backed out."),
        ];
        let display = Display {
            head,
            status: String::from("AN ABEND HAS OCCURRED"),
            body: Body::Words(words),
            line: String::new(),
            response: String::new(),
            eib: Vec::new(),
            storage: None,
            is_end: true,
        };
        // The task is over: if the display cannot be shown any more, its terminal has gone.
        let _ = self.stop(task, display).await;
    }

    /// Returns true if the running program was just entered, by the task's beginning, LINK or XCTL, and displays are
    /// not suppressed.
    fn enters(&self, task: &Task) -> bool {
        let mut state = self.state.lock();
        if state.task != task.number {
            let (stops, previous) = (state.stops.clone(), std::mem::take(&mut state.previous));
            *state = State { task: task.number, stops, previous, ..State::default() };
        }
        let mut levels: Vec<Name8> = task.levels().map(|level| level.program).collect();
        levels.reverse();
        let is_known = state.entered.len() >= levels.len() && state.entered[..levels.len()] == levels[..];
        state.entered = levels;
        !is_known && !state.suppressed
    }

    /// Returns true if displays are suppressed and this is not a condition at which they come again.
    fn passes(&self, is_wanted: impl Fn(&Stops) -> bool) -> bool {
        let state = self.state.lock();
        state.suppressed && !is_wanted(&state.stops)
    }

    fn beginning(&self, task: &Task, call: &Call<'_>) -> Display {
        let given = task.level().commarea.as_ref().map(|area| (area.address(), area.length()));
        let commarea = given.and_then(|(address, length)| {
            let mut bytes = vec![0; length.min(SHOWN_ARGUMENT_BYTES_MAX)];
            call.read_at(address, &mut bytes).ok().map(|()| bytes)
        });
        let commarea = commarea.unwrap_or_default();
        let status = String::from("PROGRAM INITIATION");
        let body = Body::Beginning { commarea };
        Display { status, body, line: String::new(), response: String::new(), ..about(task, call) }
    }

    async fn stop(&self, task: &mut Task, mut display: Display) -> Outcome {
        let Some(terminal) = self.terminal.upgrade() else { return Ok(()) };
        let (mut stops, previous) = {
            let mut state = self.state.lock();
            if state.ended {
                return Ok(());
            }
            display.head.display = state.displays;
            state.displays += 1;
            (state.stops.clone(), state.previous.iter().cloned().collect::<Vec<_>>())
        };
        let held = Conversation::about(&display, &mut stops, &previous).hold(task, &terminal).await;
        let (answer, shown) = held?;
        let mut state = self.state.lock();
        state.stops = stops;
        state.previous.push_front(shown);
        state.previous.truncate(EDF_REMEMBERED_MAX);
        state.suppressed = matches!(answer, Answer::Suppress);
        state.ended = matches!(answer, Answer::End);
        drop(state);
        match answer {
            Answer::Continue | Answer::Suppress => Ok(()),
            Answer::Abend(code) => Err(Raise::Abend(code)),
            Answer::End => {
                Sessions::end(&task.region, &terminal);
                Ok(())
            }
        }
    }
}

fn head(task: &Task) -> Head {
    Head {
        transaction: task.transaction.name.to_string(),
        program: String::new(),
        task: task.number,
        applid: task.region.options.applid.to_string(),
        display: 0,
    }
}

/// A stop at a command.
fn about(task: &Task, call: &Call<'_>) -> Display {
    let place = call.place();
    let line = place.and_then(|place| place.line).map(|line| format!("LINE: {} OF {}", line.line, line.file));
    Display {
        head: Head { program: task.level().program.to_string(), ..head(task) },
        status: String::new(),
        body: Body::Command(Parcel::copy_of(call)),
        line: line.unwrap_or_default(),
        response: String::from("RESPONSE:"),
        eib: task.level().eib.bytes(),
        storage: storage_at_command(task, call),
        is_end: false,
    }
}
