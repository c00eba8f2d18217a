//! Threads that force the log: a task's own while few wait, the log's thread when many do or the disk takes its time.
//!
//! A task that commits gives way once before it sees to the force: those that are ready go on meanwhile, and what they
//! commit joins the group. Two threads that wake each other cost more than a quick disk takes.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::core::Core;
use super::pace::FEW;
use crate::change::Changes;
use crate::log::{Done, Ending, Forced, Queue};
use crate::signal::{Signalled, signal};
use crate::{Owner, Result};

impl Core {
    /// Makes changes durable, then visible, then does with the owner's locks what the ending demands; then the signal
    /// comes.
    pub(super) fn commit_forced(
        self: &Arc<Self>,
        changes: Changes,
        owner: Owner,
        ending: Ending,
    ) -> Result<Durable> {
        self.check_size(changes.bytes())?;
        let (done, signalled) = signal();
        let mut queue = self.queue.lock();
        queue.add_forced(Forced { changes, owner, ending, done })?;
        self.gate.measure_queue(queue.bytes(), &self.limits);
        Ok(self.see_to(&mut queue, signalled))
    }

    /// Sees to the force of a unit of work that was put into the queue just now: how to wait for it.
    fn see_to(self: &Arc<Self>, queue: &mut Queue, done: Signalled<Done>) -> Durable {
        let by_itself = self.is_quick() && queue.expects_at_most(FEW) && !queue.is_deferred();
        if !by_itself && queue.call() {
            self.bell.notify_one();
        }
        let stage = if by_itself { Stage::New } else { Stage::Pressed };
        Durable { core: Arc::clone(self), done, stage }
    }

    fn is_quick(&self) -> bool {
        self.pace.average() < self.limits.quick_force
    }

    /// A task waits for the force of what is in the queue, and others had their turn.
    fn press(&self) {
        if self.queue.lock().is_urgent_for(FEW)
            && self.is_quick()
            && let Some(mut writer) = self.writer.try_lock()
        {
            // Those who wait learn of an error by themselves.
            let _ = self.write_with(&mut writer);
        }
        self.ring();
    }

    /// Calls the log's thread, if there is something for it.
    fn ring(&self) {
        if self.queue.lock().call() {
            self.bell.notify_one();
        }
    }
}

/// Stages of a wait for the force.
enum Stage {
    /// No watcher has been notified.
    New,
    /// It has let others go first.
    GaveWay,
    /// A writer knows.
    Pressed,
}

/// The wait of a unit of work until it is durable.
pub(crate) struct Durable {
    core: Arc<Core>,
    done: Signalled<Done>,
    stage: Stage,
}

impl Future for Durable {
    type Output = Result<()>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        match self.stage {
            Stage::New if !self.done.is_sent() => {
                self.stage = Stage::GaveWay;
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            Stage::New | Stage::GaveWay => {
                self.stage = Stage::Pressed;
                self.core.press();
            }
            Stage::Pressed => {}
        }
        Pin::new(&mut self.done).poll(context).map(|done| done.outcome)
    }
}

impl Drop for Durable {
    fn drop(&mut self) {
        // The unit of work goes on to its commit, with or without a waiter.
        if !matches!(self.stage, Stage::Pressed) {
            self.core.ring();
        }
    }
}
