//! Job control: as the carrier of other texts, and, in [`stream`], as jobs that are run.
//!
//! Applications ship their CSD and IDCAMS commands inside jobs: `//SYSIN DD *` up to `/*`. Here live the steps of a job,
//! their DD statements, their in-stream data with symbols replaced, and the replacing of site tokens (`<HLQ>`,
//! `@PREFIX@`) in any text.
//!
//! Out of scope: running a job. In the carrier, what is not understood is passed over; [`stream`] refuses it.

#![doc = include_str!("../README.md")]

mod input;
mod read;
mod statement;
pub mod stream;
pub mod table;

pub use input::{InStream, Input, Record, Tokens, in_stream, inputs, records, substitute};
pub use read::{is_job, read};

use std::ops::Range;
use std::sync::Arc;

use diagnostics::Source;

/// A job, or any text with JCL statements in it.
#[derive(Clone, Debug)]
pub struct Job {
    /// The text after its symbols are replaced: places in in-stream data refer to this one.
    pub source: Arc<Source>,
    /// The steps in order.
    pub steps: Vec<Step>,
    /// Statements that decide which steps run (IF, ELSE, ENDIF), by line from 1: this crate does not follow them.
    pub conditions: Vec<usize>,
}

/// An EXEC statement with the DD statements after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its name; empty if it has none.
    pub name: String,
    /// The program it runs; none for a procedure.
    pub program: Option<String>,
    /// The procedure, where it runs no program itself.
    pub procedure: Option<String>,
    /// PARM=, without quotes.
    pub parm: Option<String>,
    /// COND=, as it is written.
    pub cond: Option<String>,
    /// The line of the EXEC statement, from 1.
    pub line: usize,
    /// Its DD statements in order, concatenated ones included.
    pub dds: Vec<Dd>,
}

impl Step {
    /// The first DD statement of a name.
    pub fn dd(&self, name: &str) -> Option<&Dd> {
        self.dds.iter().find(|dd| dd.name.eq_ignore_ascii_case(name))
    }
}

/// A DD statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dd {
    /// The ddname; a concatenated statement has the name of the first.
    pub name: String,
    /// The line of the statement, from 1.
    pub line: usize,
    /// DSN=, without quotes.
    pub data_set: Option<String>,
    /// The lines of its in-stream data, numbered from 1.
    pub in_stream: Option<Range<usize>>,
    /// DISP=: status, normal and abnormal disposition, as far as they are given.
    pub disposition: Vec<String>,
    /// LRECL and RECFM, given by themselves or in DCB=.
    pub record_length: Option<u32>,
    /// See `record_length`.
    pub record_format: Option<String>,
    /// SYSOUT=.
    pub sysout: bool,
    /// DUMMY, or DSN=NULLFILE.
    pub dummy: bool,
}
