//! A service that a program CALLs: its arguments lie in the window of its task.
//!
//! The call has the window for as long as it is answered.

use std::cell::{Cell, RefCell};

use cobol_run::Passed;

use crate::storage::{StorageAddress, TaskStorage, Window};
use crate::task::Task;

/// The call.
pub struct ServiceCall<'c> {
    name: &'c str,
    arguments: &'c [Passed],
    window: RefCell<Option<Box<Window>>>,
    manner: Cell<Manner>,
}

/// Effects of a CALL on its program, beside its answer.
#[derive(Clone, Copy, Default)]
pub(crate) struct Manner {
    /// It counts as giving way: the program's runaway limit starts again.
    pub gives_way: bool,
    /// It is a statement of another language: RETURN-CODE stays as it is.
    pub is_statement: bool,
    /// It has changed the interface block.
    pub shows_interface_block: bool,
}

impl<'c> ServiceCall<'c> {
    /// The call of a program; it takes the task's window.
    pub(crate) fn new(task: &mut Task, name: &'c str, arguments: &'c [Passed]) -> Self {
        Self { name, arguments, window: RefCell::new(task.window.take()), manner: Cell::default() }
    }

    /// The task has its window again.
    pub(crate) fn finish(self, task: &mut Task) -> Manner {
        task.window = self.window.into_inner();
        self.manner.get()
    }

    /// The service's name.
    pub fn name(&self) -> &'c str {
        self.name
    }

    /// Counts as giving way, whether it had to wait or not.
    pub fn gives_way(&self) {
        self.manner.update(|manner| Manner { gives_way: true, ..manner });
    }

    /// The program has written a statement, and no CALL: its RETURN-CODE stays as it is.
    pub fn is_statement(&self) {
        self.manner.update(|manner| Manner { is_statement: true, ..manner });
    }

    /// Number of arguments of the CALL.
    pub fn arg_count(&self) -> usize {
        self.arguments.len()
    }

    /// The number of bytes that an argument has; `None` if it is no storage. A record that is declared longer than the shared area
    /// in which it lies has the bytes of that area.
    pub fn size(&self, argument: usize) -> Option<usize> {
        match self.arguments.get(argument)? {
            Passed::Area(at, length) | Passed::Field(at, length, _) => {
                let window = self.window.borrow();
                Some(window.as_ref().map_or(*length as usize, |window| window.present(*at, *length)))
            }
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

    /// Address of an argument in the window; `None` for a copy.
    pub fn address(&self, argument: usize) -> Option<u32> {
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
        self.behind(argument, offset).is_some_and(|at| self.read_at(at, into))
    }

    /// Writes bytes to a place in an argument; returns false if it could not. The program does not see bytes that are written to a copy.
    pub fn write(&self, argument: usize, offset: usize, bytes: &[u8]) -> bool {
        if let Some(Passed::Copy(copy)) = self.arguments.get(argument) {
            return copy.get(offset..offset.saturating_add(bytes.len())).is_some();
        }
        self.behind(argument, offset).is_some_and(|at| self.write_at(at, bytes))
    }

    fn behind(&self, argument: usize, offset: usize) -> Option<u32> {
        self.address(argument)?.checked_add(u32::try_from(offset).ok()?)
    }

    /// Fills bytes from an address of the window on; whether they are there.
    pub fn read_at(&self, at: u32, into: &mut [u8]) -> bool {
        let window = self.window.borrow();
        window.as_ref().is_some_and(|window| window.fill(at, into))
    }

    /// Writes bytes to an address of the window; whether they are there.
    pub fn write_at(&self, at: u32, bytes: &[u8]) -> bool {
        let mut window = self.window.borrow_mut();
        window.as_mut().is_some_and(|window| window.put(at, bytes))
    }

    /// Address at which the window shows an area that the region gives to programs; `None` if it has no room, or
    /// there is no such area.
    pub fn shows(&self, task: &Task, area: StorageAddress) -> Option<u32> {
        let mut window = self.window.borrow_mut();
        window.as_mut()?.address_of(area, &task.owners()).ok().flatten()
    }

    /// These areas of the task are about to go.
    pub fn forgets(&self, storage: &TaskStorage) {
        if let Some(window) = self.window.borrow_mut().as_mut() {
            storage.addresses().for_each(|area| window.forget_freed(area));
        }
    }

    /// The program sees its interface block as it is behind the CALL.
    pub fn shows_interface_block(&self) {
        self.manner.update(|manner| Manner { shows_interface_block: true, ..manner });
    }

    /// Place of a window's address for the region: within the area that this part of the window stands for, else the
    /// program's own.
    pub fn place(&self, at: u32) -> StorageAddress {
        let window = self.window.borrow();
        let place = window.as_ref().and_then(|window| window.place_of(at));
        place.unwrap_or_else(|| StorageAddress::of_host(at as usize))
    }

    /// Puts bytes into the window, until they are given back or the task ends. Their address; `None` if there is no
    /// room.
    pub fn hold(&self, bytes: &[u8]) -> Option<u32> {
        self.window.borrow_mut().as_mut()?.hold(bytes).ok()
    }

    /// A part of the window with so many zeros, until it is given back or the task ends. `None` if there is no room.
    pub fn allocate(&self, length: usize) -> Option<u32> {
        self.window.borrow_mut().as_mut()?.allocate(length).ok()
    }

    /// Makes zeros of a part of the window. False if it is not there.
    pub fn clear(&self, at: u32, length: usize) -> bool {
        self.window.borrow_mut().as_mut().is_some_and(|window| window.clear(at, length))
    }

    /// Gives back so many bytes that were put into the window.
    pub fn give_back(&self, at: u32, length: usize) {
        if let Some(window) = self.window.borrow_mut().as_mut() {
            window.give(at, length);
        }
    }
}
