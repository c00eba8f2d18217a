//! A service that a natively compiled program CALLs: its arguments lie in the window of its task.
//!
//! The call has the window for as long as it is answered.

use std::cell::RefCell;

use cobol_ir::run::Passed;

use crate::storage::Window;
use crate::task::Task;

/// The call.
pub struct OwnService {
    name: String,
    arguments: Vec<Passed>,
    window: RefCell<Option<Box<Window>>>,
}

impl OwnService {
    /// The call of a program; it takes the task's window.
    pub(crate) fn new(task: &mut Task, name: &str, arguments: Vec<Passed>) -> Self {
        Self { name: name.to_owned(), arguments, window: RefCell::new(task.window.take()) }
    }

    /// The task has its window again.
    pub(crate) fn finish(self, task: &mut Task) {
        task.window = self.window.into_inner();
    }

    /// The service's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many arguments the CALL has.
    pub fn arg_count(&self) -> usize {
        self.arguments.len()
    }

    /// How many bytes an argument has, from 0; none of one that is no storage.
    pub fn size(&self, argument: usize) -> Option<usize> {
        match self.arguments.get(argument)? {
            Passed::Area(_, length) | Passed::Field(_, length, _) => Some(*length as usize),
            Passed::Copy(bytes) => Some(bytes.len()),
            _ => None,
        }
    }

    /// The binary number that an argument is: a fullword or a halfword.
    pub fn number(&self, argument: usize) -> Option<i32> {
        match self.size(argument)? {
            2 => self.binary(argument).map(|bytes| i16::from_be_bytes(bytes).into()),
            4 => self.binary(argument).map(i32::from_be_bytes),
            _ => None,
        }
    }

    fn binary<const N: usize>(&self, argument: usize) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.read(argument, 0, &mut bytes).then_some(bytes)
    }

    /// Where an argument lies in the window; none of a copy.
    fn address(&self, argument: usize) -> Option<u32> {
        match self.arguments.get(argument)? {
            Passed::Area(at, _) | Passed::Field(at, ..) => Some(*at),
            _ => None,
        }
    }

    /// Fills bytes from a place in an argument, also beyond its end where that is the task's; whether it could.
    pub fn read(&self, argument: usize, offset: usize, into: &mut [u8]) -> bool {
        if let Some(Passed::Copy(bytes)) = self.arguments.get(argument) {
            let end = offset.saturating_add(into.len());
            return bytes.get(offset..end).map(|bytes| into.copy_from_slice(bytes)).is_some();
        }
        let at = self.address(argument).and_then(|at| at.checked_add(u32::try_from(offset).ok()?));
        let window = self.window.borrow();
        let bytes = at.zip(window.as_ref()).and_then(|(at, window)| window.read(at, into.len()));
        bytes.map(|bytes| into.copy_from_slice(bytes)).is_some()
    }

    /// Writes bytes to a place in an argument; whether it could.
    pub fn write(&self, argument: usize, offset: usize, bytes: &[u8]) -> bool {
        let at = self.address(argument).and_then(|at| at.checked_add(u32::try_from(offset).ok()?));
        let mut window = self.window.borrow_mut();
        let into = at.zip(window.as_mut()).and_then(|(at, window)| window.write(at, bytes.len()));
        into.map(|into| into.copy_from_slice(bytes)).is_some()
    }
}
