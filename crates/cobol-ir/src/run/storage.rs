//! The storage of a task: one run of bytes, names for addresses, and where each segment of a program lies in it.

use super::abend::Fault;
use crate::program::{Program, Segment};

/// Bytes in front of the storage that are never a program's: an address there is that of nothing.
pub const RESERVED: usize = 4096;
/// What every area begins at a multiple of.
const ALIGNMENT: usize = 8;

/// The storage of a task.
#[derive(Clone, Debug)]
pub struct Task {
    memory: Vec<u8>,
    end: usize,
}

/// Where the segments of a program lie in the storage of its task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Activation {
    /// WORKING-STORAGE.
    pub working: u32,
    /// LOCAL-STORAGE.
    pub local: u32,
    /// Each record of the linkage section; zero has no address.
    pub linkage: Vec<u32>,
}

impl Task {
    /// Storage of so many bytes.
    pub fn new(length: usize) -> Self {
        Self { memory: vec![0; length], end: RESERVED }
    }

    /// Bytes up to the end of the last area.
    pub fn extent(&self) -> usize {
        self.end
    }

    /// Makes it longer, where it has fewer bytes than these behind what is in use; nothing of it moves for programs.
    pub fn make_room(&mut self, bytes: usize) {
        let needed = self.end.saturating_add(bytes);
        if needed > self.memory.len() {
            self.memory.resize(needed, 0);
        }
    }

    /// An area of its own.
    ///
    /// # Errors
    /// There is no room for it.
    pub fn allocate(&mut self, length: usize) -> Result<u32, Fault> {
        let at = self.end.next_multiple_of(ALIGNMENT);
        let end = at.checked_add(length).filter(|end| *end <= self.memory.len()).ok_or(Fault::Protection)?;
        self.end = end;
        u32::try_from(at).map_err(|_| Fault::Protection)
    }

    /// Storage for a program, with its initial values; its parameters take these addresses.
    ///
    /// # Errors
    /// There is no room for it.
    pub fn enter(&mut self, program: &Program, arguments: &[u32]) -> Result<Activation, Fault> {
        let working = self.allocate(program.working.len())?;
        self.bytes_mut(working, program.working.len()).copy_from_slice(&program.working);
        let mut activation = Activation { working, local: 0, linkage: vec![0; program.linkage.len()] };
        self.enter_again(program, &mut activation, arguments)?;
        Ok(activation)
    }

    /// The same for a program that keeps its WORKING-STORAGE from the last time.
    ///
    /// # Errors
    /// There is no room for its LOCAL-STORAGE.
    pub fn enter_again(
        &mut self,
        program: &Program,
        activation: &mut Activation,
        arguments: &[u32],
    ) -> Result<(), Fault> {
        activation.local = self.allocate(program.local.len())?;
        self.bytes_mut(activation.local, program.local.len()).copy_from_slice(&program.local);
        activation.pass(&program.parameters, arguments);
        Ok(())
    }

    /// Bytes that are known to be there.
    pub fn bytes(&self, at: u32, length: usize) -> &[u8] {
        &self.memory[at as usize..at as usize + length]
    }

    /// The same, to be changed.
    pub fn bytes_mut(&mut self, at: u32, length: usize) -> &mut [u8] {
        &mut self.memory[at as usize..at as usize + length]
    }

    /// All of it.
    pub fn memory(&self) -> &[u8] {
        &self.memory
    }

    /// All of it, to be changed.
    pub fn memory_mut(&mut self) -> &mut [u8] {
        &mut self.memory
    }
}

impl Activation {
    /// Gives parameters their addresses: those of the program's beginning, or of one of its entries.
    pub fn pass(&mut self, parameters: &[u32], arguments: &[u32]) {
        for (index, parameter) in parameters.iter().enumerate() {
            self.linkage[*parameter as usize] = arguments.get(index).copied().unwrap_or(0);
        }
    }

    /// The base of a segment; none for a linkage record without an address, and for constants.
    pub fn base(&self, segment: Segment) -> Option<u32> {
        match segment {
            Segment::Working => Some(self.working),
            Segment::Local => Some(self.local),
            Segment::Linkage(index) => self.linkage.get(index as usize).copied().filter(|base| *base != 0),
            Segment::Constant => None,
        }
    }
}
