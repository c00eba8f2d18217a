//! Those who look at every command of a region: command security, policies, a debugger, exits.
//!
//! As long as there is nobody, a command costs the test of one flag.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::RwLock;

use super::{Call, Waiting};
use crate::raise::Outcome;
use crate::region::Region;
use crate::task::Task;

/// Somebody who looks at every command. Both looks may wait, and a panic in one ends the task, as one of the handler does.
pub trait Watcher: Send + Sync {
    /// Before its handler. What is raised is the command's outcome: no later watcher and no handler is asked.
    fn before<'a>(&'a self, task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a>;

    /// After it, of a LINK after its program has come back; never of a command that does not come back. What is returned is
    /// the command's outcome.
    fn after<'a>(&'a self, task: &'a mut Task, call: &'a Call<'_>, outcome: Outcome) -> Waiting<'a>;
}

/// The watchers of a region.
#[derive(Default)]
pub struct Watchers {
    list: RwLock<Vec<Arc<dyn Watcher>>>,
}

impl Watchers {
    /// From now on it looks at commands, after those that were added before.
    pub fn add(region: &Region, watcher: Arc<dyn Watcher>) {
        region.part::<Self>().list.write().push(watcher);
        region.watched.store(true, Ordering::Release);
    }

    /// It does not look any more.
    pub fn remove(region: &Region, watcher: &Arc<dyn Watcher>) {
        let mut list = region.part::<Self>().list.write();
        list.retain(|there| !Arc::ptr_eq(there, watcher));
        region.watched.store(!list.is_empty(), Ordering::Release);
    }

    fn all(region: &Region) -> Vec<Arc<dyn Watcher>> {
        region.part::<Self>().list.read().clone()
    }
}

/// Whether anybody looks at the task's commands.
#[inline(always)]
pub(super) fn is_watched(task: &Task) -> bool {
    task.region.watched.load(Ordering::Relaxed)
}

/// The place before every handler.
#[inline]
pub(super) async fn before(task: &mut Task, call: &Call<'_>) -> Outcome {
    if !is_watched(task) {
        return Ok(());
    }
    for watcher in Watchers::all(&task.region) {
        watcher.before(task, call).await?;
    }
    Ok(())
}

/// The place after every handler.
#[inline]
pub(super) async fn after(task: &mut Task, call: &Call<'_>, mut outcome: Outcome) -> Outcome {
    if is_watched(task) {
        for watcher in Watchers::all(&task.region) {
            outcome = watcher.after(task, call, outcome).await;
        }
    }
    outcome
}
