//! Standard output and standard error of all commands: a reader that has seen enough closes the pipe.
//!
//! In the programs of the command line `println!` and its kin are these: the standard library's own end the process when no reader is
//! left, while a command goes on, so that what it does beside printing is done.

use std::fmt::Arguments;
use std::io::{self, Write};

use crate::stderr;

/// Writes to standard output.
pub fn print(text: Arguments<'_>) {
    // A reader that is gone is not an error.
    let _ = io::stdout().write_fmt(text);
}

/// Writes to standard error.
pub fn tell(text: Arguments<'_>) {
    if !stderr::line("INFO", &text.to_string()) {
        // As above.
        let _ = io::stderr().write_fmt(text);
    }
}

/// Writes to standard output, as [`print`](output::print) does.
#[macro_export]
macro_rules! print {
    ($($text:tt)*) => { $crate::output::print(format_args!($($text)*)) };
}

/// Writes a line to standard output, as [`print`](output::print) does.
#[macro_export]
macro_rules! println {
    ($($text:tt)*) => { $crate::output::print(format_args!("{}\n", format_args!($($text)*))) };
}

/// Writes a line to standard error, as [`tell`](output::tell) does.
#[macro_export]
macro_rules! eprintln {
    ($($text:tt)*) => { $crate::output::tell(format_args!("{}\n", format_args!($($text)*))) };
}
