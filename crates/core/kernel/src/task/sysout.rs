//! Lines of SYSOUT, which programs DISPLAY. A line may come in pieces (WITH NO ADVANCING).

use std::time::Instant;

use parking_lot::Mutex;

use super::Task;
use crate::limits::SYSOUT_LINE_BYTES_MAX;
use crate::words::escaped;

/// The line that a task has begun.
#[derive(Default)]
pub(crate) struct Begun(Mutex<String>);

impl Task {
    /// A piece of a line, which may end it. A line that becomes too long ends by itself.
    pub(crate) fn displays(&self, text: &[u8], ends: bool) {
        let text = self.characters().text(text);
        let mut begun = self.begun.0.lock();
        if ends && begun.is_empty() {
            self.writes_line(&text);
            return;
        }
        begun.push_str(&text);
        if ends || begun.len() >= SYSOUT_LINE_BYTES_MAX {
            self.writes_line(&std::mem::take(&mut *begun));
        }
    }

    /// The task ends: what it has begun is a line.
    pub(crate) fn ends_line(&self) {
        let begun = std::mem::take(&mut *self.begun.0.lock());
        if !begun.is_empty() {
            self.writes_line(&begun);
        }
    }

    fn writes_line(&self, text: &str) {
        // At the task's end no program runs any more.
        let program = self.level.as_ref().map_or(self.transaction.program, |level| level.program);
        if self.region.lines.may_write(program, Instant::now()) {
            let line = escaped(text.trim_end_matches(' '));
            tracing::info!(target: "SYSOUT", "{} {}: {line}", self.transaction.name, self.number);
        }
    }
}
