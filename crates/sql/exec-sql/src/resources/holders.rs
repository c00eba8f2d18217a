//! The tasks whose unit of work has a thread.

use std::collections::BTreeSet;
use std::sync::Arc;

use kernel::dispatcher::Dispatcher;
use kernel::region::Region;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// Those of the region, or of an entry.
#[derive(Default)]
pub(crate) struct Holders {
    tasks: Mutex<BTreeSet<u32>>,
    left: Notify,
}

impl Holders {
    /// A task is one of them until what this gives is dropped.
    pub(super) fn hold(self: &Arc<Self>, task: u32) -> Holds {
        self.tasks.lock().insert(task);
        Holds { task, of: Arc::clone(self) }
    }

    /// Returns true if there are any.
    pub(super) fn any(&self) -> bool {
        !self.tasks.lock().is_empty()
    }

    /// Returns true if a task is one of them.
    pub(crate) fn has(&self, task: u32) -> bool {
        self.tasks.lock().contains(&task)
    }

    /// Waits until there is none.
    pub(crate) async fn gone(&self) {
        loop {
            let left = self.left.notified();
            tokio::pin!(left);
            // The one who looks must hear of those that leave behind the look.
            left.as_mut().enable();
            if !self.any() {
                return;
            }
            left.await;
        }
    }

    /// Ends them: their units of work are backed out.
    pub(crate) fn force(&self, region: &Region) {
        let tasks = self.tasks.lock().clone();
        let running = Dispatcher::of(region).tasks();
        running.iter().filter(|task| tasks.contains(&task.number)).for_each(|task| task.force_purge());
    }
}

/// One of them.
pub(super) struct Holds {
    task: u32,
    of: Arc<Holders>,
}

impl Drop for Holds {
    fn drop(&mut self) {
        self.of.tasks.lock().remove(&self.task);
        self.of.left.notify_waiters();
    }
}
