//! Names that tasks have to their own end. A task that has some has a session for them, beside those of its units of work: so they outlive these.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use records::{Error, Owner, Result, Wait};
use tokio::sync::{Mutex as AsyncMutex, OwnedSemaphorePermit, Semaphore};

use super::calls::Calls;
use super::limits::TASKS;
use super::row_locks::RowLocks;

/// The names of one task.
struct OfTask {
    /// Names alone, which are never committed.
    locks: RowLocks,
    /// One of [`TASKS`], as long as it has a session.
    place: Option<OwnedSemaphorePermit>,
}

impl OfTask {
    /// A task without names has no session.
    fn tidy(&mut self) {
        if self.locks.ends_without_locks() {
            self.place = None;
        }
    }
}

/// Those of all tasks.
pub(super) struct Names {
    tasks: Mutex<HashMap<Owner, Arc<AsyncMutex<OfTask>>>>,
    places: Arc<Semaphore>,
}

impl Default for Names {
    fn default() -> Self {
        Self { tasks: Mutex::default(), places: Arc::new(Semaphore::new(TASKS)) }
    }
}

impl Names {
    fn of(&self, owner: Owner) -> Option<Arc<AsyncMutex<OfTask>>> {
        self.tasks.lock().get(&owner).cloned()
    }

    /// Takes a name to the end of the task.
    pub async fn take(&self, calls: &Arc<Calls>, owner: Owner, name: &[u8], wait: Wait) -> Result<()> {
        let new = || {
            let locks = RowLocks::new(Arc::clone(calls), owner);
            Arc::new(AsyncMutex::new(OfTask { locks, place: None }))
        };
        let task = Arc::clone(self.tasks.lock().entry(owner).or_insert_with(new));
        let mut task = task.lock().await;
        if task.place.is_none() {
            let place = Arc::clone(&self.places).try_acquire_owned();
            task.place = Some(place.map_err(|_| Error::Limit("tasks that have names to their own end"))?);
        }
        let taken = task.locks.takes_name(name, wait).await;
        task.tidy();
        taken
    }

    /// A unit of work wants a name. Returns true if its task has it: then it is taken once more.
    pub fn takes_again(&self, owner: Owner, name: &[u8]) -> bool {
        let Some(task) = self.of(owner) else { return false };
        // A task does one thing at a time.
        task.try_lock().is_ok_and(|mut task| task.locks.takes_name_again(name))
    }

    /// Lets go of a name. Returns false if the task does not have it.
    pub fn let_go(&self, owner: Owner, name: &[u8]) -> bool {
        let Some(task) = self.of(owner) else { return false };
        let Ok(mut task) = task.try_lock() else { return false };
        let had = task.locks.lets_go_of_name(name);
        task.tidy();
        had
    }

    /// Returns an error if the session with the names of a task was lost: others may have had them.
    pub async fn check(&self, owner: Owner) -> Result<()> {
        match self.of(owner) {
            Some(task) => task.lock().await.locks.checks_session().await,
            None => Ok(()),
        }
    }

    /// The task has ended.
    pub fn end(&self, owner: Owner) {
        let task = self.tasks.lock().remove(&owner);
        drop(task);
    }

    /// All have.
    pub fn end_all(&self) {
        let tasks = std::mem::take(&mut *self.tasks.lock());
        drop(tasks);
    }
}
