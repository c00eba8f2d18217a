//! Places in programs, as people find them in a source.

use std::fmt;

/// A place in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramPlace {
    /// The program.
    pub program: String,
    /// The line of its source; `None` if it is not known.
    pub line: Option<SourceLine>,
}

/// A line of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The file: the source, or what a COPY has brought.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

impl fmt::Display for ProgramPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.line {
            Some(SourceLine { file, line }) => write!(f, "in {}, {file} line {line}", self.program),
            None => write!(f, "in {}", self.program),
        }
    }
}
