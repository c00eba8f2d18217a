//! Transient data: queues that are read once.
//!
//! An *intrapartition* queue keeps records until a task reads them; when it reaches its trigger level, a task is
//! started that should. An *extrapartition* queue is a file outside the region: written as lines, or read as lines. An
//! *indirect* queue is another name of one.
//!
//! Invariants: what a unit of work writes to a recoverable queue is seen by others after its commit only; what it reads
//! from one is back in its place after its backout.

mod commands;
mod extrapartition;
mod intrapartition;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::RwLock;
use spec::cond;

pub(crate) use commands::HANDLERS;
pub use commands::put;
pub use extrapartition::Extrapartition;
pub use intrapartition::{Intrapartition, Trigger};

use crate::name::Name;
use crate::raise::{Outcome, RaiseCondition};

/// A queue's name.
pub type QueueName = Name<4>;

/// What a queue is.
pub enum Queue {
    /// Records in the region.
    Intrapartition(Intrapartition),
    /// A file.
    Extrapartition(Extrapartition),
    /// Another queue's name.
    Indirect(QueueName),
}

/// The queues of a region.
#[derive(Default)]
pub struct TransientData {
    queues: RwLock<HashMap<QueueName, Arc<Queue>>>,
}

/// Indirect queues may point to indirect ones, but not without end.
const INDIRECTIONS_MAX: usize = 8;

impl TransientData {
    /// Installs a queue; one of the same name is replaced.
    pub fn install(&self, name: QueueName, queue: Queue) {
        self.queues.write().insert(name, Arc::new(queue));
    }

    /// Installs a file as a queue that programs write.
    pub fn install_file(&self, name: QueueName, path: PathBuf) {
        self.install(name, Queue::Extrapartition(Extrapartition::new(path)));
    }

    /// Whether there is a queue of that name.
    pub fn has(&self, name: QueueName) -> bool {
        self.queues.read().contains_key(&name)
    }

    /// The queue behind a name.
    ///
    /// # Errors
    /// QIDERR.
    pub fn get(&self, name: QueueName) -> Outcome<Arc<Queue>> {
        let queues = self.queues.read();
        let mut name = name;
        for _ in 0..INDIRECTIONS_MAX {
            match queues.get(&name) {
                None => break,
                Some(queue) => match **queue {
                    Queue::Indirect(to) => name = to,
                    _ => return Ok(Arc::clone(queue)),
                },
            }
        }
        Err(cond::QIDERR.raise(0))
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
}
