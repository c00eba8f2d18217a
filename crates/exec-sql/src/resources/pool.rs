//! Threads that may be used at once: limits that an operator may change, and those who wait below them.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

/// A limit, and how much of it is in use.
pub(crate) struct Pool {
    state: Mutex<State>,
    freed: Notify,
}

struct State {
    limit: usize,
    used: usize,
}

impl Pool {
    /// Of a limit.
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { state: Mutex::new(State { limit, used: 0 }), freed: Notify::new() })
    }

    /// How many are in use.
    pub(crate) fn used(&self) -> usize {
        self.state.lock().used
    }

    /// Another limit. What is in use beyond it stays so.
    pub(crate) fn limit_to(&self, limit: usize) {
        self.state.lock().limit = limit;
        // Whoever finds nothing waits again.
        self.freed.notify_waiters();
    }

    /// One of them, if there is one.
    pub(crate) fn try_take(self: &Arc<Self>) -> Option<Taken> {
        let mut state = self.state.lock();
        (state.used < state.limit).then(|| {
            state.used += 1;
            Taken(Arc::clone(self))
        })
    }

    /// One of them, waited for.
    pub(crate) async fn take(self: &Arc<Self>) -> Taken {
        loop {
            let freed = self.freed.notified();
            tokio::pin!(freed);
            // Whoever looks must hear of what is freed behind the look.
            freed.as_mut().enable();
            if let Some(taken) = self.try_take() {
                return taken;
            }
            freed.await;
        }
    }
}

/// One of a pool; it goes back when this is dropped.
pub(crate) struct Taken(Arc<Pool>);

impl Drop for Taken {
    fn drop(&mut self) {
        self.0.state.lock().used -= 1;
        self.0.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_holds_and_may_change() {
        let pool = Pool::new(1);
        let first = pool.try_take();
        assert!(first.is_some() && pool.try_take().is_none());
        pool.limit_to(2);
        let second = pool.try_take();
        assert!(second.is_some());
        pool.limit_to(1);
        drop(first);
        assert!(pool.try_take().is_none());
        assert_eq!(pool.used(), 1);
        drop(second);
        assert!(pool.try_take().is_some());
    }
}
