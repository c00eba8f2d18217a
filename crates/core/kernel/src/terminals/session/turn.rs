//! Whose turn it is at a terminal that has no task.
//!
//! The one that gets its turn has the terminal to itself until its task is attached, or it gives up: so an input and a
//! started task that come at the same moment do not take each other's place, nor what the last RETURN has left.

use tn3270::datastream::Inbound;

use super::{Started, State, Terminal};
use crate::channels::Channel;
use crate::terminals::NextTask;

/// Work with which a free terminal goes on.
pub(crate) enum Turn {
    /// RETURN TRANSID IMMEDIATE: before everything that waits.
    Immediate(NextTask),
    /// A task that was started for the terminal.
    Started(Box<dyn Started>),
    /// An input.
    Input(Inbound),
}

/// State that RETURN has left for the next program that runs at the terminal, whatever starts it.
#[derive(Clone, Default)]
pub(crate) struct Passed {
    /// The COMMAREA.
    pub commarea: Option<Vec<u8>>,
    /// The channel.
    pub channel: Option<std::sync::Arc<Channel>>,
}

impl Terminal {
    /// Whose turn it is, if the terminal is free and something waits for it.
    pub(crate) fn next_turn(&self) -> Option<Turn> {
        let mut state = self.state.lock();
        if state.task.is_some() || state.claimed || state.gone {
            return None;
        }
        let turn = choose(&mut state)?;
        state.claimed = true;
        Some(turn)
    }

    /// The turn came to nothing: no task is attached, or it was refused behind its attach.
    pub(crate) fn give_up(&self) {
        let mut state = self.state.lock();
        state.task = None;
        state.claimed = false;
        state.first_input = None;
    }

    /// Takes what RETURN has left for the next program; the transaction that it named still waits for its input.
    pub(crate) fn take_passed(&self) -> Passed {
        let mut state = self.state.lock();
        Passed { commarea: state.next.commarea.take(), channel: state.next.channel.take() }
    }

    /// Puts it back: the program did not run.
    pub(crate) fn put_back(&self, passed: Passed) {
        let mut state = self.state.lock();
        state.next.commarea = passed.commarea;
        state.next.channel = passed.channel;
    }
}

fn choose(state: &mut State) -> Option<Turn> {
    if state.next.immediate {
        state.continues = true;
        return Some(Turn::Immediate(std::mem::take(&mut state.next)));
    }
    let started = state.waiting.pop_front().map(Turn::Started);
    started.or_else(|| state.inputs.pop_front().map(Turn::Input))
}
