//! The last lines of the process's log, for those who look at it in the console.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::limits::{LOG_LINE_MAX, LOG_LINES_MAX};

/// The lines, once they are kept.
static RECENT: Recent = Recent::new();

/// The last lines of a log, numbered from 1.
struct Recent {
    kept: AtomicBool,
    lines: Mutex<(u64, VecDeque<String>)>,
}

/// Keeps the lines that are written from here on: a region with a console was configured.
pub fn keep() {
    RECENT.kept.store(true, Ordering::Relaxed);
}

/// A writer of log lines, each in one piece.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogLines;

impl io::Write for LogLines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        RECENT.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The lines behind the one of a number, and the number of the last one.
pub(crate) fn after(number: u64) -> Value {
    let lines = RECENT.lines.lock();
    let (last, kept) = &*lines;
    let new = usize::try_from(last.saturating_sub(number)).unwrap_or(usize::MAX).min(kept.len());
    let shown: Vec<&String> = kept.iter().skip(kept.len() - new).collect();
    json!({ "last": last, "lines": shown })
}

impl Recent {
    const fn new() -> Self {
        Self { kept: AtomicBool::new(false), lines: Mutex::new((0, VecDeque::new())) }
    }

    fn add(&self, bytes: &[u8]) {
        if !self.kept.load(Ordering::Relaxed) {
            return;
        }
        let cut = &bytes[..bytes.len().min(LOG_LINE_MAX)];
        let line = plain(&String::from_utf8_lossy(cut));
        let mut lines = self.lines.lock();
        lines.0 += 1;
        if lines.1.len() == LOG_LINES_MAX {
            lines.1.pop_front();
        }
        lines.1.push_back(line);
    }
}

/// A line without the escapes by which a terminal shows colours.
fn plain(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line.chars();
    while let Some(next) = rest.next() {
        match next {
            '\u{1b}' => {
                let _ = rest.by_ref().find(char::is_ascii_alphabetic);
            }
            '\n' | '\r' => {}
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept_without_colours() {
        let recent = Recent::new();
        recent.add(b"before\n");
        recent.kept.store(true, Ordering::Relaxed);
        recent.add(b"\x1b[33mWARN\x1b[0m XS: it\n");
        (0..LOG_LINES_MAX).for_each(|n| recent.add(format!("line {n}\n").as_bytes()));
        let (last, kept) = &*recent.lines.lock();
        assert_eq!((*last, kept.len()), (LOG_LINES_MAX as u64 + 1, LOG_LINES_MAX));
        assert_eq!(kept.front().map(String::as_str), Some("line 0"));
        assert_eq!(plain("\x1b[33mWARN\x1b[0m XS: it\n"), "WARN XS: it");
    }
}
