//! Moving committed changes from the overlay into the base, and trimming the log.

use std::sync::atomic::Ordering;

use super::core::Core;
use crate::base::Batch;
use crate::{Error, Result};

impl Core {
    /// Writes what is committed to the base in one batch, then forgets it in the overlay and trims the log. Reads and
    /// commits go on meanwhile.
    pub(super) fn checkpoint(&self) -> Result<()> {
        let _one = self.checkpointing.lock();
        let done = self.write_checkpoint();
        self.gate.note_checkpoint(&done);
        if let Err(error @ Error::Overwritten(_)) = &done {
            // Trying again would not help; the log has it all.
            self.gate.fail(error.clone());
        }
        let end_of_log = self.state.read().position.lsn;
        self.measure(end_of_log);
        done
    }

    fn write_checkpoint(&self) -> Result<()> {
        self.write_checkpoint_if(false)
    }

    /// Writes a checkpoint even where the base has everything: it goes on from where the log is now. In both slots it says
    /// how far the log is forced.
    pub(super) fn checkpoint_always(&self) -> Result<()> {
        let _one = self.checkpointing.lock();
        self.write_checkpoint_if(true)?;
        self.segments.mark_both(self.writer.lock().position())
    }

    fn write_checkpoint_if(&self, always: bool) -> Result<()> {
        let batch = {
            let mut state = self.state.write();
            (always || state.is_ahead_of_base()).then(|| state.freeze())
        };
        let Some(batch) = batch else {
            // Where the log had no room, it may have now.
            return if self.gate.lacks_log() { self.segments.prepare_spare() } else { Ok(()) };
        };
        // Changes that are visible but not yet in the log are frozen too. The base may not have them before the log
        // does: a restart that finds only part of what followed in the log would take half of a unit of work back.
        self.flush_log()?;
        verify(&batch)?;
        self.segments.mark(self.writer.lock().position(), true)?;
        self.base.write(&batch)?;
        self.state.write().thaw();
        self.gate.start_of_log.store(batch.position.lsn, Ordering::Relaxed);
        self.counts.lock().checkpoints += 1;
        self.segments.trim(batch.position)?;
        self.segments.prepare_spare()
    }
}

/// Every record still is what it was when it was committed.
fn verify(batch: &Batch) -> Result<()> {
    let records = batch.changes.iter().flat_map(|(_, map)| map.iter());
    records
        .filter_map(|(key, record)| Some((key, record.as_ref()?)))
        .try_for_each(|(key, record)| record.verified(key).map(drop))
}
