//! A region that runs, and its end.

use std::net::SocketAddr;
use std::sync::{Arc, Weak};
use std::time::Duration;

use domains::interval::IntervalControl;
use domains::journals::Journals;
use domains::temporary_storage::TemporaryStorage;
use exec_sql::Attachment;
use kernel::dispatcher::Dispatcher;
use kernel::health::Health;
use kernel::limits::SHUTDOWN_LIST_MAX;
use kernel::region::Region;
use kernel::task::{TaskControl, WaitKind};
use operation::restart::{self, Recovered};
use ports::Sharing;
use tokio::task::JoinHandle;
use toolchain::Toolchain;

use crate::auditing::Auditing;
use crate::doors::{Doors, Listening};

/// For tasks to end by themselves before the log names those that the region's end waits for.
const PROMPT: Duration = Duration::from_secs(1);
/// For them to end by themselves before they are purged.
const QUIESCE: Duration = Duration::from_secs(30);
/// For tasks that are purged to give way.
const GIVE_WAY: Duration = Duration::from_secs(5);
/// Interval at which a region that shuts down looks for tasks that wait for a person.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Interval at which unused queues of temporary storage are looked at.
const EXPIRE_EVERY: Duration = Duration::from_secs(60);

/// A region that runs.
pub struct Running {
    /// The region.
    pub region: Arc<Region>,
    /// Its programs and maps.
    pub toolchain: Arc<Toolchain>,
    /// Kind of the start, and the work that it has brought back.
    pub recovered: Recovered,
    pub(crate) audit: Auditing,
    pub(crate) doors: Doors,
    /// Its share in ports of several regions.
    pub(crate) sharing: Option<Arc<Sharing>>,
    /// The time before an orderly end in which it takes no client of such a port, and serves those that it has.
    pub(crate) cool_down: Duration,
    pub(crate) watches: Vec<JoinHandle<()>>,
}

impl Running {
    /// Addresses on which it listens now: a listener may have been started or stopped meanwhile.
    pub fn listening(&self) -> Vec<Listening> {
        self.doors.listening()
    }

    /// Addresses of one door, in the order of its configuration.
    pub fn addresses(&self, door: &str) -> Vec<SocketAddr> {
        self.listening().into_iter().filter(|at| at.door == door).map(|at| at.address).collect()
    }

    /// Ends the region in order: no new tasks; those that run may end by themselves, but the region does not wait for a user at a terminal;
    /// those that do not end are purged. Terminals see the last screens of their tasks. The
    /// programs of the shutdown list run before.
    ///
    /// Nothing waits for a compiler: the programs that no task asks for are compiled at the next start, and a task that waits for its
    /// program, once the others have had time to end by themselves, is refused it.
    pub async fn shut_down(mut self) {
        self.toolchain.rest();
        // A region that does not publish its health ignores this.
        let _ = Health::of(&self.region).close_now();
        Health::of(&self.region).leave();
        self.doors.cool().await;
        self.cool_down().await;
        operation::program_lists::run_at_end(&self.region, SHUTDOWN_LIST_MAX).await;
        Dispatcher::of(&self.region).close(&self.region);
        self.region.records.is_ending();
        self.doors.close().await;
        let over = self.tasks_end_within(PROMPT).await || {
            self.tell_tasks("is waited for: the region ends");
            self.toolchain.end();
            self.tasks_end_within(QUIESCE).await || purge_all(&self.region).await
        };
        self.toolchain.end();
        self.doors.stop().await;
        self.watches.iter().for_each(JoinHandle::abort);
        self.audit.close();
        if over {
            end(&self.region).await;
        }
    }

    /// Leaves ports that are shared: other regions take the clients that come, and those that this one has accepted are served.
    async fn cool_down(&self) {
        let Some(sharing) = self.sharing.as_ref().filter(|sharing| sharing.is_in_use()) else { return };
        sharing.leave();
        let seconds = self.cool_down.as_secs();
        tracing::info!(target: "SO", "shared ports are left to other regions; clients are served for {seconds} s");
        tokio::time::sleep(self.cool_down).await;
    }

    /// Ends the region as a crash would: nothing is kept but what is in the log.
    pub async fn crash(mut self) {
        self.toolchain.end();
        Dispatcher::of(&self.region).close(&self.region);
        // Partners lose their links: they hear nothing of how tasks end here.
        self.doors.sever().await;
        self.doors.close().await;
        let over = purge_all(&self.region).await;
        self.doors.stop().await;
        self.watches.iter().for_each(JoinHandle::abort);
        self.audit.close();
        if over {
            operation::start::stop(&self.region);
            IntervalControl::of(&self.region).stop();
            Attachment::of(&self.region).stop(&self.region, false).await;
        }
    }

    /// Returns true if all tasks end by themselves within a time.
    async fn tasks_end_within(&self, time: Duration) -> bool {
        let end = async {
            while tokio::time::timeout(LOOK_EVERY, Dispatcher::of(&self.region).idle()).await.is_err() {
                // No task waits for a person, nor for a client that may never come.
                let tasks = Dispatcher::of(&self.region).tasks();
                let waits = |task: &TaskControl| task.waits_for().is_some_and(WaitKind::is_for_somebody);
                tasks.iter().filter(|task| waits(task)).for_each(|task| purge(task, TaskControl::purge));
            }
        };
        tokio::time::timeout(time, end).await.is_ok()
    }

    fn tell_tasks(&self, what: &str) {
        tell_tasks(&self.region, what);
    }
}

/// Ends a region in its start, before a client has got in: what was brought back is kept for the next start.
pub(crate) async fn give_up(region: &Arc<Region>, toolchain: &Toolchain) {
    toolchain.end();
    Dispatcher::of(region).close(region);
    if purge_all(region).await {
        end(region).await;
    }
}

/// Purges all tasks by force. Returns true if they have given way: one that is outside of its own code, in a function that
/// holds the thread, does not. Then its thread is left to the process's own end, and the next start is an emergency
/// restart.
async fn purge_all(region: &Arc<Region>) -> bool {
    Dispatcher::of(region).tasks().iter().for_each(|task| purge(task, TaskControl::force_purge));
    let over = tokio::time::timeout(GIVE_WAY, Dispatcher::of(region).idle()).await.is_ok();
    if !over {
        tell_tasks(region, "does not give way: the region ends without it, as after a crash");
    }
    over
}

fn tell_tasks(region: &Region, what: &str) {
    for task in Dispatcher::of(region).tasks() {
        tracing::warn!(target: "DS", "task {} ({}) {what}", task.number, task.transaction.name);
    }
}

fn purge(task: &TaskControl, how: fn(&TaskControl)) {
    tracing::warn!(target: "DS", "task {} ({}) is purged: the region ends", task.number, task.transaction.name);
    how(task);
}

/// Ends the region's threads, and writes what the next start finds of it. No task runs any more.
pub(crate) async fn end(region: &Arc<Region>) {
    operation::start::stop(region);
    // What tasks have had there has ended with them.
    Attachment::of(region).stop(region, true).await;
    IntervalControl::of(region).stop();
    Journals::of(region).close();
    if let Err(error) = restart::keypoint(region).await {
        tracing::error!(target: "RM", "no warm keypoint, the next start is an emergency restart: {error}");
    }
    // The next start finds everything in the base, and has nothing to replay. A record server sees to that itself.
    if region.records.is_shared() {
        return;
    }
    if let Err(error) = region.records.checkpoint() {
        tracing::warn!(target: "RM", "the last checkpoint failed, the log keeps everything: {error}");
    }
}

/// Deletes the queues of temporary storage that have not been used for too long.
pub(crate) async fn expire_queues(region: Weak<Region>) {
    loop {
        tokio::time::sleep(EXPIRE_EVERY).await;
        let Some(region) = region.upgrade() else { return };
        let expired = TemporaryStorage::of(&region).expire(std::time::Instant::now());
        if expired > 0 {
            tracing::info!(target: "TS", "{expired} queues have expired");
        }
    }
}
