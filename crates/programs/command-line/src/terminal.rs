//! Messages and progress on the terminal that the command was typed at.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use diagnostics::{Diagnostic, any_error};

use crate::stderr;

/// Prints messages to standard error, with colours where they help.
pub fn tell(messages: &[Diagnostic]) {
    let coloured = coloured();
    for message in messages {
        let level = if any_error(std::slice::from_ref(message)) { "ERROR" } else { "WARN" };
        if stderr::line(level, &message.render_named(false, &path_from_here)) {
            continue;
        }
        // A reader that is gone is not an error.
        let _ = writeln!(io::stderr(), "{}\n", message.render_named(coloured, &path_from_here));
    }
}

/// The application's folder: names in messages are those of files in it.
static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Says in which folder the files are that messages name. A command has one application.
pub fn names_are_in(folder: &Path) {
    let _ = FOLDER.set(folder.to_owned());
}

/// A file of the application as a person sees it from the current folder, so that a terminal can open it. What is no
/// file (a supplied copybook, a setting) keeps its name.
pub fn path_from_here(name: &str) -> String {
    let Some(folder) = FOLDER.get() else { return name.to_owned() };
    let within = folder.join(name);
    let path: PathBuf = within.components().filter(|part| *part != Component::CurDir).collect();
    let file = name.strip_suffix(" (symbolic map)").map_or(path.clone(), |map| folder.join(map));
    if file.exists() { path.display().to_string() } else { name.to_owned() }
}

/// Returns true if standard error shows colours.
pub fn coloured() -> bool {
    io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none()
}

/// A number of things: `1 program`, `2 programs`.
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// One line that says how far a piece of work is; silent where standard error is no terminal.
pub struct ProgressLine {
    shown: bool,
}

/// The time for which a user waits without a message.
const PATIENCE: Duration = Duration::from_secs(1);
const ERASE_LINE: &str = "\r\x1b[K";

impl Default for ProgressLine {
    fn default() -> Self {
        Self { shown: io::stderr().is_terminal() }
    }
}

impl ProgressLine {
    /// Shows how far it is.
    pub fn show(&self, done: usize, total: usize, what: &str) {
        if self.shown {
            let _ = write!(io::stderr(), "{ERASE_LINE}[{done}/{total}] {what}");
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(io::stderr(), "{ERASE_LINE}");
        }
    }
}

/// One line that counts while a long command runs. It shows from the second word on: what is quickly done needs none.
pub struct CountLine {
    line: ProgressLine,
    since: Instant,
}

impl Default for CountLine {
    fn default() -> Self {
        Self { line: ProgressLine::default(), since: Instant::now() }
    }
}

impl CountLine {
    /// Shows how many of something are done.
    pub fn show(&self, what: &str, count: u64) {
        if self.line.shown && self.since.elapsed() >= PATIENCE {
            let _ = write!(io::stderr(), "{ERASE_LINE}{what}: {count}");
        }
    }
}
