//! A program statement by statement, as a debugger has it run.
//!
//! It does what [`Machine::run`] does, and rests in front of statements instead of going on: between two of them nothing of
//! it is on a stack, so an observer may take any time.

use super::abend::{Abend, ProgramFault};
use super::machine::{Host, Left, Machine};
use super::steps::choose;
use cobol_ir::program::{BlockId, End};

/// Place where a program rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stand {
    /// The block.
    pub block: BlockId,
    /// Its step; behind the last one stands its end.
    step: usize,
    /// The statement in front of which it has rested last, by its place in [`cobol_ir::program::Program::lines`].
    statement: Option<u32>,
}

/// Reasons why it rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walked {
    /// A statement is next, by its place in [`cobol_ir::program::Program::lines`].
    Statement(Stand, u32),
    /// A call of the host is to be answered: the block that it ends.
    Host(Stand),
    /// It has ended.
    Left(Left),
}

impl Stand {
    /// The beginning of a block: an entry, or where a call of the host goes on.
    pub fn at(block: BlockId) -> Self {
        Self { block, step: 0, statement: None }
    }

    /// The same within a statement that has begun, by its place in [`cobol_ir::program::Program::lines`].
    pub fn within(block: BlockId, statement: u32) -> Self {
        Self { block, step: 0, statement: Some(statement) }
    }
}

impl Machine<'_> {
    /// Runs it up to the next statement, call of the host, or its end.
    ///
    /// # Errors
    /// It cannot go on; the statement is named.
    pub fn walk(&mut self, from: Stand, host: &mut dyn Host) -> Result<Walked, Abend> {
        let mut at = from;
        loop {
            match self.stride(&mut at, host) {
                Ok(None) => {}
                Ok(Some(walked)) => return Ok(walked),
                Err(fault) => {
                    let line = self.next_line(at).or(at.statement).unwrap_or(0);
                    let program = self.program();
                    let (program, line) = (program.name.clone(), program.lines[line as usize].clone());
                    return Err(Abend { fault, program, line });
                }
            }
        }
    }

    /// The statement of the step, or the end of the block, that is next; none for what no statement asks for.
    fn next_line(&self, at: Stand) -> Option<u32> {
        let block = self.program().blocks.get(at.block.0 as usize)?;
        match (block.steps.get(at.step), &block.end) {
            // A PERFORM that comes back only restores what it has saved.
            (Some(_), _) if at.step == 0 && self.program().anatomy.is_back(at.block) => None,
            (Some(step), _) => Some(step.line),
            (None, End::Jump(_) | End::Switch { .. }) => None,
            (None, _) => Some(block.line),
        }
    }

    /// One step, or the end of a block.
    fn stride(&mut self, at: &mut Stand, host: &mut dyn Host) -> Result<Option<Walked>, ProgramFault> {
        if let Some(line) = self.next_line(*at)
            && at.statement != Some(line)
        {
            at.statement = Some(line);
            return Ok(Some(Walked::Statement(*at, line)));
        }
        let block = self.program().blocks.get(at.block.0 as usize).ok_or(ProgramFault::Host)?;
        if let Some(step) = block.steps.get(at.step) {
            self.step(&step.operation, host)?;
            at.step += 1;
            return Ok(None);
        }
        let next = match &block.end {
            End::Host { .. } => return Ok(Some(Walked::Host(*at))),
            End::Leave(how) => return Ok(Some(Walked::Left(*how))),
            End::Jump(to) => *to,
            End::Branch { test, yes, no } => {
                if self.test(test)? {
                    *yes
                } else {
                    *no
                }
            }
            End::Switch { slot, targets, other } => choose(self.slot(*slot), targets, *other),
            End::Select { value, targets, other } => choose(self.select(value)?, targets, *other),
        };
        if next <= at.block {
            if host.must_stop() {
                return Err(ProgramFault::Stopped);
            }
            // The statement of a loop rests each time.
            at.statement = None;
        }
        *at = Stand { block: next, step: 0, statement: at.statement };
        Ok(None)
    }
}
