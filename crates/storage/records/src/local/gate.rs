//! Back-pressure: commits wait here while the log, its queue or the overlay is over its limit, and are refused when
//! waiting would not help.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Poll, Waker};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::state::CommittedState;
use crate::{Error, Limits, Result};

/// Under which the region's log has what is refused, and why.
const TARGET: &str = "RM";

#[derive(Default)]
pub(super) struct Gate {
    /// Something is over its limit, or has failed: look closer.
    closed: AtomicBool,
    inner: Mutex<Inner>,
    /// Start of the part of the log that a restart would replay.
    pub(super) start_of_log: AtomicU64,
    checkpoints: Mutex<Checkpoints>,
    bell: Condvar,
}

#[derive(Default)]
struct Checkpoints {
    due: bool,
    /// The engine ends.
    stopping: bool,
}

#[derive(Default)]
struct Inner {
    /// The log failed, or the engine was stopped: no more work until the next start.
    failed: Option<Error>,
    /// The last checkpoint failed so: waiting for room would be in vain.
    checkpoint: Option<Error>,
    /// The last group of the log found no room.
    log: Option<Error>,
    /// Limits that are exceeded.
    congested: bool,
    wakers: Vec<Waker>,
    /// Of those who wait for a failure.
    watchers: Vec<Waker>,
}

impl Gate {
    /// Returns true if a commit may go on now. Cheap.
    pub(super) fn is_open(&self) -> bool {
        !self.closed.load(Ordering::Relaxed)
    }

    /// Waits until a commit may go on, or is refused.
    pub(super) async fn pass(&self) -> Result<()> {
        poll_fn(|context| {
            let mut inner = self.inner.lock();
            if let Some(error) = inner.refusal() {
                Poll::Ready(Err(error))
            } else if inner.congested {
                inner.wakers.push(context.waker().clone());
                Poll::Pending
            } else {
                Poll::Ready(Ok(()))
            }
        })
        .await
    }

    /// Waits until no work can be done any more; why. An orderly end is none.
    pub(super) async fn failure(&self) -> String {
        poll_fn(|context| {
            let mut inner = self.inner.lock();
            match &inner.failed {
                Some(error) if *error != Error::Stopped => Poll::Ready(error.to_string()),
                _ => {
                    inner.watchers.retain(|watcher| !watcher.will_wake(context.waker()));
                    inner.watchers.push(context.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await
    }

    /// Reason why no work can be done any more.
    pub(super) fn refusal(&self) -> Option<Error> {
        self.inner.lock().failed.clone()
    }

    /// Reason why a change would only be refused at its commit. Cheap while all is well.
    pub(super) fn refuses_changes(&self) -> Option<Error> {
        if self.is_open() {
            return None;
        }
        let inner = self.inner.lock();
        inner.refusal().or_else(|| inner.log.clone())
    }

    /// Returns true if the last group of the log found no room.
    pub(super) fn lacks_log(&self) -> bool {
        !self.is_open() && self.inner.lock().log.is_some()
    }

    /// Notes the result of writing a group to the log.
    pub(super) fn note_group<T>(&self, outcome: &Result<T>) {
        if let Err(Error::NoSpace(_)) = outcome {
            // It may free segments.
            self.want_checkpoint();
        }
        let error = outcome.as_ref().err();
        let before = self.change(|inner| std::mem::replace(&mut inner.log, error.cloned()));
        match (before, error) {
            (None, Some(error)) => tracing::error!(target: TARGET, "changes are refused: {error}"),
            (Some(_), None) => tracing::info!(target: TARGET, "changes are taken again"),
            _ => {}
        }
    }

    /// No more work from now on.
    pub(super) fn fail(&self, error: Error) {
        if error != Error::Stopped {
            self.say_failure(&error);
        }
        let watchers = self.change(|inner| {
            inner.failed.get_or_insert(error);
            std::mem::take(&mut inner.watchers)
        });
        watchers.into_iter().for_each(Waker::wake);
    }

    /// Says once that no more work is done: what follows from the first failure is no news.
    fn say_failure(&self, error: &Error) {
        if self.refusal().is_none() {
            tracing::error!(target: TARGET, "no work is done any more before the next start: {error}");
        }
    }

    /// Notes the result of the last checkpoint.
    pub(super) fn note_checkpoint(&self, outcome: &Result<()>) {
        let error = outcome.as_ref().err();
        let before = self.change(|inner| {
            if error.is_none() {
                inner.log = None;
            }
            std::mem::replace(&mut inner.checkpoint, error.cloned())
        });
        match (before, error) {
            (None, Some(error)) => tracing::error!(
                target: TARGET,
                "a checkpoint failed, and is tried again until it succeeds; changes are refused when log or memory \
                 has reached its limit: {error}"
            ),
            (Some(_), None) => tracing::info!(target: TARGET, "checkpoints succeed again"),
            _ => {}
        }
    }

    /// The queue has grown.
    pub(super) fn measure_queue(&self, bytes: usize, limits: &Limits) {
        if bytes > limits.queue_bytes {
            self.change(|inner| inner.congested = true);
        }
    }

    /// The overlay has grown.
    pub(super) fn measure_overlay(&self, state: &CommittedState, limits: &Limits) {
        if state.active_bytes() > limits.checkpoint_bytes || state.changes > limits.checkpoint_changes {
            self.want_checkpoint();
        }
        if state.bytes > limits.overlay_bytes {
            self.want_checkpoint();
            self.change(|inner| inner.congested = true);
        }
    }

    /// Looks at everything.
    pub(super) fn measure(
        &self,
        queue_bytes: usize,
        state: &CommittedState,
        end_of_log: u64,
        limits: &Limits,
    ) {
        let log_bytes = end_of_log.saturating_sub(self.start_of_log.load(Ordering::Relaxed));
        if log_bytes > limits.log_bytes / 2 || state.bytes > limits.overlay_bytes {
            self.want_checkpoint();
        }
        self.change(|inner| {
            inner.congested = queue_bytes > limits.queue_bytes
                || state.bytes > limits.overlay_bytes
                || log_bytes > limits.log_bytes;
        });
    }

    fn change<T>(&self, change: impl FnOnce(&mut Inner) -> T) -> T {
        let mut inner = self.inner.lock();
        let changed = change(&mut inner);
        let closed = inner.congested || inner.failed.is_some() || inner.log.is_some();
        self.closed.store(closed, Ordering::Relaxed);
        let moved = !inner.congested || inner.refusal().is_some();
        let wakers = if moved { std::mem::take(&mut inner.wakers) } else { Vec::new() };
        drop(inner);
        wakers.into_iter().for_each(Waker::wake);
        changed
    }

    /// Says that a checkpoint is due.
    pub(super) fn want_checkpoint(&self) {
        let mut checkpoints = self.checkpoints.lock();
        if !checkpoints.due {
            checkpoints.due = true;
            self.bell.notify_one();
        }
    }

    /// Blocks until a checkpoint is due; false when the engine ends.
    pub(super) fn await_due(&self) -> bool {
        let mut checkpoints = self.checkpoints.lock();
        while !checkpoints.due && !checkpoints.stopping {
            self.bell.wait(&mut checkpoints);
        }
        checkpoints.due = false;
        !checkpoints.stopping
    }

    /// Says that a checkpoint is due again, some time from now.
    pub(super) fn retry_after(&self, pause: Duration) {
        let mut checkpoints = self.checkpoints.lock();
        if !checkpoints.stopping {
            self.bell.wait_for(&mut checkpoints, pause);
            checkpoints.due = true;
        }
    }

    /// Ends the engine's threads.
    pub(super) fn stop(&self) {
        self.checkpoints.lock().stopping = true;
        self.bell.notify_all();
    }

    /// Returns true if the threads are to end.
    pub(super) fn is_stopping(&self) -> bool {
        self.checkpoints.lock().stopping
    }
}

impl Inner {
    /// Reason why waiting would be in vain.
    fn refusal(&self) -> Option<Error> {
        self.failed.clone().or_else(|| if self.congested { self.checkpoint.clone() } else { None })
    }
}
