//! A COBOL program on its way to its next rest: by its machine code, or statement by statement for a debugger.

use std::sync::atomic::{AtomicU32, Ordering};

use cobol_run::{Abend as Ended, Answer, Call, Host, Machine, ProgramFault, Stand, Walked};

use super::rests::Rests;
use crate::programs::EnteredProgram;

/// A host whose programs the flag stops.
struct Paced<'h> {
    host: &'h mut dyn Host,
    flag: &'h AtomicU32,
}

impl Host for Paced<'_> {
    fn display(&mut self, text: &[u8], advancing: bool) {
        self.host.display(text, advancing);
    }

    fn call(&mut self, call: &mut Call<'_>) -> Result<Answer, ProgramFault> {
        self.host.call(call)
    }

    fn must_stop(&mut self) -> bool {
        self.flag.load(Ordering::Relaxed) != 0
    }
}

/// Walks a program to its next statement, call of the host, or end: from where it rests in front of a statement, else from
/// the block where it goes on.
///
/// # Errors
/// It cannot go on; the statement is named.
pub(super) fn walk(
    machine: &mut Machine<'_>,
    active: &EnteredProgram,
    host: &mut dyn Host,
    flag: &AtomicU32,
) -> Result<Rests, Ended> {
    let from = active.stand.unwrap_or_else(|| Stand::within(active.at, active.line));
    let mut host = Paced { host, flag };
    Ok(match machine.walk(from, &mut host)? {
        Walked::Statement(stand, line) => Rests::Statement(stand, line),
        Walked::Host(stand) => Rests::Host(stand.block),
        Walked::Left(how) => Rests::Left(how),
    })
}
