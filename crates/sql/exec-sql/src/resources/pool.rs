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
    figures: Figures,
}

/// Statistics of a pool.
#[derive(Clone, Copy, Default)]
pub(crate) struct Figures {
    /// Threads in use, and the most that were.
    pub(crate) used: usize,
    pub(crate) used_most: usize,
    /// Tasks that wait for one, and the most that did.
    pub(crate) waiting: usize,
    pub(crate) waiting_most: usize,
    /// Number of tasks that have found none.
    pub(crate) missed: u64,
}

impl Pool {
    /// Of a limit.
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        let state = State { limit, figures: Figures::default() };
        Arc::new(Self { state: Mutex::new(state), freed: Notify::new() })
    }

    /// Number of threads in use.
    pub(crate) fn used(&self) -> usize {
        self.state.lock().figures.used
    }

    /// Statistics of the pool. `reset`: the most are counted from here on.
    pub(crate) fn figures(&self, reset: bool) -> Figures {
        let figures = &mut self.state.lock().figures;
        let told = *figures;
        if reset {
            (figures.used_most, figures.waiting_most) = (figures.used, figures.waiting);
        }
        told
    }

    /// Sets another limit. Threads in use beyond it stay in use.
    pub(crate) fn limit_to(&self, limit: usize) {
        self.state.lock().limit = limit;
        // A task that finds nothing waits again.
        self.freed.notify_waiters();
    }

    /// One of them, if there is one.
    pub(crate) fn try_take(self: &Arc<Self>) -> Option<Taken> {
        let taken = self.free();
        if taken.is_none() {
            self.state.lock().figures.missed += 1;
        }
        taken
    }

    /// One of them, waited for.
    pub(crate) async fn take(self: &Arc<Self>) -> Taken {
        if let Some(taken) = self.free() {
            return taken;
        }
        let _waits = Waits::new(self);
        loop {
            let freed = self.freed.notified();
            tokio::pin!(freed);
            // The one who looks must hear of threads that are freed behind the look.
            freed.as_mut().enable();
            if let Some(taken) = self.free() {
                return taken;
            }
            freed.await;
        }
    }

    fn free(self: &Arc<Self>) -> Option<Taken> {
        let State { limit, figures } = &mut *self.state.lock();
        (figures.used < *limit).then(|| {
            figures.used += 1;
            figures.used_most = figures.used_most.max(figures.used);
            Taken(Arc::clone(self))
        })
    }
}

/// A task waits for one of a pool, until this is dropped.
struct Waits<'p>(&'p Pool);

impl<'p> Waits<'p> {
    fn new(pool: &'p Pool) -> Self {
        let figures = &mut pool.state.lock().figures;
        figures.waiting += 1;
        figures.waiting_most = figures.waiting_most.max(figures.waiting);
        Self(pool)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.state.lock().figures.waiting -= 1;
    }
}

/// One of a pool; it goes back when this is dropped.
pub(crate) struct Taken(Arc<Pool>);

impl Drop for Taken {
    fn drop(&mut self) {
        self.0.state.lock().figures.used -= 1;
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
