//! Transient data: queues that are read once.
//!
//! An *intrapartition* queue keeps records until a task reads them; when it reaches its trigger level, its transaction
//! is started. An *extrapartition* queue is a file outside the region: written as lines, or read as lines. An
//! *indirect* queue is another name of one.
//!
//! | intrapartition queue | kept in | lives until |
//! |---|---|---|
//! | RECOVSTATUS(NO) | main storage; the warm keypoint | the region ends out of order |
//! | PHYSICAL | the record engine; each command counts at once | a cold start |
//! | LOGICAL | the record engine; changes belong to units of work | a cold start |
//!
//! Invariants: what a unit of work writes to a logically recoverable queue is seen by others after its commit only; what
//! it reads from one is back in its place after its backout, and no other unit of work reads it before.

mod commands;
pub mod definition;
mod extrapartition;
mod intrapartition;
mod kept;
mod stored;
mod supplied;
mod trigger;

use std::collections::BTreeSet;
use std::sync::Arc;

use foldhash::HashMap;
use parking_lot::RwLock;
use records::{Decision, Owner, Resolved};
use spec::{CommandId, cmd, cond};

pub(crate) use commands::HANDLERS;
pub use commands::put;
pub use extrapartition::{Extrapartition, FileAccess, RecordShape};
pub use intrapartition::{Intrapartition, Recovery, Trigger};

use trigger::{Writer, fire};

use kernel::keeper::Keeper;
use kernel::meters::ResourceRequests;
use kernel::name::{Name, QueueName, TerminalName};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::region::Region;
use kernel::stores::KeypointRecord;

/// Records outlive the region: those of recoverable queues always, others an orderly end.
pub(crate) static KEEPER: Keeper = Keeper {
    letter: b'D',
    survives: |beginning| !beginning.is_cold && beginning.keeps_transient_data,
    store: Some(|stores| stores.transient_data),
    recover: |region, key, _| TransientData::of(region).recover(key),
    doubtful: |region, key, _| TransientData::of(region).doubtful(key),
    resolved: |region, resolved| TransientData::of(region).resolved(region, resolved),
    resumed: |region, resolved| trigger_changed(region, resolved),
    keypoint: |region| TransientData::of(region).keypoint(),
    restore: |region, key, record| TransientData::of(region).restore(key, record),
    count: Some(("TD queues", |region| TransientData::of(region).filled())),
    release: trigger_all,
};

/// The commands that statistics count by queue.
const COUNTED: [CommandId; 3] = [cmd::WRITEQ_TD, cmd::READQ_TD, cmd::DELETEQ_TD];

/// The kind and state of a queue.
pub enum Queue {
    /// Records in the region.
    Intrapartition(Intrapartition),
    /// A file.
    Extrapartition(Extrapartition),
    /// Another queue's name.
    Indirect(QueueName),
    /// A queue of another system.
    Remote(RemoteQueue),
}

/// A queue of another system: REMOTESYSTEM, REMOTENAME.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemoteQueue {
    /// The system.
    pub system: Name<4>,
    /// The queue's name there.
    pub name: QueueName,
}

impl Queue {
    /// The queue as one of records in the region.
    pub fn intrapartition(&self) -> Option<&Intrapartition> {
        match self {
            Self::Intrapartition(queue) => Some(queue),
            Self::Extrapartition(_) | Self::Indirect(_) | Self::Remote(_) => None,
        }
    }

    /// Returns the requests of programs; an indirect queue is only a name.
    pub fn requests(&self) -> Option<&ResourceRequests> {
        match self {
            Self::Intrapartition(queue) => Some(&queue.requests),
            Self::Extrapartition(file) => Some(&file.requests),
            Self::Indirect(_) | Self::Remote(_) => None,
        }
    }

    /// Returns true if programs may use it.
    pub fn is_enabled(&self) -> bool {
        match self {
            Self::Intrapartition(queue) => queue.is_enabled(),
            Self::Extrapartition(file) => file.is_enabled(),
            Self::Indirect(_) | Self::Remote(_) => true,
        }
    }

    /// SET TDQUEUE ENABLED or DISABLED; an indirect queue is only a name.
    pub fn enable(&self, enabled: bool) {
        match self {
            Self::Intrapartition(queue) => queue.enable(enabled),
            Self::Extrapartition(file) => file.enable(enabled),
            Self::Indirect(_) | Self::Remote(_) => {}
        }
    }
}

/// The queues of a region.
#[derive(Default)]
pub struct TransientData {
    queues: RwLock<HashMap<QueueName, Arc<Queue>>>,
}

/// Indirect queues may point to indirect ones, but not without end.
const INDIRECTIONS_MAX: usize = 8;

impl TransientData {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// Installs a queue; one of the same name is replaced.
    pub fn install(&self, name: QueueName, queue: Queue) {
        self.queues.write().insert(name, Arc::new(queue));
    }

    /// Removes a queue with what it has in main storage.
    pub(crate) fn remove(&self, name: QueueName) {
        self.queues.write().remove(&name);
    }

    /// Returns true if there is a queue of that name.
    pub fn has(&self, name: QueueName) -> bool {
        self.queues.read().contains_key(&name)
    }

    /// Returns the queue of a name.
    ///
    /// # Errors
    /// QIDERR; SYSIDERR for a queue of another system.
    pub fn get(&self, name: QueueName) -> Outcome<Arc<Queue>> {
        let queues = self.queues.read();
        let mut name = name;
        for _ in 0..INDIRECTIONS_MAX {
            match queues.get(&name) {
                None => break,
                Some(queue) => match **queue {
                    Queue::Indirect(to) => name = to,
                    Queue::Remote(_) => return Err(cond::SYSIDERR.raise(0)),
                    _ => return Ok(Arc::clone(queue)),
                },
            }
        }
        Err(cond::QIDERR.raise(0))
    }

    /// The queue of another system to which a name leads.
    pub(crate) fn elsewhere(&self, name: QueueName) -> Option<RemoteQueue> {
        let queues = self.queues.read();
        let mut name = name;
        for _ in 0..INDIRECTIONS_MAX {
            match **queues.get(&name)? {
                Queue::Indirect(to) => name = to,
                Queue::Remote(remote) => return Some(remote),
                _ => return None,
            }
        }
        None
    }

    /// The definition of a name: an indirect queue itself.
    pub fn definition(&self, name: QueueName) -> Option<Arc<Queue>> {
        self.queues.read().get(&name).cloned()
    }

    /// The names, in alphabetical order.
    pub fn names(&self) -> Vec<QueueName> {
        let mut names: Vec<_> = self.queues.read().keys().copied().collect();
        names.sort_unstable();
        names
    }

    /// All queues.
    fn all(&self) -> Vec<(QueueName, Arc<Queue>)> {
        self.queues.read().iter().map(|(name, queue)| (*name, Arc::clone(queue))).collect()
    }

    /// Returns the number of intrapartition queues that have records.
    pub fn filled(&self) -> usize {
        let is_filled = |queue: &Queue| queue.intrapartition().is_some_and(|queue| !queue.is_empty());
        self.all().iter().filter(|(_, queue)| is_filled(queue)).count()
    }

    /// Returns the records that a warm restart keeps of what is in main storage.
    pub fn keypoint(&self) -> Vec<KeypointRecord> {
        let mut kept: Vec<KeypointRecord> = Vec::new();
        for (name, queue) in self.all() {
            let records = queue.intrapartition().map(Intrapartition::records).unwrap_or_default();
            kept.extend(
                records.into_iter().zip(0..).map(|(r, number)| (kept::key(name, number).to_vec(), r.into())),
            );
        }
        kept
    }

    /// A record that the keypoint has kept: they come queue by queue in their order.
    pub fn restore(&self, key: &[u8], record: &[u8]) {
        let Some((name, _)) = kept::read_key(key) else { return };
        match self.definition(name).as_deref().and_then(Queue::intrapartition) {
            Some(queue) if queue.recovery == Recovery::None => queue.restore(record.to_vec()),
            _ => {
                tracing::warn!(target: "TD", "a record of queue {name} is dropped: its definition has changed")
            }
        }
    }

    /// A record of a recoverable queue, found at the start. One whose definition is gone waits for it.
    pub fn recover(&self, key: &[u8]) {
        let Some((name, number)) = kept::read_key(key) else { return };
        if let Some(queue) = self.definition(name).as_deref().and_then(Queue::intrapartition)
            && queue.recovery != Recovery::None
        {
            queue.found(number);
        }
    }

    /// A unit of work in doubt has written a record, or read one: no other record gets its number.
    fn doubtful(&self, key: &[u8]) {
        if let Some((name, number)) = kept::read_key(key)
            && let Some(queue) = self.definition(name).as_deref().and_then(Queue::intrapartition)
        {
            queue.is_taken(number);
        }
    }

    /// A unit of work in doubt has ended: its records count from now on, or are back, or are gone.
    fn resolved(&self, region: &Region, resolved: &Resolved) {
        for change in resolved.of_store(region.stores.transient_data) {
            let Some((name, number)) = kept::read_key(&change.key) else { continue };
            let Some(queue) = self.definition(name) else { continue };
            let Some(queue) = queue.intrapartition() else { continue };
            match (resolved.decision, &change.record, change.had_record) {
                (Decision::Commit, Some(_), false) => {
                    queue.is_taken(number);
                    queue.grew(1);
                }
                (Decision::Commit, None, true) => queue.went(1),
                (Decision::Backout, None, true) => queue.is_back(number),
                _ => {}
            }
        }
    }

    /// The task that a queue's trigger had started has ended.
    fn trigger_ended(&self, name: QueueName) {
        if let Some(queue) = self.definition(name).as_deref().and_then(Queue::intrapartition) {
            queue.trigger_ended();
        }
    }
}

/// Ends of a queue, each with a lock of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueEnd {
    /// The end from which it is read.
    Read,
    /// The end to which it is written.
    Written,
}

/// The queue and the end that a lock in the store of queues is for; `None` if it is that of a record.
pub fn end_of_lock(key: &[u8]) -> Option<(QueueName, QueueEnd)> {
    let (queue, end) = kept::read_lock_key(key)?;
    Some((queue, if end == kept::READERS { QueueEnd::Read } else { QueueEnd::Written }))
}

/// Returns true if a unit of work in doubt has changed a queue with WAIT(NO), and so does not wait for its coordinator. What is locked at
/// a record server is not known here.
pub fn may_not_wait(region: &Region, owner: Owner) -> bool {
    let locks = region.records.locks().held(owner);
    let of_queues = locks.iter().filter(|lock| lock.store() == Some(region.stores.transient_data));
    let mut queues = of_queues.filter_map(|lock| end_of_lock(lock.name()));
    queues.any(|(queue, _)| {
        let queue = TransientData::of(region).definition(queue);
        queue.is_some_and(|queue| queue.intrapartition().is_some_and(|queue| !queue.may_be_in_doubt))
    })
}

/// Has all queues read that are at their trigger level: after a start.
fn trigger_all(region: &Arc<Region>) {
    for (_, queue) in TransientData::of(region).all() {
        if let Some(trigger) = queue.intrapartition().and_then(Intrapartition::reached) {
            fire(region, trigger, Writer::Nobody);
        }
    }
}

/// Has those queues read that are at their trigger level since a unit of work in doubt has ended.
fn trigger_changed(region: &Arc<Region>, resolved: &Resolved) {
    let changes = resolved.of_store(region.stores.transient_data);
    let names: BTreeSet<_> =
        changes.filter_map(|change| kept::read_key(&change.key)).map(|(name, _)| name).collect();
    for name in names {
        let queue = TransientData::of(region).definition(name);
        let trigger = queue.as_deref().and_then(Queue::intrapartition).and_then(Intrapartition::reached);
        if let Some(trigger) = trigger {
            fire(region, trigger, Writer::Nobody);
        }
    }
}

/// A terminal has come: tasks are started for the queues that wait for it.
pub fn terminal_came(region: &Arc<Region>, name: TerminalName) {
    for (_, queue) in TransientData::of(region).all() {
        let is_for_it = |queue: &&Intrapartition| queue.trigger().is_some_and(|t| t.terminal == Some(name));
        let reached = queue.intrapartition().filter(is_for_it).and_then(Intrapartition::reached);
        if let Some(trigger) = reached {
            fire(region, trigger, Writer::Nobody);
        }
    }
}
