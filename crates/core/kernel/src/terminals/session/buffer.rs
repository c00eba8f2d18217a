//! A display's screen as it tells it itself, with all that its user has typed: its buffer is read. The answer is no input of a task.

use ebcdic::CodePage;
use tn3270::datastream::{Command, Outbound};
use tn3270::screen::Screen;
use tokio::sync::oneshot;

use super::Terminal;
use crate::limits::BUFFER_READS_MAX;

impl Terminal {
    /// Reads the display's buffer, behind what was sent to it. `None`: the terminal is gone, is no display of this region, or owes too
    /// many answers.
    pub async fn read_buffer(&self, code_page: CodePage) -> Option<Screen> {
        if self.is_printer() || self.owner().is_some() {
            return None;
        }
        let (asks, answer) = oneshot::channel();
        {
            let mut state = self.state.lock();
            if state.gone || state.buffer_reads.len() >= BUFFER_READS_MAX {
                return None;
            }
            state.buffer_reads.push_back(asks);
        }
        if !self.line.send(Outbound::bare(Command::ReadBuffer)).await {
            return None;
        }
        let (record, size) = answer.await.ok()?;
        Screen::of_answer(&record, size, code_page)
    }

    /// Takes a record that is the answer to a read of the buffer. Returns false if it is an input.
    pub fn takes_answer(&self, record: &[u8], code_page: CodePage) -> bool {
        let size = self.size();
        let mut state = self.state.lock();
        if state.buffer_reads.is_empty() || Screen::of_answer(record, size, code_page).is_none() {
            return false;
        }
        if let Some(asks) = state.buffer_reads.pop_front() {
            // The task that has asked may have been purged.
            let _ = asks.send((record.to_vec(), size));
        }
        true
    }
}
