//! Work of Java threads that waits for a task of its own.

use std::sync::{Arc, Weak};

use kernel::dispatcher::Context;
use kernel::name::Name8;
use kernel::task::TaskPart;

use crate::server::{JvmServer, Lease};

/// Work that waits in a JVM for its task. Dropped before it is taken, it is rejected.
pub(crate) struct Work {
    server: Weak<JvmServer>,
    /// The JVM server's name.
    pub name: Name8,
    /// The JVM's number for it, and the number of the JVM: another one has other work of the same number.
    pub number: u32,
    life: u32,
    is_taken: bool,
}

impl TaskPart for Work {}

impl Drop for Work {
    fn drop(&mut self) {
        if !self.is_taken
            && let Some(server) = self.server.upgrade()
        {
            server.work_waits_no_more();
            server.rejects(self.number, self.life);
        }
    }
}

impl Work {
    /// Work of the JVM that is there, which no thread has taken. `None` if too much waits already.
    pub fn new(server: &Arc<JvmServer>, number: u32) -> Option<Self> {
        let life = server.work_waits()?;
        Some(Self { server: Arc::downgrade(server), name: server.name, number, life, is_taken: false })
    }
}

/// Takes the task's work to its thread: it is not rejected any more. False if the thread is one of another JVM, which does not have it.
pub(crate) fn take(context: &mut Context<'_>, lease: &Lease) -> bool {
    match context.task().kept.get_mut::<Work>() {
        Some(work) if lease.is_of(&work.server, work.life) => {
            if !std::mem::replace(&mut work.is_taken, true) {
                lease.server().work_waits_no_more();
            }
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;
    use crate::limits::WORKS_MAX;
    use crate::server::Order;

    #[test]
    fn work_of_a_jvm_that_has_ended_is_not_rejected_in_the_next_one() {
        let server = JvmServer::of_a_test();
        let (orders, mut first) = unbounded_channel();
        assert!(server.begins(orders));
        drop(Work::new(&server, 1));
        assert_eq!(first.try_recv(), Ok(Order::Reject(1)));
        let late = Work::new(&server, 2).expect("room");
        server.has_ended();
        let (orders, mut second) = unbounded_channel();
        assert!(server.begins(orders));
        drop(late);
        assert!(second.try_recv().is_err(), "another JVM has other work of the number");
    }

    #[test]
    fn no_more_work_waits_than_may() {
        let server = JvmServer::of_a_test();
        let mut works: Vec<_> = (0..WORKS_MAX as u32).map(|number| Work::new(&server, number)).collect();
        assert!(works.iter().all(Option::is_some) && Work::new(&server, 0).is_none());
        works.pop();
        assert!(Work::new(&server, 0).is_some());
    }
}
