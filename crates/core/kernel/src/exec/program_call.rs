//! A command of a program: its arguments lie in the window of its task.
//!
//! The command has the window for as long as it is answered; the task has it while another program runs. What is an address
//! of the region becomes one of the window, and the other way round, here and nowhere else.

use std::cell::{self, RefCell};

use areas::{AccessError, Area, StorageFault};
use cobol_ir::program::{Numeric, Service};
use cobol_run::{Activation, Passed, ProgramFault, RESERVED, is_binary, number_in, put_number};
use smallvec::SmallVec;
use spec::call::Descriptor;
use spec::{CommandId, cmd, opt};

use super::bytes::Bytes;
use super::placed::{Form, Given, Placed};
use crate::places::{ProgramPlace, SourceLine};
use crate::storage::{StorageAddress, TaskStorage, Window};
use crate::task::Task;

/// A command.
pub(crate) struct ProgramCall<'u> {
    /// The unit of the program, and its place there.
    program: (&'u native::Unit, usize),
    arguments: Arguments<'u>,
    window: &'u Held,
    /// The first address that the command has given, and the place of its argument.
    given: cell::Cell<Option<Gives>>,
    /// Parts that few commands have.
    addresses: RefCell<Option<Box<Addresses>>>,
}

/// An address that a command gives, by the place of the argument.
type Gives = (usize, StorageAddress);

/// Records of the linkage section that have another address behind a command, and these addresses.
pub(crate) type Readdressed = SmallVec<[(u32, u32); 2]>;

/// The window of a task, for as long as a command is answered.
pub(crate) type Held = RefCell<Option<Box<Window>>>;

/// The arguments of a command.
enum Arguments<'u> {
    /// As the interpreter has worked them out.
    Passed {
        /// The line, by its place in the program's list.
        line: u32,
        /// `None` if the call of the host is no command.
        descriptor: Option<Descriptor<'u>>,
        passed: &'u [Passed],
        /// The addresses of the program's linkage records.
        linkage: &'u [u32],
    },
    /// As they were found once.
    Known { cell: &'u Placed, activation: &'u Activation, worked_out: &'u [Passed] },
}

/// Addresses of a command that are not the window's.
#[derive(Default)]
struct Addresses {
    /// Copies of parts of the window whose address the command was given: COMMAREA of LINK.
    copies: SmallVec<[(u32, Area); 1]>,
    /// Addresses that the command has given behind the first one.
    given: SmallVec<[Gives; 2]>,
}

type Access<T = ()> = Result<T, AccessError>;

/// Place of a program: the unit, the program in it, the line.
#[derive(Clone, Copy)]
pub(crate) struct Stand<'u> {
    pub unit: &'u native::Unit,
    pub program: usize,
    pub line: u32,
}

impl<'u> Stand<'u> {
    /// The command at a call of the host; `None` if it is something else.
    pub fn descriptor(self, site: u32) -> Option<Descriptor<'u>> {
        let program = self.unit.program(self.program)?.program();
        let Service::Exec(descriptor) = &program.sites.get(site as usize)?.service else { return None };
        Descriptor::new(descriptor).or_else(|| Descriptor::unbuilt(descriptor))
    }

    /// The line of the text that was compiled; 0 is none.
    #[inline]
    pub fn line(self) -> u32 {
        let program = self.unit.program(self.program).map(|own| own.program());
        program.and_then(|program| program.lines.get(self.line as usize)).map_or(0, |line| line.line)
    }
}

impl<'u> ProgramCall<'u> {
    /// The command of a descriptor at a place of a program, which has the task's window.
    pub fn new(
        window: &'u Held,
        stand: Stand<'u>,
        descriptor: Option<Descriptor<'u>>,
        arguments: &'u [Passed],
        linkage: &'u [u32],
    ) -> Self {
        let Stand { unit, program, line } = stand;
        let arguments = Arguments::Passed { line, descriptor, passed: arguments, linkage };
        let (given, addresses) = (cell::Cell::new(None), RefCell::default());
        Self { program: (unit, program), arguments, window, given, addresses }
    }

    /// The command of a cell. `worked_out`: arguments that the interpreter had to work out.
    #[inline(always)]
    pub fn known(
        window: &'u Held,
        program: (&'u native::Unit, usize),
        cell: &'u Placed,
        activation: &'u Activation,
        worked_out: &'u [Passed],
    ) -> Self {
        let arguments = Arguments::Known { cell, activation, worked_out };
        Self { program, arguments, window, given: cell::Cell::new(None), addresses: RefCell::new(None) }
    }

    /// The task has the window, as long as a program runs that this command has LINKed to.
    pub fn lend(&self, task: &mut Task) {
        task.window = self.window.borrow_mut().take();
    }

    /// The command has it again.
    pub fn take(&self, task: &mut Task) {
        *self.window.borrow_mut() = task.window.take();
    }

    /// A program below has worked on bytes of the window for which this area stands: what is in that at the end is in them.
    pub fn stands_for(&self, (at, area): (u32, Area)) {
        self.addresses.borrow_mut().get_or_insert_default().copies.push((at, area));
    }

    /// Puts into the window what programs below have left in copies, for those who look at the command before it is finished.
    #[cold]
    pub fn shows_copies(&self) {
        let (mut window, addresses) = (self.window.borrow_mut(), self.addresses.borrow());
        if let (Some(window), Some(addresses)) = (window.as_deref_mut(), addresses.as_deref()) {
            for (at, area) in &addresses.copies {
                window.put(*at, &area.to_vec());
            }
        }
    }

    /// Something with the window.
    pub fn with_window<T>(&self, what: impl FnOnce(Option<&mut Window>) -> T) -> T {
        what(self.window.borrow_mut().as_deref_mut())
    }

    /// Returns true if it has dealt with addresses: then it is to be finished.
    #[inline(always)]
    pub fn is_to_be_finished(&self) -> bool {
        self.given.get().is_some() || self.frees() || self.addresses.borrow().is_some()
    }

    /// The task has its window again, what programs below have left in copies is in it, and the addresses that the command
    /// has given are those of the window: records of the linkage section that have another one come back.
    ///
    /// # Errors
    /// The window has become too large, or an address is not the task's.
    pub fn finish(self, task: &mut Task) -> Result<Readdressed, ProgramFault> {
        if !self.is_to_be_finished() {
            task.window = Some(self.window.take().ok_or(ProgramFault::Host)?);
            return Ok(Readdressed::new());
        }
        let freed = self.freed(&task.storage);
        let owners = task.owners();
        let mut window = self.window.take().ok_or(ProgramFault::Host)?;
        if let Some(freed) = freed {
            window.forget_freed(freed);
        }
        let mut linkage = Readdressed::new();
        let others = self.addresses.into_inner().map(|others| *others);
        let Addresses { copies, given: others } = others.unwrap_or_default();
        let outcome = (|| {
            for (at, area) in copies {
                let bytes = area.to_vec();
                window.put(at, &bytes);
            }
            for (place, address) in self.given.take().into_iter().chain(others) {
                let at = match window.address_of(address, &owners)? {
                    Some(at) => at,
                    // What is published for an area that is not there.
                    None if address == StorageAddress::NO_AREA => NO_AREA,
                    None => of_program(&window, address)?,
                };
                match self.arguments.lies(place) {
                    Some(Lies::Pointer(to)) => {
                        window.put(to, &at.to_be_bytes()).then_some(()).ok_or(ProgramFault::Protection)?;
                    }
                    Some(Lies::Address(index)) => linkage.push((index, at)),
                    _ => return Err(ProgramFault::Protection),
                }
            }
            Ok(())
        })();
        task.window = Some(window);
        outcome.map(|()| linkage)
    }

    fn command(&self) -> Option<CommandId> {
        self.descriptor().map(|descriptor| descriptor.command())
    }

    /// Returns true if the command takes the area itself: FREEMAIN, and XCTL with the program's own COMMAREA.
    fn hands_over(&self) -> bool {
        self.frees() || self.command() == Some(cmd::XCTL)
    }

    /// Returns true if it is FREEMAIN.
    #[inline(always)]
    fn frees(&self) -> bool {
        match self.arguments {
            Arguments::Known { cell, .. } => cell.frees,
            Arguments::Passed { .. } => {
                self.command().is_some_and(|command| [cmd::FREEMAIN, cmd::FREEMAIN64].contains(&command))
            }
        }
    }

    /// The area that FREEMAIN has given back.
    fn freed(&self, storage: &TaskStorage) -> Option<StorageAddress> {
        let descriptor = self.descriptor().filter(|_| self.frees())?;
        let argument = |option| descriptor.argument(option).and_then(|place| self.argument(place));
        let address = match argument(opt::DATA) {
            Some(data) => data.address(),
            None => argument(opt::DATAPOINTER).and_then(|pointer| pointer.pointer().ok()),
        };
        address.filter(|address| storage.area(*address).is_none())
    }

    /// Its descriptor; `None` if the call of the host is no command.
    #[inline]
    pub fn descriptor(&self) -> Option<Descriptor<'u>> {
        match self.arguments {
            Arguments::Known { cell, .. } => Some(cell.descriptor()),
            Arguments::Passed { descriptor, .. } => descriptor,
        }
    }

    /// The addresses of the program's linkage records.
    fn linkage(&self) -> &'u [u32] {
        match self.arguments {
            Arguments::Known { activation, .. } => &activation.linkage,
            Arguments::Passed { linkage, .. } => linkage,
        }
    }

    /// Place of the program.
    pub fn place(&self) -> ProgramPlace {
        let (unit, program) = self.program;
        let line = match self.arguments {
            Arguments::Known { cell, .. } => cell.at,
            Arguments::Passed { line, .. } => line,
        };
        let program = unit.program(program).map(|own| own.program());
        let line = program.and_then(|program| program.lines.get(line as usize));
        let name = program.map_or_else(String::new, |program| program.name.clone());
        let line = line.map(|line| SourceLine {
            file: line.member.clone().unwrap_or_else(|| unit.source().to_owned()),
            line: line.line,
        });
        ProgramPlace { program: name, line }
    }

    /// The argument of a place in the descriptor.
    #[inline(always)]
    pub fn argument(&self, place: usize) -> Option<ProgramArgument<'_>> {
        self.arguments.lies(place).map(|lies| ProgramArgument { call: self, place, lies })
    }

    /// Reads at an address of an area that has a part of the window, or at one of the program's own, as a pointer holds it.
    ///
    /// # Errors
    /// There is no such address.
    pub fn read_at(&self, address: StorageAddress, into: &mut [u8]) -> Access {
        let at = self.window.borrow().as_ref().and_then(|window| window.within(address));
        let at = at.or_else(|| u32::try_from(address.in_host()).ok());
        self.read(at.ok_or_else(|| nowhere(0))?, into)
    }

    /// The address for the region that the pointer at a place of a list holds.
    ///
    /// # Errors
    /// There is no such place.
    pub fn pointer_of(&self, list: StorageAddress, index: usize) -> Access<StorageAddress> {
        let place = list.behind(index * POINTER).ok_or_else(|| nowhere(0))?;
        let mut pointer = [0; POINTER];
        self.read_at(place, &mut pointer)?;
        Ok(self.address_for_region(u32::from_be_bytes(pointer)))
    }

    /// An address of the window as one of the region: that of the area that a part of the window stands for.
    fn address_for_region(&self, at: u32) -> StorageAddress {
        if at == 0 {
            return StorageAddress::NULL;
        }
        let area = self.window.borrow().as_ref().and_then(|window| window.place_of(at));
        // No area of the region is there: commands refuse it as they refuse any such address.
        area.unwrap_or(StorageAddress::of_host(at as usize))
    }

    /// Writes there.
    ///
    /// # Errors
    /// There is no such address.
    pub fn write_at(&self, address: StorageAddress, bytes: &[u8]) -> Access {
        let at = self.window.borrow().as_ref().and_then(|window| window.within(address));
        self.write(at.ok_or_else(|| nowhere(0))?, bytes)
    }

    /// Writes the start of an argument that is an area, and not shorter than the bytes: whether it was.
    #[inline(always)]
    pub fn write_home(&self, place: usize, bytes: &[u8]) -> bool {
        match self.arguments.lies(place) {
            Some(Lies::Area(at, length) | Lies::Field(at, length, _)) if length as usize >= bytes.len() => {
                self.write_near(at, bytes)
            }
            _ => false,
        }
    }

    /// Makes zero of an argument that is a binary number of four bytes in what programs see of the window. Returns true if it was.
    #[inline(always)]
    pub fn write_zero(&self, place: usize) -> bool {
        match self.arguments.lies(place) {
            Some(Lies::Field(at, 4, numeric)) if is_binary(numeric) => self.write_near(at, &[0; FULLWORD]),
            _ => false,
        }
    }

    /// Reads where nearly everything lies: in what programs see of the window. `None` if it is elsewhere.
    #[inline(always)]
    fn near<T>(&self, at: u32, length: usize, read: impl FnOnce(&[u8]) -> T) -> Option<T> {
        let window = self.window.borrow();
        let at = at as usize;
        let bytes = window.as_ref()?.storage.memory().get(at..at + length).filter(|_| at >= RESERVED)?;
        Some(read(bytes))
    }

    /// The name that an argument has, as [`ProgramArgument::name`] reads it. False, and nothing is read, if it lies elsewhere than most do.
    #[inline(always)]
    pub fn name_near<const N: usize>(&self, place: usize, into: &mut [u8; N]) -> bool {
        let mut name = |bytes: &[u8]| match bytes.first_chunk::<N>() {
            Some(whole) => *into = *whole,
            None => into[..bytes.len()].copy_from_slice(bytes),
        };
        match self.arguments.lies(place) {
            Some(Lies::Area(at, length) | Lies::Field(at, length, _)) => {
                self.near(at, N.min(length as usize), name).is_some()
            }
            Some(Lies::Copy(bytes)) => {
                name(bytes);
                true
            }
            _ => false,
        }
    }

    /// The first bytes of an argument, as [`ProgramArgument::read_first`] reads them. False, and nothing is read, if it lies elsewhere than
    /// most do.
    #[inline(always)]
    pub fn fill_near(&self, place: usize, into: &mut [u8]) -> bool {
        match self.arguments.lies(place) {
            Some(Lies::Area(at, _) | Lies::Field(at, ..) | Lies::Pointer(at)) => {
                self.near(at, into.len(), |bytes| copy(bytes, into)).is_some()
            }
            _ => false,
        }
    }

    /// Writes the first bytes of an argument, as [`ProgramArgument::write_first`] does. False, and nothing is written, if it lies elsewhere
    /// than most do.
    #[inline(always)]
    pub fn put_near(&self, place: usize, bytes: &[u8]) -> bool {
        match self.arguments.lies(place) {
            Some(Lies::Area(at, _) | Lies::Field(at, ..) | Lies::Pointer(at)) => self.write_near(at, bytes),
            _ => false,
        }
    }

    /// An argument that is a whole number, or a numeric item that lies where most do. `None` if it is something else, or no number.
    #[inline(always)]
    pub fn number_near(&self, place: usize) -> Option<i64> {
        match self.arguments.lies(place)? {
            Lies::Number(number) => Some(number),
            Lies::Field(at, length, numeric) => {
                self.near(at, length as usize, |bytes| number_in(bytes, numeric).ok())?
            }
            _ => None,
        }
    }

    /// Stores a number in a numeric item that lies where most do. False, and nothing is stored, if it is something else.
    #[inline(always)]
    pub fn put_number_near(&self, place: usize, number: i64) -> bool {
        let Some(Lies::Field(at, length, numeric)) = self.arguments.lies(place) else { return false };
        let mut window = self.window.borrow_mut();
        let Some(window) = window.as_mut() else { return false };
        let at = at as usize;
        let into = window.storage.memory_mut().get_mut(at..at + length as usize).filter(|_| at >= RESERVED);
        into.map(|into| put_number(number, numeric, into)).is_some()
    }

    #[inline]
    fn read(&self, at: u32, into: &mut [u8]) -> Access {
        if let Some(window) = self.window.borrow().as_ref()
            && at as usize >= RESERVED
            && let Some(bytes) = window.storage.memory().get(at as usize..at as usize + into.len())
        {
            copy(bytes, into);
            return Ok(());
        }
        self.read_far(at, into)
    }

    #[inline(never)]
    fn read_far(&self, at: u32, into: &mut [u8]) -> Access {
        let window = self.window.borrow();
        let is_there = window.as_ref().is_some_and(|window| window.fill(at, into));
        is_there.then_some(()).ok_or_else(|| nowhere(at))
    }

    /// Writes where nearly everything lies: in what programs see of the window. False if it is elsewhere.
    #[inline(always)]
    fn write_near(&self, at: u32, bytes: &[u8]) -> bool {
        let mut window = self.window.borrow_mut();
        let Some(window) = window.as_mut() else { return false };
        let at = at as usize;
        let into = window.storage.memory_mut().get_mut(at..at + bytes.len()).filter(|_| at >= RESERVED);
        into.map(|into| copy(bytes, into)).is_some()
    }

    #[inline]
    fn write(&self, at: u32, bytes: &[u8]) -> Access {
        if self.write_near(at, bytes) { Ok(()) } else { self.write_far(at, bytes) }
    }

    #[inline(never)]
    fn write_far(&self, at: u32, bytes: &[u8]) -> Access {
        let mut window = self.window.borrow_mut();
        let is_there = window.as_mut().is_some_and(|window| window.put(at, bytes));
        is_there.then_some(()).ok_or_else(|| nowhere(at))
    }
}

/// Copies bytes, mostly few and often of a number that is known here: the library's own copy is called for any number, and so are
/// its iterators over two slices.
#[inline(always)]
#[expect(clippy::manual_memcpy, reason = "it is to be made in line")]
fn copy(from: &[u8], into: &mut [u8]) {
    let length = from.len().min(into.len());
    let (from, into) = (&from[..length], &mut into[..length]);
    for at in 0..length {
        into[at] = from[at];
    }
}

/// Value of a pointer of four bytes without such an area.
const NO_AREA: u32 = 0xFF00_0000;
/// Bytes of a pointer.
const POINTER: usize = size_of::<u32>();
/// Bytes of a number that has no field.
const FULLWORD: usize = size_of::<i32>();

/// The number of characters: digits are taken for what they seem to be, else it is the binary number that stands there.
pub(crate) fn number_of_characters(bytes: &[u8]) -> Option<i64> {
    if !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit) {
        let digit = |sum: i64, byte: &u8| sum.checked_mul(10)?.checked_add((byte - b'0').into());
        return bytes.iter().try_fold(0, digit);
    }
    match *bytes {
        [a, b, c, d] => Some(i32::from_be_bytes([a, b, c, d]).into()),
        [a, b, ..] => Some(i16::from_be_bytes([a, b]).into()),
        _ => None,
    }
}

/// The place of an address that a program has given itself: within an area, or in its own storage.
fn of_program(window: &Window, address: StorageAddress) -> Result<u32, ProgramFault> {
    match window.within(address) {
        Some(at) => Ok(at),
        None => u32::try_from(address.in_host()).map_err(|_| ProgramFault::Protection),
    }
}

fn nowhere(at: u32) -> AccessError {
    StorageFault { address: at as usize }.into()
}

/// An argument.
#[derive(Clone, Copy)]
pub(crate) struct ProgramArgument<'r> {
    call: &'r ProgramCall<'r>,
    place: usize,
    lies: Lies<'r>,
}

/// The place of an argument, or its value.
#[derive(Clone, Copy)]
enum Lies<'r> {
    Area(u32, u32),
    Field(u32, u32, Numeric),
    Pointer(u32),
    Copy(&'r [u8]),
    Address(u32),
    Number(i64),
    Label(u32),
    None,
}

impl<'r> Lies<'r> {
    fn of(passed: &'r Passed) -> Self {
        match passed {
            Passed::Area(at, length) => Self::Area(*at, *length),
            Passed::Field(at, length, numeric) => Self::Field(*at, *length, *numeric),
            Passed::Pointer(at) => Self::Pointer(*at),
            Passed::Copy(bytes) => Self::Copy(bytes),
            Passed::Address(record) => Self::Address(*record),
            Passed::Number(number) => Self::Number(*number),
            Passed::Label(label) => Self::Label(*label),
            Passed::None => Self::None,
        }
    }
}

impl<'u> Arguments<'u> {
    /// The argument at a place.
    #[inline(always)]
    fn lies(&self, place: usize) -> Option<Lies<'u>> {
        match *self {
            Self::Passed { passed, .. } => passed.get(place).map(Lies::of),
            Self::Known { cell, activation, worked_out } => Some(match cell.arguments.given.get(place)? {
                Given::Item { from, at, length, form } => {
                    let base = from.base(activation);
                    let at = base.wrapping_add(*at);
                    match form {
                        // No segment begins at the first byte of the storage.
                        _ if base == 0 => Lies::None,
                        Form::Area => Lies::Area(at, *length),
                        Form::Field(numeric) => Lies::Field(at, *length, *numeric),
                        Form::Pointer => Lies::Pointer(at),
                    }
                }
                Given::Copy(bytes) => Lies::Copy(bytes),
                Given::Number(number) => Lies::Number(*number),
                Given::Address(record) => Lies::Address(*record),
                Given::None => Lies::None,
                Given::WorkedOut(index) => Lies::of(worked_out.get(*index as usize)?),
            }),
        }
    }
}

impl ProgramArgument<'_> {
    /// Number of bytes in its field.
    pub fn size(self) -> usize {
        match self.lies {
            Lies::Area(_, length) | Lies::Field(_, length, _) => length as usize,
            Lies::Copy(bytes) => bytes.len(),
            Lies::Pointer(_) | Lies::Address(_) => POINTER,
            Lies::Number(_) | Lies::Label(_) => FULLWORD,
            Lies::None => 0,
        }
    }

    fn at(self) -> Option<u32> {
        match self.lies {
            Lies::Area(at, _) | Lies::Field(at, ..) | Lies::Pointer(at) => Some(at),
            _ => None,
        }
    }

    /// Its address for the region: the area that this part of the window stands for, or a copy, as long as LENGTH
    /// says, that comes back when the command is over.
    pub fn address(self) -> Option<StorageAddress> {
        let at = match self.lies {
            Lies::None => return Some(StorageAddress::NULL),
            _ => self.at()?,
        };
        // A program below that is run at once works on the bytes of this one.
        if let Arguments::Known { cell: Placed { links: true, .. }, .. } = self.call.arguments {
            return Some(StorageAddress::of_window(at));
        }
        // Storage that changes its owner is the region's own; what a program below works on is a copy, which comes back.
        if self.call.hands_over()
            && let Some(area) = self.call.window.borrow().as_ref()?.area_of(at)
        {
            return Some(area);
        }
        let mut addresses = self.call.addresses.borrow_mut();
        let copies = &mut addresses.get_or_insert_default().copies;
        if let Some((_, area)) = copies.iter().find(|(own, _)| *own == at) {
            return Some(StorageAddress::of(area));
        }
        let length = self.call.descriptor().and_then(|descriptor| descriptor.argument(opt::LENGTH));
        let length = length.and_then(|place| self.call.argument(place)?.number().ok());
        let length = length.and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
        // LENGTH may say anything: what is not in the window is not copied.
        let area = {
            let window = self.call.window.borrow();
            let window = window.as_ref()?;
            let size = window.present(at, self.size() as u32);
            let length = length.max(size);
            // What tasks share needs no copy.
            if let Some(place) = window.shared_place(at, length) {
                return Some(place);
            }
            Area::with(&window.read(at, length).or_else(|| window.read(at, size))?)
        };
        let address = StorageAddress::of(&area);
        copies.push((at, area));
        Some(address)
    }

    /// A name. Bytes of `into` behind its end stay as they are.
    pub fn name(self, into: &mut [u8]) -> Access {
        let length = into.len().min(self.size());
        self.read_first(&mut into[..length])
    }

    /// Its first bytes, also beyond its end where that is the task's.
    pub fn read_first(self, into: &mut [u8]) -> Access {
        let number;
        let bytes: &[u8] = match self.lies {
            Lies::Area(at, _) | Lies::Field(at, ..) | Lies::Pointer(at) => {
                return self.call.read(at, into);
            }
            Lies::Copy(bytes) => bytes,
            Lies::None => return Err(nowhere(0)),
            _ => {
                number = (self.number()? as i32).to_be_bytes();
                &number
            }
        };
        let length = into.len().min(bytes.len());
        into[..length].copy_from_slice(&bytes[..length]);
        into[length..].fill(b' ');
        Ok(())
    }

    /// The same as a value.
    pub fn first_bytes(self, length: usize) -> Access<Bytes> {
        if let Some(at) = self.at() {
            let window = self.call.window.borrow();
            let bytes = window.as_ref().and_then(|window| window.read(at, length));
            return bytes.map(|bytes| Bytes::from_slice(&bytes)).ok_or_else(|| nowhere(at));
        }
        let mut bytes = Bytes::from_elem(0, length);
        self.read_first(&mut bytes)?;
        Ok(bytes)
    }

    /// It as a whole number.
    pub fn number(self) -> Access<i64> {
        match self.lies {
            Lies::Number(number) => Ok(number),
            Lies::Label(label) => Ok(i64::from(label) + 1),
            Lies::Field(at, length, numeric) => {
                let window = self.call.window.borrow();
                let bytes = window.as_ref().and_then(|window| window.read(at, length as usize));
                number_in(&bytes.ok_or_else(|| nowhere(at))?, numeric).map_err(|_| AccessError::NotNumeric)
            }
            Lies::Area(..) | Lies::Copy(_) => {
                number_of_characters(&self.first_bytes(self.size())?).ok_or(AccessError::NotNumeric)
            }
            Lies::Pointer(_) | Lies::Address(_) => self.offset().map(i64::from),
            Lies::None => Err(nowhere(0)),
        }
    }

    fn offset(self) -> Access<u32> {
        match self.lies {
            Lies::Address(index) => {
                self.call.linkage().get(index as usize).copied().ok_or(AccessError::Missing)
            }
            Lies::Number(number) => u32::try_from(number).map_err(|_| AccessError::NotNumeric),
            _ => {
                let mut pointer = [0; POINTER];
                self.read_first(&mut pointer)?;
                Ok(u32::from_be_bytes(pointer))
            }
        }
    }

    /// It as an address of the region: that of the area that a part of the window stands for.
    pub fn pointer(self) -> Access<StorageAddress> {
        Ok(self.call.address_for_region(self.offset()?))
    }

    /// Copies bytes to its start, also beyond its end where that is the task's.
    pub fn write_first(self, bytes: &[u8]) -> Access {
        match self.at() {
            Some(at) => self.call.write(at, bytes),
            None => Err(nowhere(0)),
        }
    }

    /// Stores a number.
    pub fn write_number(self, number: i64) -> Access {
        match self.lies {
            Lies::Field(at, length, numeric) => {
                let mut window = self.call.window.borrow_mut();
                let window = window.as_mut().ok_or_else(|| nowhere(at))?;
                if let Some(into) = window.part(at, length as usize) {
                    put_number(number, numeric, into);
                    return Ok(());
                }
                let mut bytes = window.read(at, length as usize).ok_or_else(|| nowhere(at))?.into_owned();
                put_number(number, numeric, &mut bytes);
                window.put(at, &bytes).then_some(()).ok_or_else(|| nowhere(at))
            }
            // Characters take digits from the right, as a MOVE of a number would have them.
            Lies::Area(at, length) => {
                let mut digits = vec![b'0'; length as usize];
                let number = number.unsigned_abs().to_string();
                for (into, digit) in digits.iter_mut().rev().zip(number.bytes().rev()) {
                    *into = digit;
                }
                self.call.write(at, &digits)
            }
            Lies::None => Err(nowhere(0)),
            // A constant that a command would give a value to is left alone.
            _ => Ok(()),
        }
    }

    /// An address that the command gives: it becomes one of the window when the command is over.
    pub fn write_pointer(self, address: StorageAddress) -> Access {
        match self.call.given.get() {
            None => self.call.given.set(Some((self.place, address))),
            Some(_) => {
                let mut addresses = self.call.addresses.borrow_mut();
                addresses.get_or_insert_default().given.push((self.place, address));
            }
        }
        Ok(())
    }
}
