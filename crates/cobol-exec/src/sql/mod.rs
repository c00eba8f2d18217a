//! EXEC SQL: a program's statements become its package (`db2`), and its blocks requests by the names of their items.
//!
//! A block is taken out of the source's text words before anything looks at them, for its words are not COBOL's. Here lives what
//! COBOL has to do with it: host variables in the data division, WHENEVER, messages at the user's lines. What a statement means is
//! `db2`'s.

mod handling;
mod lift;
mod lookup;
mod program;
mod records;
mod variables;

pub(crate) use lift::{Block, lift};
pub(crate) use program::{Sql, Told};

use db2::package::Spot;

use crate::origin::{At, FrameId};

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

    /// This crate's place; `otherwise` for a place that nobody has written.
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
