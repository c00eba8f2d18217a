//! What a suspended program asks for, with access to the arguments it gave.

use std::fmt;

use smallvec::SmallVec;
use spec::call::Descriptor;

use crate::argument::Arg;
use crate::ending::{Place, stands_at};
use crate::error::{AccessError, StorageFault};
use crate::image::Level;
use crate::inspect::{Entered, entered};
use crate::layout::{Field, Global};
use crate::memory;
use crate::signals;

/// Bytes that one argument rarely exceeds.
pub(crate) type SmallBytes = SmallVec<[u8; 64]>;

/// Bytes behind a program's data, and behind a guarded block, that are nobody's.
const MARGIN: usize = 64 * 1024;

/// The parameters of the CALL at which a run is suspended.
///
/// It borrows the run, so the run cannot go on meanwhile; other tasks can: before each access the task's storage is
/// put in place. Where the list stands and how long it is does not change by that.
#[derive(Clone, Copy)]
pub(crate) struct Parameters<'r> {
    level: &'r Level,
    list: *const *const Field,
    count: u32,
}

impl<'r> Parameters<'r> {
    /// The parameters of the call that the level's program has just made.
    pub(crate) fn new(level: &'r Level) -> Self {
        level.place();
        // SAFETY: put in place just now.
        unsafe { Self::in_place(level) }
    }

    /// # Safety
    /// The level is in place.
    #[inline(always)]
    unsafe fn in_place(level: &'r Level) -> Self {
        // SAFETY: the runtime's structures, with this run's state in place; the module that calls is its current one.
        unsafe {
            let global: &Global = &*level.tcb().runtime.global();
            let count = global.call_params.cast_unsigned();
            Self { level, list: (*global.current_module).parameters.cast(), count }
        }
    }

    #[inline(always)]
    fn field(&self, index: usize) -> Result<*const Field, AccessError> {
        if index >= self.count as usize {
            return Err(AccessError::Missing);
        }
        self.level.place();
        // SAFETY: the calling program set its parameter list before the call, with as many entries as it counted.
        let field = unsafe { *self.list.add(index) };
        if field.is_null() { Err(AccessError::Missing) } else { Ok(field) }
    }

    #[inline]
    pub(crate) fn read(&self, address: usize, into: &mut [u8]) -> Result<(), StorageFault> {
        self.level.place();
        memory::read_element(address, into, || None)
    }

    /// The same where the length is not that of a field: a program's data have an end, too.
    #[inline]
    pub(crate) fn read_far(&self, address: usize, into: &mut [u8]) -> Result<(), StorageFault> {
        self.level.place();
        memory::read_element(address, into, || self.level.tcb().data_end(address))
    }

    /// The same of an address that came with a length of its own: a short one leads no further than the margin behind the data.
    #[inline]
    fn read_at(&self, address: usize, into: &mut [u8]) -> Result<(), StorageFault> {
        if into.len() > MARGIN { self.read_far(address, into) } else { self.read(address, into) }
    }

    #[inline]
    pub(crate) fn write(&self, address: usize, from: &[u8]) -> Result<(), StorageFault> {
        self.level.place();
        // SAFETY: the program gave the address to be written to.
        unsafe { memory::write_element(address, from) }
    }

    #[inline(always)]
    fn renew_limit(&self) {
        signals::renew_limit(self.level.tcb());
    }

    #[inline(always)]
    fn arg(&self, index: usize) -> Result<Arg<'_>, AccessError> {
        // SAFETY: a field of the calling program, in place.
        Ok(unsafe { Arg::new(self, self.field(index)?) })
    }
}

/// A command that a program asked for.
#[derive(Clone, Copy)]
pub struct ExecCall<'r>(Parameters<'r>);

impl<'r> ExecCall<'r> {
    pub(crate) fn new(level: &'r Level) -> Self {
        Self(Parameters::new(level))
    }

    /// The command of the program that runs.
    ///
    /// # Safety
    /// The level's program has just made the call, so the level is in place.
    #[inline(always)]
    pub(crate) unsafe fn of_running(level: &'r Level) -> Self {
        // SAFETY: as the caller says.
        Self(unsafe { Parameters::in_place(level) })
    }

    /// The command's descriptor; `None` if what the program passed is not one.
    #[inline(always)]
    pub fn descriptor(&self) -> Option<Descriptor<'r>> {
        Descriptor::new(self.described()?)
    }

    /// The same of a command that is not built, and that its program brings all the same.
    pub fn unbuilt(&self) -> Option<Descriptor<'r>> {
        Descriptor::unbuilt(self.described()?)
    }

    #[inline(always)]
    fn described(&self) -> Option<&'r [u8]> {
        let field = self.0.field(0).ok()?;
        // SAFETY: the first parameter is a literal of the program, which stays loaded while it is entered.
        Some(unsafe { std::slice::from_raw_parts((*field).data, (*field).size) })
    }

    /// The programs that the task has entered on this TCB and not left, the one that asks first.
    pub fn entered(&self) -> Vec<Entered> {
        entered(self.0.level)
    }

    /// Where the program asks for the command. `level_program`: the program to name if the runtime says of none.
    pub fn place(&self, level_program: &str) -> Place {
        let level = self.0.level;
        level.place();
        Place::entered(level.tcb(), level_program)
    }

    /// The same in a few bytes: see [`ServiceCall::stands_at`].
    #[inline]
    pub fn stands_at(&self) -> ([u8; 8], u32) {
        self.0.level.place();
        stands_at(self.0.level.tcb())
    }

    /// Counts as giving way: the program's limit starts again, as with a step. For a command that is answered in place
    /// but might have had to wait.
    #[inline(always)]
    pub fn renew_limit(&self) {
        self.0.renew_limit();
    }

    /// How many arguments the command has: the descriptor not counted.
    pub fn arg_count(&self) -> usize {
        (self.0.count as usize).saturating_sub(1)
    }

    /// Writes the start of an argument if that is short work: it is not shorter than the bytes, and lies in the data of
    /// the level's first program, as most do. Whether it was.
    #[inline(always)]
    pub fn write_home(&self, index: usize, bytes: &[u8]) -> bool {
        // SAFETY: a field of the calling program, in place.
        let Some(field) = self.0.field(index + 1).ok().map(|field| unsafe { &*field }) else { return false };
        let (address, level) = (field.data as usize, self.0.level);
        let home = field.size >= bytes.len() && level.is_home(address, bytes.len());
        if home {
            // SAFETY: within the writable segment of a program that the level has entered, in place. The bytes come
            // from the region: nothing of it lies there.
            unsafe { (address as *mut u8).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        }
        home
    }

    /// An argument, by its place in the descriptor's list, from 0.
    ///
    /// # Errors
    /// If the call has no such argument.
    #[inline(always)]
    pub fn arg(&self, index: usize) -> Result<Arg<'_>, AccessError> {
        self.0.arg(index + 1)
    }
}

/// A service that a program CALLed.
#[derive(Clone, Copy)]
pub struct ServiceCall<'r> {
    parameters: Parameters<'r>,
    index: usize,
}

impl<'r> ServiceCall<'r> {
    pub(crate) fn new(level: &'r Level, index: usize) -> Self {
        Self { parameters: Parameters::new(level), index }
    }

    /// The service's place among those of the host.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The service's name.
    pub fn name(&self) -> &'r str {
        &self.parameters.level.tcb().services[self.index]
    }

    /// Where the program asks for it: the first bytes of the program's name, and the line of the text that was compiled; zeros
    /// where the runtime says of none.
    #[inline]
    pub fn stands_at(&self) -> ([u8; 8], u32) {
        self.parameters.level.place();
        stands_at(self.parameters.level.tcb())
    }

    /// The programs that the task has entered on this TCB and not left, the one that asks first.
    pub fn entered(&self) -> Vec<Entered> {
        entered(self.parameters.level)
    }

    /// Where the program asks for it: see [`ExecCall::place`].
    pub fn place(&self, level_program: &str) -> Place {
        self.parameters.level.place();
        Place::entered(self.parameters.level.tcb(), level_program)
    }

    /// Counts as giving way: see [`ExecCall::renew_limit`].
    #[inline]
    pub fn renew_limit(&self) {
        self.parameters.renew_limit();
    }

    /// How many arguments the CALL has.
    #[inline]
    pub fn arg_count(&self) -> usize {
        self.parameters.count as usize
    }

    /// An argument, from 0.
    ///
    /// # Errors
    /// If the call has no such argument, or it is OMITTED.
    #[inline]
    pub fn arg(&self, index: usize) -> Result<Arg<'_>, AccessError> {
        self.parameters.arg(index)
    }
}

impl ExecCall<'_> {
    /// Copies from an address that the program gave, in a pointer.
    ///
    /// # Errors
    /// If it is not storage.
    pub fn read(&self, address: usize, into: &mut [u8]) -> Result<(), StorageFault> {
        self.0.read_at(address, into)
    }

    /// Copies to an address that the program gave, in a pointer.
    ///
    /// # Errors
    /// If it is not storage, or not writable.
    pub fn write(&self, address: usize, from: &[u8]) -> Result<(), StorageFault> {
        self.0.write(address, from)
    }
}

impl ServiceCall<'_> {
    /// Copies from an address that the program gave, in a pointer or in a structure.
    ///
    /// # Errors
    /// If it is not storage.
    pub fn read(&self, address: usize, into: &mut [u8]) -> Result<(), StorageFault> {
        self.parameters.read_at(address, into)
    }

    /// Copies to an address that the program gave, in a pointer or in a structure.
    ///
    /// # Errors
    /// If it is not storage, or not writable.
    pub fn write(&self, address: usize, from: &[u8]) -> Result<(), StorageFault> {
        self.parameters.write(address, from)
    }
}

impl fmt::Debug for ExecCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ExecCall({:?})", self.descriptor())
    }
}

impl fmt::Debug for ServiceCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ServiceCall({})", self.name())
    }
}
