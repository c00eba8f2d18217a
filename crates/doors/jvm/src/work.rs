//! Work of Java threads that waits for a task of its own.

use std::sync::{Arc, Weak};

use kernel::dispatcher::Context;
use kernel::name::Name8;
use kernel::task::TaskPart;

use crate::server::{JvmServer, Order};

/// Work that waits in a JVM for its task. Dropped before it is taken, it is rejected.
pub(crate) struct Work {
    server: Weak<JvmServer>,
    /// The JVM server's name.
    pub name: Name8,
    /// The JVM's number for it.
    pub number: u32,
    is_taken: bool,
}

impl TaskPart for Work {}

impl Drop for Work {
    fn drop(&mut self) {
        if !self.is_taken
            && let Some(server) = self.server.upgrade()
        {
            server.order(Order::Reject(self.number));
        }
    }
}

impl Work {
    /// Work of a JVM server that no thread has taken.
    pub fn new(server: &Arc<JvmServer>, number: u32) -> Self {
        Self { server: Arc::downgrade(server), name: server.name, number, is_taken: false }
    }
}

/// Notes that the work has come to its thread: it is not rejected any more.
pub(crate) fn is_taken(context: &mut Context<'_>) {
    if let Some(work) = context.task().kept.get_mut::<Work>() {
        work.is_taken = true;
    }
}
