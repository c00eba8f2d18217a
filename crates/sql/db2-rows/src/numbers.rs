//! Numbers that a task has got of sequences.

use foldhash::HashMap;

use crate::catalogue::SequenceId;

/// Numbers that a task has got of sequences, over all its units of work.
#[derive(Default)]
pub(crate) struct Numbers {
    /// The last of each.
    pub(crate) previous: HashMap<SequenceId, i64>,
    /// The last that an identity column got in a row of the task's.
    pub(crate) identity: Option<i64>,
}
