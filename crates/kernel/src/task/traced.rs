//! The task's entries of the internal trace.

use super::Task;
use crate::meters::{TraceEntry, TraceTable, Traced};
use crate::name::Name8;
use crate::raise::AbendCode;
use crate::ticks;

impl Task {
    /// Brings the commands that were noted into the trace.
    #[cold]
    #[inline(never)]
    pub(crate) fn traces_commands(&mut self) {
        if !self.recent.has_untraced() {
            return;
        }
        let (task, commands) = (self.control.number, self.recent.untraced());
        TraceTable::here(|table| {
            let (at, traced) = (ticks::now(), Traced::Command);
            for noted in commands {
                let (code, name, detail) = (noted.command, noted.program, noted.detail);
                table.add(TraceEntry { at, task, traced, code, name, detail });
            }
        });
    }

    /// The task ends.
    pub(crate) fn traces_end(&mut self, abend: Option<AbendCode>) {
        self.traces_commands();
        let name = *Name8::new(abend.unwrap_or_default().as_bytes()).as_bytes();
        self.traces(Traced::Ends, 0, name, 0);
    }

    /// One entry.
    pub(crate) fn traces(&self, traced: Traced, code: u16, name: [u8; 8], detail: u64) {
        let task = self.control.number;
        TraceTable::here(|table| {
            table.add(TraceEntry { at: ticks::now(), task, traced, code, name, detail });
        });
    }
}
