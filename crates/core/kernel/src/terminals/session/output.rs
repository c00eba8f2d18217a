//! Output to a terminal, held until its task ends or waits.

use tn3270::datastream::{Command, restores_keyboard};

use super::Terminal;
use crate::limits::TERMINAL_HELD_MAX;

impl Terminal {
    /// Sends a data stream; it notes what the stream does to keyboard and size. False when the connection is gone.
    ///
    /// The stream is held until the task ends, waits for input or DELAYs: output is deferred, as published. So no user types into a screen
    /// that the same task is about to replace, and a stream that erases takes the place of the
    /// writes before it.
    pub async fn send(&self, data: Vec<u8>) -> bool {
        if self.is_printer() {
            // It shows no screens: what it prints goes by `print`.
            return !self.is_gone();
        }
        let data = self.note_output(data);
        let held = {
            let mut state = self.state.lock();
            if erases(&data) && state.held.iter().all(|earlier| is_write(earlier)) {
                state.held.clear();
            }
            state.held.push(data);
            state.held.len()
        };
        if held > TERMINAL_HELD_MAX { self.flush().await } else { !self.is_gone() }
    }

    /// Lets the terminal have what is held for it. False when the connection is gone.
    pub async fn flush(&self) -> bool {
        let held = std::mem::take(&mut self.state.lock().held);
        for data in held {
            if !self.line.send(data).await {
                return false;
            }
        }
        !self.is_gone()
    }

    /// Sends without waiting: for messages outside tasks. False when the connection is gone or does not read.
    pub fn try_send(&self, data: Vec<u8>) -> bool {
        if self.is_printer() {
            return !self.is_gone();
        }
        self.line.try_send(self.note_output(data))
    }

    /// Ends the session from this side, once the terminal has what was sent to it: CESF LOGOFF, the region's end.
    pub fn log_off(&self) {
        self.line.close();
    }

    /// Ends the session when its task is over, and has shown what it wants to show: ISSUE DISCONNECT.
    pub fn log_off_with_task(&self) {
        if self.owner().is_some() {
            // The region that owns it hears of it at the end of the task.
            return self.log_off();
        }
        self.state.lock().ends_with_task = true;
    }

    /// Ends the session if the task that is over has asked for it.
    pub(crate) fn ends_if_asked(&self) {
        if std::mem::take(&mut self.state.lock().ends_with_task) {
            self.log_off();
        }
    }

    /// Lines of the message that stands on the screen's last ones.
    pub(crate) fn message_lines(&self) -> u16 {
        self.state.lock().message_lines
    }

    /// A message was written with so many lines.
    pub(crate) fn shows_message(&self, lines: u16) {
        self.state.lock().message_lines = lines;
    }

    /// Notes what a stream does to the screen; gives the form in which it is sent.
    fn note_output(&self, data: Vec<u8>) -> Vec<u8> {
        let mut state = self.state.lock();
        match command(&data) {
            Some(Command::EraseWrite) => state.alternate = false,
            Some(Command::EraseWriteAlternate) => state.alternate = true,
            _ => {}
        }
        if restores_keyboard(&data) {
            state.locked = false;
        }
        state.message_lines = 0;
        state.writes += 1;
        let size = if state.alternate { self.parts.alternate_size } else { self.parts.default_size };
        state.fields.write(data, size.addresses())
    }
}

/// Returns true if a data stream replaces the whole screen.
fn erases(data: &[u8]) -> bool {
    matches!(command(data), Some(Command::EraseWrite | Command::EraseWriteAlternate))
}

/// Returns true if a data stream does nothing but change the screen.
fn is_write(data: &[u8]) -> bool {
    erases(data) || matches!(command(data), Some(Command::Write | Command::EraseAllUnprotected))
}

fn command(data: &[u8]) -> Option<Command> {
    data.first().copied().and_then(Command::of)
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::sync::Arc;

    use parking_lot::Mutex;
    use tn3270::datastream::Size;

    use super::*;
    use crate::name::{Name8, TerminalName};
    use crate::security::User;
    use crate::terminals::{Line, TerminalParts, UpperCase};

    const SIZE: Size = Size { rows: 24, columns: 80 };
    const ERASE_WRITE: u8 = 0xF5;
    const WRITE: u8 = 0xF1;
    const STRUCTURED: u8 = 0xF3;

    /// A client that only remembers.
    struct Memory(Arc<Mutex<Vec<Vec<u8>>>>);

    impl Line for Memory {
        fn send(&self, stream: Vec<u8>) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
            Box::pin(async move { self.try_send(stream) })
        }

        fn try_send(&self, stream: Vec<u8>) -> bool {
            self.0.lock().push(stream);
            true
        }

        fn close(&self) {}
    }

    /// Checks the output that a client gets of a task: at once, and when the task ends.
    #[track_caller]
    fn check(sent: &[Vec<u8>], at_once: &[Vec<u8>], at_the_end: &[Vec<u8>]) {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let parts = TerminalParts {
            default_size: SIZE,
            alternate_size: SIZE,
            features: bms::ExtendedSet::NONE,
            peer: String::new(),
            upper_case: UpperCase::No,
            printer: None,
        };
        let name = TerminalName::from("T001");
        let line = Box::new(Memory(Arc::clone(&seen)));
        let terminal = Terminal::new(name, Name8::from("LU1"), parts, User::region(), line);
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            for stream in sent {
                assert!(terminal.send(stream.clone()).await);
            }
            assert_eq!(*seen.lock(), at_once);
            assert!(terminal.flush().await);
            assert_eq!(*seen.lock(), at_the_end);
        });
    }

    #[test]
    fn output_is_held_until_the_task_ends() {
        let (first, second) = (vec![ERASE_WRITE, 1], vec![WRITE, 2]);
        check(&[first.clone(), second.clone()], &[], &[first, second]);
    }

    #[test]
    fn a_screen_that_is_replaced_at_once_is_never_seen() {
        let last = vec![ERASE_WRITE, 3];
        check(&[vec![ERASE_WRITE, 1], vec![WRITE, 2], last.clone()], &[], &[last]);
    }

    #[test]
    fn a_structured_field_is_more_than_a_picture() {
        let (field, last) = (vec![STRUCTURED, 1], vec![ERASE_WRITE, 2]);
        check(&[field.clone(), last.clone()], &[], &[field, last]);
    }

    #[test]
    fn not_everything_can_be_held() {
        let many: Vec<_> = (0..=TERMINAL_HELD_MAX).map(|n| vec![WRITE, n as u8]).collect();
        check(&many, &many, &many);
    }
}
