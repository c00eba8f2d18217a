//! SQL state of a task: the way to its sessions.

use std::any::Any;
use std::thread::{self, ThreadId};

use kernel::task::TaskPart;
use tokio::sync::mpsc;

use crate::here::{self, Errand};
use crate::resources::Threads;

/// Of a task that has run a statement. Its sessions are on the TCB on which that was.
pub(crate) struct TaskSql {
    task: u32,
    home: mpsc::UnboundedSender<Errand>,
    thread: ThreadId,
    /// The servers that take part in the unit of work.
    pub(crate) enlisted: Vec<u16>,
    /// True if the unit of work was refused a thread: it has to be backed out.
    pub(crate) is_refused: bool,
    /// The unit of work's part of the limits.
    pub(crate) threads: Threads,
}

impl TaskSql {
    /// Of a task that begins on this TCB.
    pub(crate) fn new(task: u32) -> Self {
        let (home, thread) = here::door();
        Self { task, home, thread, enlisted: Vec::new(), is_refused: false, threads: Threads::default() }
    }

    /// Returns true if its sessions are on this TCB.
    pub(crate) fn is_here(&self) -> bool {
        self.thread == thread::current().id()
    }

    /// Asks the TCB of its sessions. It hears nothing any more only where the region ends.
    pub(crate) fn send(&self, errand: Errand) {
        let _ = self.home.send(errand);
    }
}

impl TaskPart for TaskSql {
    fn unit_ends(&mut self) -> Option<Box<dyn Any + Send>> {
        self.enlisted.clear();
        self.is_refused = false;
        let threads = std::mem::take(&mut self.threads);
        // Others get them when the unit of work is over.
        (!threads.is_empty()).then(|| Box::new(threads) as _)
    }
}

impl Drop for TaskSql {
    fn drop(&mut self) {
        if !self.is_here() || !here::end_idle(self.task) {
            self.send(Errand::End(self.task));
        }
    }
}
