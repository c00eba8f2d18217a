//! The messages of one translation, each at its place through COPY.

use diagnostics::{Diagnostic, nearest};

use crate::origin::{At, Frames};

/// Collects messages while all stages run.
#[derive(Debug, Default)]
pub struct Messages {
    /// All uses of sources.
    pub frames: Frames,
    /// The messages, in the order in which they were found.
    pub list: Vec<Diagnostic>,
}

impl Messages {
    /// Adds a message at a place.
    pub fn add(&mut self, at: At, message: Diagnostic) {
        self.list.push(self.frames.origin(at).mark(message));
    }

    /// Returns the given words; or, if a line in between goes on after its margin, the help that this is why something
    /// is missing.
    pub fn cut_or(&self, from: At, to: At, help: &str) -> String {
        match self.frames.cut_line(from, to) {
            Some(line) => {
                format!("columns 73 to 80 are not read, and line {line} goes on there: begin a new line")
            }
            None => help.to_string(),
        }
    }
}

/// "did you mean X?" if a name is near, else the given words.
pub fn did_you_mean<'a>(
    word: &str,
    names: impl IntoIterator<Item = &'a str>,
    otherwise: impl Into<String>,
) -> String {
    match nearest(word, names) {
        Some(name) => format!("did you mean {name}?"),
        None => otherwise.into(),
    }
}
