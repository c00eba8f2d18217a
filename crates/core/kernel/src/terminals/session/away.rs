//! A terminal of another region, at which tasks of this one run: its line leads to the region that owns it.
//!
//! Its owner keeps its screen and its input. Here the terminal has as much of them as a task needs, from the moment at which the task is
//! routed here to its end.

use std::any::Any;
use std::time::Instant;

use tn3270::datastream::{Address, Aid, Inbound};

use super::Terminal;
use crate::name::{Name, Name8, TerminalName};
use crate::terminals::{NextTask, UpperCase};

/// The region that owns a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Its system.
    pub system: Name<4>,
    /// Its network name.
    pub applid: Name8,
    /// The name of the terminal there.
    pub name: TerminalName,
}

/// The state of a terminal at its owner when a task is routed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtOwner {
    /// The screen has its alternate size.
    pub alternate: bool,
    /// The keyboard waits for the program.
    pub locked: bool,
    /// The part of its input that is translated to upper case.
    pub upper_case: UpperCase,
    /// The key of the last input, and the place of the cursor.
    pub last_key: (Aid, Address),
}

impl Terminal {
    /// The region that owns it; `None`: this one.
    pub fn owner(&self) -> Option<Owner> {
        self.line.owner()
    }

    /// Its state, for a task that is routed to another region.
    pub fn at_owner(&self) -> AtOwner {
        let state = self.state.lock();
        AtOwner {
            alternate: state.alternate,
            locked: state.locked,
            upper_case: state.upper_case,
            last_key: state.last_key,
        }
    }

    /// A task is routed here, with the input that has started it.
    pub fn begin_routed(&self, now: AtOwner, input: Option<Inbound>) {
        let mut state = self.state.lock();
        state.heard = Instant::now();
        state.alternate = now.alternate;
        state.locked = now.locked;
        state.upper_case = now.upper_case;
        state.last_key = now.last_key;
        state.message_lines = 0;
        state.fields.forget();
        state.held.clear();
        state.inputs.clear();
        state.first_input = input;
    }

    /// The task is over: its owner goes on.
    pub(crate) fn leave(&self, next: NextTask) {
        let held = {
            let mut state = self.state.lock();
            state.task = None;
            state.first_input = None;
            state.inputs.clear();
            std::mem::take(&mut state.held)
        };
        self.line.task_is_over(held, next);
    }

    /// Has its owner start a task there; it comes back if that is this region.
    pub(crate) fn start_at_owner(&self, started: Box<dyn Any + Send>) -> Result<(), Box<dyn Any + Send>> {
        self.line.start(started)
    }
}
