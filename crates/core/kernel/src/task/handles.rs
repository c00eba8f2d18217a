//! Requests of a program by HANDLE CONDITION, HANDLE AID, HANDLE ABEND and IGNORE CONDITION.
//!
//! The state belongs to a link level: a LINKed program starts with none, and its caller finds its own again.
//! PUSH HANDLE suspends all of it, POP HANDLE brings it back.

use std::collections::HashMap;

use spec::{Condition, cond};
use tn3270::datastream::Aid;

use crate::limits::PUSHED_HANDLES_MAX;
use crate::name::Name8;

/// A paragraph of the program, by its number in the program's label list; from 1.
pub type Label = u16;

/// Actions on a condition that the command itself does not take by RESP or NOHANDLE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Go to the label.
    Label(Label),
    /// Go on behind the command.
    Ignore,
    /// End the task with this abend code.
    Abend(&'static str),
}

/// The exit for an abend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AbendExit {
    /// A paragraph of this program.
    Label(Label),
    /// A program.
    Program(Name8),
}

/// The handle state of one link level.
#[derive(Clone, Debug, Default)]
pub struct Handles {
    current: State,
    pushed: Vec<State>,
}

#[derive(Clone, Debug, Default)]
struct State {
    conditions: HashMap<Condition, Action>,
    aids: HashMap<Aid, Label>,
    any_key: Option<Label>,
    abend: Option<AbendExit>,
    /// The exit that is switched off while it runs, or by CANCEL: HANDLE ABEND RESET brings it back.
    abend_inactive: Option<AbendExit>,
}

impl Handles {
    /// Nothing is handled any more.
    pub(crate) fn clear(&mut self) {
        let State { conditions, aids, any_key, abend, abend_inactive } = &mut self.current;
        conditions.clear();
        aids.clear();
        (*any_key, *abend, *abend_inactive) = (None, None, None);
        self.pushed.clear();
    }

    /// HANDLE CONDITION name(label).
    pub fn on_condition(&mut self, condition: Condition, label: Label) {
        self.current.conditions.insert(condition, Action::Label(label));
    }

    /// HANDLE CONDITION name: the default action again, whatever ERROR says. For ERROR itself: no action of its own.
    pub fn default_for(&mut self, condition: Condition) {
        if condition == cond::ERROR {
            self.current.conditions.remove(&condition);
        } else {
            self.current.conditions.insert(condition, default_action(condition));
        }
    }

    /// IGNORE CONDITION name.
    pub fn ignore(&mut self, condition: Condition) {
        self.current.conditions.insert(condition, Action::Ignore);
    }

    /// HANDLE AID key(label); without label, the key is not handled.
    pub fn on_aid(&mut self, aid: Aid, label: Option<Label>) {
        match label {
            Some(label) => self.current.aids.insert(aid, label),
            None => self.current.aids.remove(&aid),
        };
    }

    /// HANDLE AID ANYKEY: any PA key, PF key or CLEAR, but not ENTER.
    pub fn on_any_key(&mut self, label: Option<Label>) {
        self.current.any_key = label;
    }

    /// The label for an attention key, if one was asked for.
    pub fn aid(&self, aid: Aid) -> Option<Label> {
        self.current.aids.get(&aid).copied().or(if aid == Aid::Enter { None } else { self.current.any_key })
    }

    /// HANDLE ABEND LABEL or PROGRAM.
    pub fn on_abend(&mut self, exit: AbendExit) {
        self.current.abend = Some(exit);
        self.current.abend_inactive = None;
    }

    /// HANDLE ABEND CANCEL: switched off until RESET.
    pub fn cancel_abend(&mut self) {
        if let Some(exit) = self.current.abend.take() {
            self.current.abend_inactive = Some(exit);
        }
    }

    /// HANDLE ABEND RESET: the exit that was cancelled or has been entered is active again.
    pub fn reset_abend(&mut self) {
        if self.current.abend.is_none() {
            self.current.abend = self.current.abend_inactive.take();
        }
    }

    /// Returns true if an abend has an exit now.
    pub fn has_abend_exit(&self) -> bool {
        self.current.abend.is_some()
    }

    /// The exit for an abend now. It is inactive from here on, lest an abend in the exit enters it again.
    pub fn take_abend_exit(&mut self) -> Option<AbendExit> {
        let exit = self.current.abend.take();
        if exit.is_some() {
            self.current.abend_inactive = exit;
        }
        exit
    }

    /// Action on a condition: its own, else that of ERROR, else its default.
    pub fn action(&self, condition: Condition) -> Action {
        if let Some(action) = self.current.conditions.get(&condition) {
            return *action;
        }
        match default_action(condition) {
            Action::Ignore => Action::Ignore,
            default => self.current.conditions.get(&cond::ERROR).copied().unwrap_or(default),
        }
    }

    /// PUSH HANDLE; false when there are too many.
    pub fn push(&mut self) -> bool {
        let room = self.pushed.len() < PUSHED_HANDLES_MAX;
        if room {
            self.pushed.push(std::mem::take(&mut self.current));
        }
        room
    }

    /// POP HANDLE; false when nothing was pushed.
    pub fn pop(&mut self) -> bool {
        match self.pushed.pop() {
            Some(state) => {
                self.current = state;
                true
            }
            None => false,
        }
    }
}

/// Default action of a condition.
fn default_action(condition: Condition) -> Action {
    condition.default_abend().map_or(Action::Ignore, Action::Abend)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_goes_to_its_label_then_to_error_then_to_its_default() {
        let mut handles = Handles::default();
        assert_eq!(handles.action(cond::NOTFND), Action::Abend("AEIM"));
        handles.on_condition(cond::ERROR, 2);
        assert_eq!(handles.action(cond::NOTFND), Action::Label(2));
        handles.on_condition(cond::NOTFND, 1);
        assert_eq!(handles.action(cond::NOTFND), Action::Label(1));
        handles.ignore(cond::NOTFND);
        assert_eq!(handles.action(cond::NOTFND), Action::Ignore);
        handles.default_for(cond::NOTFND);
        assert_eq!(handles.action(cond::NOTFND), Action::Abend("AEIM"));
    }

    #[test]
    fn a_condition_that_is_ignored_by_default_does_not_go_to_error() {
        let mut handles = Handles::default();
        handles.on_condition(cond::ERROR, 2);
        assert_eq!(handles.action(cond::EOC), Action::Ignore);
    }

    #[test]
    fn an_abend_exit_is_entered_once_and_reset_brings_it_back() {
        let mut handles = Handles::default();
        handles.on_abend(AbendExit::Label(3));
        assert_eq!(handles.take_abend_exit(), Some(AbendExit::Label(3)));
        assert_eq!(handles.take_abend_exit(), None);
        handles.reset_abend();
        assert_eq!(handles.take_abend_exit(), Some(AbendExit::Label(3)));
    }

    #[test]
    fn push_suspends_everything_and_pop_restores_it() {
        let mut handles = Handles::default();
        handles.on_condition(cond::NOTFND, 1);
        handles.on_aid(Aid::Pf(3), Some(4));
        assert!(handles.push());
        assert_eq!(handles.action(cond::NOTFND), Action::Abend("AEIM"));
        assert_eq!(handles.aid(Aid::Pf(3)), None);
        assert!(handles.pop());
        assert_eq!(handles.action(cond::NOTFND), Action::Label(1));
        assert!(!handles.pop());
    }
}
