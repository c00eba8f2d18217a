//! EXEC SQL: a program's statements become its package (`db2`), and its blocks requests by the names of their items.
//!
//! A block's words are not COBOL's: nothing else in this crate looks at them. Here lives what COBOL has to do with them: host
//! variables in the data division, WHENEVER, messages at the user's lines. The meaning of a statement is the subject of `db2`.

mod handling;
mod lookup;
mod program;
mod records;
mod variables;

pub(crate) use program::{Sql, Told};
pub(crate) use records::Records;

use db2::package::Spot;

use crate::origin::{At, FrameId};
use crate::token::Token;

/// One EXEC SQL … END-EXEC.
#[derive(Debug)]
pub(crate) struct Block<'t> {
    /// Its words behind EXEC SQL.
    pub(crate) tokens: &'t [Token],
    /// The place of EXEC SQL.
    pub(crate) at: At,
    /// Its number in the source.
    pub(crate) number: usize,
    /// It stands among the statements of a program, and not in front of them.
    pub(crate) in_procedure: bool,
}

/// Sources as `db2` numbers them, and as this crate does.
#[derive(Debug, Default)]
pub(crate) struct Places {
    frames: Vec<FrameId>,
}

impl Places {
    /// A place as `db2` has it.
    pub(crate) fn spot(&mut self, at: At) -> Spot {
        let known = self.frames.iter().position(|frame| *frame == at.frame);
        let source = known.unwrap_or_else(|| {
            self.frames.push(at.frame);
            self.frames.len() - 1
        });
        Spot { source: source as u16, line: at.line, column: at.column, width: at.width }
    }

    /// This crate's place; `otherwise` for a place that is not in the source.
    pub(crate) fn at(&self, spot: Spot, otherwise: At) -> At {
        match self.frames.get(usize::from(spot.source)) {
            Some(frame) if spot.line > 0 => {
                At { frame: *frame, line: spot.line, column: spot.column, width: spot.width }
            }
            _ => otherwise,
        }
    }

    pub(crate) fn frame(&self, source: u16) -> Option<FrameId> {
        self.frames.get(usize::from(source)).copied()
    }
}
