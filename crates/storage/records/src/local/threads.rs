//! The engine's own threads: one writes the log, one does checkpoints, one seals records again after the key was
//! changed, some wait for the disk.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use super::cold_reads::bring;
use super::core::Core;
use super::rotation::seal_anew;
use crate::log::Sleep;
use crate::{Error, Result};

/// Time between a failed checkpoint and the next attempt.
const RETRY: Duration = Duration::from_secs(1);

/// The threads. Dropping it ends them, after all that was committed is in the log.
pub(super) struct Threads {
    core: Arc<Core>,
    handles: Vec<JoinHandle<()>>,
}

impl Threads {
    pub(super) fn start(core: &Arc<Core>) -> Result<Self> {
        let mut threads = Self { core: core.clone(), handles: Vec::new() };
        threads.spawn("records-log", write_log)?;
        threads.spawn("records-check", do_checkpoints)?;
        if core.sealed.is_some() {
            threads.spawn("records-seal", seal_anew)?;
        }
        for _ in 0..core.limits.cold_readers {
            threads.spawn("records-read", bring)?;
            core.cold.enter();
        }
        Ok(threads)
    }

    fn spawn(&mut self, name: &'static str, work: fn(&Core)) -> Result<()> {
        let core = self.core.clone();
        let handle = Builder::new().name(name.into()).spawn(move || {
            if catch_unwind(AssertUnwindSafe(|| work(&core))).is_err() {
                // Those who wait must not wait for ever.
                let error = Error::Io(format!("thread {name} failed"));
                core.cold.fail(&error);
                core.gate.fail(error);
                refuse_all(&core);
            }
        });
        self.handles.push(handle.map_err(|e| Error::io("start a thread", &e))?);
        Ok(())
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.core.gate.stop();
        self.core.cold.stop();
        self.core.resealing.wake();
        // Under the queue's lock, so that the writer cannot miss it between looking and waiting.
        drop(self.core.queue.lock());
        self.core.bell.notify_all();
        for handle in self.handles.drain(..) {
            // A thread that panicked has said so already.
            let _ = handle.join();
        }
        if self.core.gate.refusal().is_none() {
            // It is there already, and outlives a power cut from here on.
            let _ = self.core.segments.mark(self.core.writer.lock().position(), true);
        }
        self.core.gate.fail(Error::Stopped);
        // Whatever came in after the writer had left is refused.
        refuse_all(&self.core);
    }
}

/// Tells everybody in the queue why the engine has stopped.
fn refuse_all(core: &Core) {
    while core.write_group().is_err() {}
}

/// Writes groups as they come: at once if a task waits, else after a while.
fn write_log(core: &Core) {
    while await_work(core) {
        // Those who wait learn of an error; a group that no task waits for is tried again, but not when the engine ends.
        match core.write_group() {
            Ok(Some(forced)) => core.queue.lock().expect(forced),
            Err(_) if core.gate.is_stopping() => return,
            Ok(None) | Err(_) => {}
        }
    }
}

/// Blocks until there may be something to write; false when there will be nothing any more.
///
/// While several commit, a force is deferred for a while after the last one. Otherwise:
/// after a group that many waited for, as many are likely to come again soon, one after the other: writing the first of
/// them alone would let all others wait for two forces. So it gives them a moment to gather.
fn await_work(core: &Core) -> bool {
    let mut queue = core.queue.lock();
    let gathered = Instant::now() + core.limits.gather_delay;
    while queue.expects_more() && !queue.is_urgent() && !core.gate.is_stopping() {
        if core.bell.wait_until(&mut queue, gathered).timed_out() {
            queue.stop_expecting();
        }
    }
    // The time at which units of work that no task waits for are to be written.
    let mut unforced = None;
    while !queue.is_urgent() && !core.gate.is_stopping() {
        let deferred = queue.deferred_until();
        if queue.is_empty() && deferred.is_none() {
            unforced = None;
            queue.sleeps(Sleep::UntilCalled);
            core.bell.wait(&mut queue);
        } else {
            let latest = Instant::now() + core.limits.unforced_delay;
            if queue.is_empty() {
                // Whatever comes while this sleeps comes later than now.
                unforced = None;
            }
            let unforced = *unforced.get_or_insert(latest);
            let until = deferred.map_or(unforced, |deferred| deferred.min(unforced));
            queue.sleeps(Sleep::Until(until));
            if core.bell.wait_until(&mut queue, until).timed_out() && until == unforced && !queue.is_empty() {
                break;
            }
        }
    }
    queue.sleeps(Sleep::Not);
    // It may be empty although nothing stops: a checkpoint writes what is in the queue, too, while this one waits.
    !queue.is_empty() || !core.gate.is_stopping()
}

fn do_checkpoints(core: &Core) {
    while core.gate.await_due() {
        if core.checkpoint().is_err() {
            core.gate.retry_after(RETRY);
        }
    }
}
