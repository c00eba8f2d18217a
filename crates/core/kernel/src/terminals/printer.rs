//! Printers: terminals that only print. A page goes out at once, and the task waits for the printer's answer to it.
//!
//! ```text
//! page ──► printer: done ──────────────────► the task goes on
//!                   refused ───────────────► the task learns of it
//!                   needs operator ─► mended ──► the page once more
//!                   gone ──────────────────► the task ends, and its changes are backed out
//! ```

use tn3270::telnet::PrinterLanguage;

/// A printer's abilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Printer {
    /// The language that it takes.
    pub language: PrinterLanguage,
    /// True if it begins a page at a form feed.
    pub form_feed: bool,
}

/// Something for a printer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Page {
    /// A 3270 data stream, command first.
    Stream(Vec<u8>),
    /// SCS.
    Scs(Vec<u8>),
}

/// The fate of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Printed {
    /// It was taken.
    Done,
    /// An operator must do something at the printer first; it says when that is done.
    NeedsSomebody,
    /// The printer cannot print it.
    Refused,
    /// The printer is gone.
    Gone,
}
