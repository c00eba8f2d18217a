//! How programs end badly: faults, run-time errors, and where they happened.

use std::ffi::{CStr, c_char, c_int};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::layout::{Module, STATEMENT_LINE_BITS, exception};
use crate::signals::{self, Record};
use crate::storage::low;
use crate::tcb::Tcb;

/// Why a program was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An address that is not storage, or not writable.
    Storage(usize),
    /// A division by zero or a result beyond its register.
    Arithmetic,
    /// A calculation with bytes that are not a number. Found in programs compiled with
    /// `-fec=EC-DATA-INCOMPATIBLE`.
    Data,
    /// The task's stack is used up.
    StackOverflow,
    /// Bytes that are not an instruction.
    Illegal,
    /// Nothing: the program ran longer than its limit without giving way.
    Runaway,
    /// Nothing: it was to end, whatever it does.
    Terminated,
}

/// That a task's programs are to end, whatever they do: said from outside, by any thread. One that runs ends in its own
/// code, within some hundredths of a second of processor time; one that waits is its resumer's to end.
#[derive(Debug, Default)]
pub struct Termination(AtomicBool);

impl Termination {
    /// Says so, once and for all.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was said.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A fault and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What happened.
    pub kind: FaultKind,
    /// Where.
    pub place: Place,
}

/// A place in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The program that ran.
    pub program: String,
    /// The line of the text that cobc compiled, if it was compiled with `-fsource-location` or what implies it.
    pub line: Option<SourceLine>,
    /// The program's own instruction that failed, relative to its module's load address; `None`: it was in a function
    /// that the program had called.
    pub offset: Option<usize>,
}

/// A line of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The file, as it was named to cobc or in a COPY.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

/// What the COBOL runtime found wrong, by the class of its exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// A subscript, a reference modification or an OCCURS DEPENDING ON item out of its range.
    Bound,
    /// Bytes that are not a number where one is needed.
    Data,
    /// A result that does not fit.
    Size,
    /// Anything else: recursion, a PERFORM too deep, a function's argument.
    Other,
}

/// A run-time error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeError {
    /// The runtime's own words.
    pub message: String,
    /// What they are about.
    pub class: ErrorClass,
    /// Where the program was.
    pub place: Place,
}

impl FaultKind {
    /// What the signal handler saw.
    pub(crate) fn of(record: &Record) -> Self {
        match record.signal {
            _ if record.stack_overflow => Self::StackOverflow,
            libc::SIGFPE => Self::Arithmetic,
            libc::SIGILL => Self::Illegal,
            signals::TICK if record.terminated => Self::Terminated,
            signals::TICK => Self::Runaway,
            _ => Self::Storage(low::shown(record.address)),
        }
    }
}

impl ErrorClass {
    /// The class of an exception code of libcob.
    pub(crate) fn of(exception: c_int) -> Self {
        match exception & exception::CLASS {
            exception::BOUND => Self::Bound,
            exception::DATA => Self::Data,
            exception::SIZE => Self::Size,
            _ => Self::Other,
        }
    }
}

impl Place {
    /// Where the program was that ran last on this thread: its state is still in place.
    pub(crate) fn last(tcb: &Tcb, level_program: &str) -> Self {
        let instruction = signals::record().instruction;
        let offset = tcb.slot_with_text(instruction).map(|p| instruction - p.library.segments.base);
        Self { offset, ..Self::entered(tcb, level_program) }
    }

    /// The last statement of the program that is entered; `level_program`, if the runtime says of none. Its level is in
    /// place.
    pub(crate) fn entered(tcb: &Tcb, level_program: &str) -> Self {
        // SAFETY: the runtime's global structure, and the module that it says is entered, if any.
        let entered = unsafe { (*tcb.runtime.global()).current_module.as_ref() };
        // A program that did not get its LOCAL-STORAGE has not said its name yet.
        let entered = entered.filter(|module| !module.name.is_null());
        Self {
            // SAFETY: cobc gives every module a terminated name, a constant of it.
            program: entered.map_or_else(|| level_program.to_owned(), |m| unsafe { text(m.name) }),
            // SAFETY: the module lives while the run does.
            line: entered.and_then(|m| unsafe { source_line(m) }),
            offset: None,
        }
    }
}

/// The program that is entered and the line of its last statement, in a few bytes: zeros if the runtime says of none. Its
/// level is in place.
pub(crate) fn stands_at(tcb: &Tcb) -> ([u8; 8], u32) {
    // SAFETY: the runtime's global structure, and the module that it says is entered, if any.
    let entered = unsafe { (*tcb.runtime.global()).current_module.as_ref() };
    let Some(module) = entered.filter(|module| !module.name.is_null()) else { return ([0; 8], 0) };
    let mut name = [0; 8];
    // SAFETY: cobc gives every module a terminated name, a constant of it.
    let bytes = unsafe { CStr::from_ptr(module.name) }.to_bytes();
    let length = bytes.len().min(name.len());
    name[..length].copy_from_slice(&bytes[..length]);
    (name, module.statement & ((1 << STATEMENT_LINE_BITS) - 1))
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Storage(address) => write!(f, "address {address:#x} is not storage of the task"),
            Self::Arithmetic => f.write_str("division by zero or overflow"),
            Self::Data => f.write_str("a calculation with bytes that are not a number"),
            Self::StackOverflow => {
                f.write_str("the stack is used up: do programs call each other without end?")
            }
            Self::Illegal => f.write_str("bytes that are not an instruction"),
            Self::Runaway => f.write_str("it ran for longer than its runaway limit without giving way"),
            Self::Terminated => f.write_str("it was ended while it ran"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.line, self.offset) {
            (Some(SourceLine { file, line }), _) => write!(f, "in {}, {file} line {line}", self.program),
            (None, Some(offset)) => write!(f, "in {} at offset {offset:#x}", self.program),
            (None, None) => write!(f, "in {}", self.program),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.kind, self.place)
    }
}

impl fmt::Display for RuntimeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.message, self.place)
    }
}

/// # Safety
/// A terminated string.
unsafe fn text(string: *const c_char) -> String {
    // SAFETY: the caller says so.
    unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
}

/// The line of a module's last statement.
///
/// # Safety
/// The module is loaded.
unsafe fn source_line(module: &Module) -> Option<SourceLine> {
    let line = module.statement & ((1 << STATEMENT_LINE_BITS) - 1);
    let file = (module.statement >> STATEMENT_LINE_BITS) as usize;
    if line == 0 || module.sources.is_null() {
        return None;
    }
    // SAFETY: cobc numbers the sources of a module from 0, in this list of constants.
    Some(SourceLine { file: unsafe { text(*module.sources.add(file)) }, line })
}
