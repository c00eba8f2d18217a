//! Ends of a program that cannot go on.

use std::fmt;

use cobol_ir::program::Line;

/// Faults of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramFault {
    /// Digits or a sign that are none: 0C7.
    Data,
    /// Storage that is not the task's, or a linkage record without an address: 0C4.
    Protection,
    /// A divisor of zero: 0CB.
    Divide,
    /// A subscript or a reference modification beyond its item, with SSRANGE.
    Range,
    /// An argument of an intrinsic function outside of what it may be.
    Argument,
    /// The host's flag: it runs away, or its task is purged.
    Stopped,
    /// An EXTERNAL item that is longer than another program has made it.
    External,
    /// A called program that is not there.
    NoProgram,
    /// The host has ended the task.
    Host,
}

/// A fault with its statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abend {
    /// The fault.
    pub fault: ProgramFault,
    /// The program.
    pub program: String,
    /// The statement.
    pub line: Line,
}

impl fmt::Display for ProgramFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Data => "data exception",
            Self::Protection => "protection exception",
            Self::Divide => "divide exception",
            Self::Range => "out of range",
            Self::Argument => "argument of a function",
            Self::Stopped => "stopped",
            Self::External => "an EXTERNAL item that is longer here than in the program that came first",
            Self::NoProgram => "no such program",
            Self::Host => "ended by the host",
        })
    }
}

impl fmt::Display for Abend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line { line, member } = &self.line;
        let member = member.as_ref().map_or(String::new(), |member| format!(" of {member}"));
        write!(f, "{} at line {line}{member} of {}", self.fault, self.program)
    }
}
