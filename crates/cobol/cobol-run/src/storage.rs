//! The storage of a task: one run of bytes, what it shares with other tasks, and where each segment of a program lies in it.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::abend::ProgramFault;
use super::memory::{self, Memory};
use super::shared::{Reach, Record, SHARED, Shared};
use cobol_ir::program::{Lender, Program, Segment};
use smallvec::SmallVec;

/// Bytes in front of the storage that are never a program's: an address there is that of nothing.
pub const RESERVED: usize = 4096;
/// The beginning of every area is a multiple of this.
const ALIGNMENT: usize = 8;

/// A copy of what is shared: what most statements look at needs no memory of its own.
pub(super) type Seen = SmallVec<[u8; 256]>;

/// The storage of a task.
#[derive(Clone, Debug)]
pub struct Task {
    memory: Memory,
    end: usize,
    /// Storage that it shares with other tasks.
    shared: Option<Arc<dyn Shared>>,
}

/// The places of a program's segments in the storage of its task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Activation {
    /// WORKING-STORAGE.
    pub working: u32,
    /// LOCAL-STORAGE.
    pub local: u32,
    /// Each record of the linkage section; zero has no address.
    pub linkage: Vec<u32>,
}

/// Caller that runs programs, and lends them the storage of others.
pub trait Lends {
    /// Place of an EXTERNAL area of the run unit. The first program that asks for it makes it, of zeros.
    ///
    /// # Errors
    /// There is no room for it, or it is shorter.
    fn external(&mut self, name: &str, length: u32) -> Result<u32, ProgramFault>;

    /// Place of the WORKING-STORAGE of a program of the same source, if it has any.
    fn working_of(&self, program: u32) -> Option<u32>;
}

impl Task {
    /// Storage of so many bytes.
    pub fn new(length: usize) -> Self {
        Self::of(Memory::Own(vec![0; length]))
    }

    /// The same of lent bytes, if possible, until it is dropped.
    pub fn lent(lender: &'static dyn memory::Lender, length: usize) -> Self {
        Self::of(Memory::lent(lender, length))
    }

    fn of(memory: Memory) -> Self {
        Self { memory, end: RESERVED, shared: None }
    }

    /// Bytes up to the end of the last area.
    pub fn extent(&self) -> usize {
        self.end
    }

    /// Makes it longer, where it has fewer bytes than these behind what is in use; nothing of it moves for programs.
    pub fn make_room(&mut self, bytes: usize) {
        self.lengthen(self.end.saturating_add(bytes));
    }

    /// Makes it so long, if it is shorter.
    pub fn lengthen(&mut self, length: usize) {
        self.memory.lengthen(length);
    }

    /// True if its bytes are lent: there are others behind those that programs are shown.
    pub fn is_lent(&self) -> bool {
        self.memory.is_lent()
    }

    /// Makes `length` bytes visible to programs, or all there are. Bytes after the last area belong to no program, and are zeros until one
    /// writes to them all the same.
    pub fn show(&mut self, length: usize) {
        self.memory.show(length);
    }

    /// Shows programs no more than is in use, which stays as it is: what lies behind is zeros again.
    pub fn hide(&mut self) {
        self.memory.hide();
    }

    /// Bytes that may lie behind those that programs see; `None` if there are none.
    pub fn beyond(&self, range: Range<usize>) -> Option<&[u8]> {
        self.memory.beyond(range)
    }

    /// An area of its own.
    ///
    /// # Errors
    /// There is no room for it.
    pub fn allocate(&mut self, length: usize) -> Result<u32, ProgramFault> {
        let at = self.end.next_multiple_of(ALIGNMENT);
        let end =
            at.checked_add(length).filter(|end| *end <= self.memory.len()).ok_or(ProgramFault::Protection)?;
        self.end = end;
        u32::try_from(at).map_err(|_| ProgramFault::Protection)
    }

    /// The same, with storage that it shares with other tasks.
    pub fn sharing(mut self, shared: Arc<dyn Shared>) -> Self {
        self.shared = Some(shared);
        self
    }

    /// An address in the form that machine code takes.
    #[inline]
    pub(super) fn reach(&self) -> Reach<'_> {
        Reach { memory: &self.memory, reserved: RESERVED, shared: self.shared.as_deref() }
    }

    /// The place of the record at an address, in the form that machine code takes.
    #[inline]
    pub fn record(&self, at: u32) -> Record {
        self.reach().record(at)
    }

    /// Returns true if so many bytes from an address on are there.
    #[inline]
    pub fn has(&self, at: u32, length: u32) -> bool {
        let record = self.record(at);
        record.base != 0 && u64::from(length) <= record.limit
    }

    // What is shared may be gone by the time that it is looked at: it is zeros then, as what was given back is, and nothing is changed.

    /// Bytes at addresses that are known to be there: a copy of what is shared.
    #[inline]
    pub(super) fn look(&self, at: Range<usize>) -> Cow<'_, [u8]> {
        if at.start >= SHARED as usize {
            Cow::Owned(self.copied(at).into_vec())
        } else {
            Cow::Borrowed(&self.memory[at])
        }
    }

    /// A copy of what is shared.
    pub(super) fn copied(&self, at: Range<usize>) -> Seen {
        let mut bytes = Seen::from_elem(0, at.len());
        if let Some(shared) = &self.shared {
            shared.read(at.start as u32 - SHARED, &mut bytes);
        }
        bytes
    }

    /// Copies what is shared to the first bytes of a place in the storage of the task.
    pub(super) fn take_in(&mut self, from: Range<usize>, to: usize) {
        let into = &mut self.memory[to..to + from.len()];
        let is_there =
            self.shared.as_ref().is_some_and(|shared| shared.read(from.start as u32 - SHARED, into));
        if !is_there {
            into.fill(0);
        }
    }

    /// Copies bytes of the task's storage to as many that are shared.
    pub(super) fn give_out(&self, from: Range<usize>, to: usize) {
        if let Some(shared) = &self.shared {
            shared.write(to as u32 - SHARED, &self.memory[from]);
        }
    }

    /// Stores bytes at addresses that are known to be there.
    #[inline]
    pub(super) fn put(&mut self, at: Range<usize>, bytes: &[u8]) {
        if at.start < SHARED as usize {
            self.memory[at].copy_from_slice(bytes);
        } else if let Some(shared) = self.shared.as_ref().filter(|_| bytes.len() == at.len()) {
            shared.write(at.start as u32 - SHARED, bytes);
        }
    }

    /// Changes bytes at addresses that are known to be there. Of what is shared those are stored that become others: what another
    /// task changes beside them meanwhile stays.
    #[inline]
    pub(super) fn change<T>(&mut self, at: Range<usize>, what: impl FnOnce(&mut [u8]) -> T) -> T {
        if at.start < SHARED as usize {
            return what(&mut self.memory[at]);
        }
        let before = self.copied(at.clone());
        let mut bytes = Seen::from_slice(&before);
        let done = what(&mut bytes);
        let mut from = 0;
        while from < bytes.len() {
            let run = |from: usize, wanted: bool| {
                let pairs = bytes[from..].iter().zip(&before[from..]);
                pairs.take_while(|(own, seen)| (own == seen) == wanted).count()
            };
            from += run(from, true);
            let end = from + run(from, false);
            if from < end {
                self.put(at.start + from..at.start + end, &bytes[from..end]);
            }
            from = end;
        }
        done
    }

    /// Fills bytes from an address on; false if they are not there.
    pub fn read(&self, at: u32, into: &mut [u8]) -> bool {
        let is_there = u32::try_from(into.len()).is_ok_and(|length| self.has(at, length));
        if is_there {
            self.fill(at as usize, into);
        }
        is_there
    }

    /// Fills bytes from an address on that is known to be there.
    #[inline]
    pub(super) fn fill(&self, at: usize, into: &mut [u8]) {
        if at < SHARED as usize {
            return into.copy_from_slice(&self.memory[at..at + into.len()]);
        }
        let is_there = self.shared.as_ref().is_some_and(|shared| shared.read(at as u32 - SHARED, into));
        if !is_there {
            into.fill(0);
        }
    }

    /// Stores bytes from an address on; false if they are not there.
    pub fn write(&mut self, at: u32, bytes: &[u8]) -> bool {
        let is_there = u32::try_from(bytes.len()).is_ok_and(|length| self.has(at, length));
        if is_there {
            self.put(at as usize..at as usize + bytes.len(), bytes);
        }
        is_there
    }

    /// Storage for a program, with its initial values; its parameters take these addresses.
    ///
    /// # Errors
    /// There is no room for it.
    pub fn enter(&mut self, program: &Program, arguments: &[u32]) -> Result<Activation, ProgramFault> {
        let working = self.allocate(program.working.len())?;
        program.working.write(self.bytes_mut(working, program.working.len()));
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
    ) -> Result<(), ProgramFault> {
        activation.local = self.allocate(program.local.len())?;
        program.local.write(self.bytes_mut(activation.local, program.local.len()));
        activation.pass(&program.parameters, arguments);
        Ok(())
    }

    /// Bytes that are known to be there.
    #[inline]
    pub fn bytes(&self, at: u32, length: usize) -> &[u8] {
        &self.memory[at as usize..at as usize + length]
    }

    /// The same, to be changed.
    pub fn bytes_mut(&mut self, at: u32, length: usize) -> &mut [u8] {
        &mut self.memory[at as usize..at as usize + length]
    }

    /// Makes zeros of a part. Of a long one the system takes the memory.
    pub fn clear(&mut self, at: u32, length: usize) {
        self.memory.clear(at as usize..at as usize + length);
    }

    /// Begins again: all of it is zeros from now on, areas end here, and it has so many bytes. False, and nothing is done, if its bytes
    /// are not lent.
    pub fn begin_again(&mut self, end: usize, length: usize) -> bool {
        let has_begun = self.memory.begin_again(RESERVED, length.max(end));
        if has_begun {
            self.end = end;
        }
        has_begun
    }

    /// All of it.
    #[inline]
    pub fn memory(&self) -> &[u8] {
        &self.memory
    }

    /// All of it, to be changed.
    #[inline]
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

    /// Gives what a program has of others' storage its addresses.
    ///
    /// # Errors
    /// As of [`Lends::external`]; or a program around it has no storage.
    pub fn borrow(&mut self, program: &Program, from: &mut dyn Lends) -> Result<(), ProgramFault> {
        for own in &program.borrowed {
            let index = own.linkage as usize;
            let length = program.linkage.get(index).ok_or(ProgramFault::Host)?.length;
            self.linkage[index] = match &own.from {
                Lender::External(name) => from.external(name, length)?,
                Lender::Around { program, at } => from.working_of(*program).ok_or(ProgramFault::Host)? + at,
            };
        }
        Ok(())
    }

    /// Place of a program's RETURN-CODE, if it has one.
    pub fn return_code(&self, program: &Program) -> Option<u32> {
        let (segment, at) = program.return_code?;
        Some(self.base(segment)? + at)
    }

    /// The base of a segment; none for a linkage record without an address, and for constants.
    #[inline]
    pub fn base(&self, segment: Segment) -> Option<u32> {
        match segment {
            Segment::Working => Some(self.working),
            Segment::Local => Some(self.local),
            Segment::Linkage(index) => self.linkage.get(index as usize).copied().filter(|base| *base != 0),
            Segment::Constant => None,
        }
    }
}
