//! EXEC SQL, DSNTIAR and DSNTIAC.

use std::cell::RefCell;

use cobol_run::{Answer, Passed, ProgramFault, RESERVED, Task};
use exec_sql::CallArguments;

use super::{Level, Run, Stopped, of_abend};
use crate::own_tables;

impl Run<'_, '_> {
    /// Answers a CALL of a name of [`exec_sql::Outside::NAMES`].
    pub(super) fn sql_call(
        &mut self,
        level: &Level,
        name: &str,
        arguments: &[Passed],
    ) -> Result<Answer, Stopped> {
        let code = level.unit.program(level.place);
        let protection = || match code {
            Some(code) => of_abend(&code.abend_at(ProgramFault::Protection, level.block)),
            None => super::failed("a program that is not there"),
        };
        let Some(sql) = self.sql.as_mut() else { return Err(protection()) };
        let call = SqlCall { arguments, task: RefCell::new(&mut self.storage.task) };
        match sql.own_call(name, &call) {
            Ok(Some(own)) => {
                return match own_tables::answer(self.files.client(), sql, own, &call) {
                    true => Ok(Answer::Continue),
                    false => Err(protection()),
                };
            }
            Ok(None) => {}
            Err(_) => return Err(protection()),
        }
        match sql.call(name, &call) {
            Ok(code) => {
                if let Some(code) = code {
                    self.storage.set_return_code(level, code);
                }
                Ok(Answer::Continue)
            }
            Err(_) => Err(protection()),
        }
    }
}

/// The arguments of a statement, in the storage of the run.
struct SqlCall<'s> {
    arguments: &'s [Passed],
    task: RefCell<&'s mut Task>,
}

impl SqlCall<'_> {
    /// Bytes of an argument in the run's storage: where they begin, and where they end.
    fn range(&self, argument: usize, offset: usize, length: usize) -> Option<std::ops::Range<usize>> {
        let (Passed::Area(at, _) | Passed::Field(at, ..)) = self.arguments.get(argument)? else {
            return None;
        };
        self.span(usize::try_from(*at).ok()?.checked_add(offset)?, length)
    }

    /// Bytes at an address of the run's storage.
    fn span(&self, at: usize, length: usize) -> Option<std::ops::Range<usize>> {
        let end = at.checked_add(length)?;
        (at >= RESERVED && end <= self.task.borrow().extent()).then_some(at..end)
    }

    fn get(&self, range: std::ops::Range<usize>, into: &mut [u8]) -> bool {
        let task = self.task.borrow();
        task.memory().get(range).map(|bytes| into.copy_from_slice(bytes)).is_some()
    }

    fn put(&self, range: std::ops::Range<usize>, bytes: &[u8]) -> bool {
        let mut task = self.task.borrow_mut();
        task.memory_mut().get_mut(range).map(|into| into.copy_from_slice(bytes)).is_some()
    }
}

impl CallArguments for SqlCall<'_> {
    fn count(&self) -> usize {
        self.arguments.len()
    }

    fn size(&self, argument: usize) -> Option<usize> {
        match self.arguments.get(argument)? {
            Passed::Area(_, length) | Passed::Field(_, length, _) => Some(*length as usize),
            Passed::Copy(bytes) => Some(bytes.len()),
            _ => None,
        }
    }

    fn read(&self, argument: usize, offset: usize, into: &mut [u8]) -> bool {
        if let Some(Passed::Copy(bytes)) = self.arguments.get(argument) {
            let end = offset.saturating_add(into.len());
            return bytes.get(offset..end).map(|bytes| into.copy_from_slice(bytes)).is_some();
        }
        self.range(argument, offset, into.len()).is_some_and(|range| self.get(range, into))
    }

    fn write(&self, argument: usize, offset: usize, bytes: &[u8]) -> bool {
        self.range(argument, offset, bytes.len()).is_some_and(|range| self.put(range, bytes))
    }

    fn read_at(&self, pointer: u32, into: &mut [u8]) -> bool {
        self.span(pointer as usize, into.len()).is_some_and(|range| self.get(range, into))
    }

    fn write_at(&self, pointer: u32, bytes: &[u8]) -> bool {
        self.span(pointer as usize, bytes.len()).is_some_and(|range| self.put(range, bytes))
    }
}
