//! Managers of a region's resources: a task, or a caller outside that has none.

use std::sync::Arc;

use records::Wait;
use spec::CommandId;

use crate::name::TransactionName;
use crate::notices::{Notice, Notices};
use crate::raise::Outcome;
use crate::region::Region;
use crate::security::{Change, Doer, User, Users};
use crate::task::{Task, TaskControl, TaskParts, WaitKind};

/// The number by which a manager without a task is known: no task has it.
const NO_TASK: u32 = 0;

/// A user or a task that manages a region.
///
/// INQUIRE, SET and CEMT do so as their task: its waits are shown by INQUIRE TASK, and PURGE ends them. Anybody else is a
/// user; dropping the future of a change ends its waits.
pub struct Manager {
    /// The region.
    pub region: Arc<Region>,
    control: Arc<TaskControl>,
    user: Arc<User>,
    patience: Wait,
}

impl Manager {
    /// A user without a task.
    pub fn new(region: &Arc<Region>, user: &Arc<User>) -> Self {
        let parts = TaskParts::new(NO_TASK, TransactionName::BLANK, Arc::clone(user));
        Self {
            region: Arc::clone(region),
            control: Arc::new(TaskControl::new(parts)),
            user: Arc::clone(user),
            patience: Wait::Forever,
        }
    }

    /// A task.
    pub fn of(task: &Task) -> Self {
        Self {
            region: Arc::clone(&task.region),
            control: Arc::clone(&task.control),
            user: Arc::clone(&task.user),
            patience: task.patience(),
        }
    }

    /// The user on whose behalf it acts. The caller checks the user's rights: the tables do not.
    pub fn user(&self) -> &Arc<User> {
        &self.user
    }

    /// Returns true if its user may know of a resource of the type that a command inquires.
    pub fn sees(&self, inquire: CommandId, name: &[u8]) -> bool {
        self.doer().sees(inquire, name)
    }

    /// Returns true if its user may give a command: for the resource of a name, or at all.
    pub fn may_do(&self, command: CommandId, name: Option<&[u8]>) -> bool {
        self.doer().may(command, name)
    }

    fn doer(&self) -> Doer<'_> {
        Doer { region: &self.region, user: &self.user, transaction: &self.control.transaction }
    }

    /// Notes for the audit that its user has changed a resource.
    pub fn has_changed(&self, command: &str, name: &[u8], given: String) {
        if Notices::are_wanted(&self.region) {
            Notices::tell(&self.region, Some(&self.control), Notice::Changed);
        }
        Users::of(&self.region).file.changed(&Change {
            user: self.user().id.to_string(),
            transaction: self.control.transaction.name.to_string(),
            command: command.to_owned(),
            resource: String::from_utf8_lossy(name.trim_ascii_end()).into_owned(),
            given,
        });
    }

    /// Control block of its waits.
    pub fn control(&self) -> &Arc<TaskControl> {
        &self.control
    }

    /// The number of its task; 0 without one.
    pub fn task_number(&self) -> u32 {
        self.control.number
    }

    /// Its patience with locks of others.
    pub fn patience(&self) -> Wait {
        self.patience
    }

    /// Waits for an event.
    ///
    /// # Errors
    /// The abend of a task that was purged.
    pub fn wait<F: Future>(&self, kind: WaitKind, event: F) -> impl Future<Output = Outcome<F::Output>> {
        self.control.wait(kind, event)
    }
}
