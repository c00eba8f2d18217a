//! Who looks at the resources of a region and changes them: a task, or something outside that has none.

use std::sync::Arc;

use records::Wait;

use crate::name::TransactionName;
use crate::raise::Outcome;
use crate::region::Region;
use crate::security::User;
use crate::task::{Task, TaskControl, TaskParts, WaitKind};

/// The number by which somebody without a task is known: no task has it.
const NO_TASK: u32 = 0;

/// Somebody who manages a region.
///
/// INQUIRE, SET and CEMT do so as their task: its waits are shown by INQUIRE TASK, and PURGE ends them. Anybody else is a
/// user; dropping the future of a change ends its waits.
pub struct Manager {
    /// The region.
    pub region: Arc<Region>,
    control: Arc<TaskControl>,
    patience: Wait,
}

impl Manager {
    /// A user without a task.
    pub fn new(region: &Arc<Region>, user: &Arc<User>) -> Self {
        let parts = TaskParts::new(NO_TASK, TransactionName::BLANK, Arc::clone(user));
        Self {
            region: Arc::clone(region),
            control: Arc::new(TaskControl::new(parts)),
            patience: Wait::Forever,
        }
    }

    /// A task.
    pub fn of(task: &Task) -> Self {
        Self {
            region: Arc::clone(&task.region),
            control: Arc::clone(&task.control),
            patience: task.patience(),
        }
    }

    /// On whose behalf. What the user may do is for the caller to check: the tables do not ask.
    pub fn user(&self) -> &Arc<User> {
        &self.control.user
    }

    /// What the region knows of its waits.
    pub(crate) fn control(&self) -> &Arc<TaskControl> {
        &self.control
    }

    /// The number of its task; 0 for somebody without one.
    pub(crate) fn task_number(&self) -> u32 {
        self.control.number
    }

    /// How long it waits for what another has locked.
    pub(crate) fn patience(&self) -> Wait {
        self.patience
    }

    /// Waits for an event.
    ///
    /// # Errors
    /// The abend of a task that was purged.
    pub(crate) fn wait<F: Future>(
        &self,
        kind: WaitKind,
        event: F,
    ) -> impl Future<Output = Outcome<F::Output>> {
        self.control.wait(kind, event)
    }
}
