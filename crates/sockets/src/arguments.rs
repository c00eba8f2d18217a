//! The arguments of one CALL, by their places: the function's name is 0.
//!
//! Programs pass addresses: a halfword is two bytes there, a fullword four, both big-endian, whatever the field is called.
//! Only a binary field of a hosted program that has another size or order is taken by its own type, so that COMP-5 works
//! there, too.
//!
//! An address is one of a hosted program's storage, or of a natively compiled program's window.

use cobol::{Arg, Kind, ServiceCall};
use ebcdic::Characters;
use kernel::raise::Raise;
use kernel::services::OwnService;
use kernel::storage::StorageAddress;
use smallvec::SmallVec;

use crate::errno::Errno;

/// Bytes copied from a program.
pub type Bytes = SmallVec<[u8; 64]>;

/// Why a call does not do what it should.
#[derive(Debug)]
pub enum Failure {
    /// RETCODE is -1, and this is ERRNO.
    Errno(Errno),
    /// The task abends.
    Raise(Raise),
}

/// What a failure is where there is no ERRNO for it.
impl From<Failure> for Raise {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Raise(raise) => raise,
            Failure::Errno(_) => bad_storage(),
        }
    }
}

impl From<Errno> for Failure {
    fn from(errno: Errno) -> Self {
        Self::Errno(errno)
    }
}

impl From<rustix::io::Errno> for Failure {
    fn from(errno: rustix::io::Errno) -> Self {
        Self::Errno(errno.into())
    }
}

impl From<Raise> for Failure {
    fn from(raise: Raise) -> Self {
        Self::Raise(raise)
    }
}

impl From<cobol::AccessError> for Failure {
    fn from(_: cobol::AccessError) -> Self {
        Self::Raise(bad_storage())
    }
}

impl From<cobol::StorageFault> for Failure {
    fn from(_: cobol::StorageFault) -> Self {
        Self::Raise(bad_storage())
    }
}

/// The outcome of a part of a call.
pub type Done<T = ()> = Result<T, Failure>;

/// An address that is no storage, or a parameter that is not there, is the program's fault.
fn bad_storage() -> Raise {
    Raise::abend("ASRA")
}

/// The CALL of a program.
#[derive(Clone, Copy)]
pub(crate) enum Called<'a> {
    /// Of a hosted one.
    Hosted(ServiceCall<'a>),
    /// Of a natively compiled one.
    Own(&'a OwnService<'a>),
}

/// The arguments of a CALL.
#[derive(Clone, Copy)]
pub struct Arguments<'a>(Called<'a>);

const HALFWORD: usize = 2;
const FULLWORD: usize = 4;
/// Bytes of the longest number that a program can have.
const WIDEST: usize = size_of::<i64>();
/// Bytes of a pointer of a natively compiled program, as published.
const OWN_POINTER: usize = size_of::<u32>();

impl<'a> Arguments<'a> {
    /// Those of a call.
    pub(crate) fn new(call: Called<'a>) -> Self {
        Self(call)
    }

    /// The natively compiled program's call, if it is one.
    pub fn own(&self) -> Option<&'a OwnService<'a>> {
        match self.0 {
            Called::Hosted(_) => None,
            Called::Own(call) => Some(call),
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        match self.0 {
            Called::Hosted(call) => call.arg_count(),
            Called::Own(call) => call.arg_count(),
        }
    }

    /// Whether it is there, and not OMITTED.
    pub fn has(&self, at: usize) -> bool {
        match self.0 {
            Called::Hosted(call) => call.arg(at).is_ok(),
            Called::Own(call) => call.size(at).is_some(),
        }
    }

    /// A halfword: a socket, a length.
    ///
    /// # Errors
    /// ASRA if it is no storage.
    pub fn halfword(&self, at: usize) -> Done<u16> {
        Ok(self.number(at, HALFWORD)? as u16)
    }

    /// A fullword.
    ///
    /// # Errors
    /// ASRA if it is no storage.
    pub fn fullword(&self, at: usize) -> Done<i32> {
        Ok(self.number(at, FULLWORD)? as i32)
    }

    /// A number of as many bytes as the interface says, or as the field has; without a sign.
    fn number(&self, at: usize, bytes: usize) -> Done<i64> {
        let mut field = [0; WIDEST];
        let (size, big_endian) = match self.0 {
            Called::Hosted(call) => {
                let arg = call.arg(at)?;
                let (size, big_endian) = shape(&arg, bytes);
                arg.read_first(&mut field[..size])?;
                (size, big_endian)
            }
            Called::Own(call) => {
                is_storage(call.read(at, 0, &mut field[..bytes]))?;
                (bytes, true)
            }
        };
        let number = if big_endian {
            u64::from_be_bytes(field) >> unused_bits(size)
        } else {
            u64::from_le_bytes(field)
        };
        Ok(number.cast_signed())
    }

    /// A fullword, or a pointer where the program has one: a handle that it only passes on.
    ///
    /// # Errors
    /// ASRA if it is no storage.
    pub fn handle(&self, at: usize) -> Done<usize> {
        Ok(self.number(at, FULLWORD)? as usize)
    }

    /// Writes a handle.
    ///
    /// # Errors
    /// ASRA if it is no storage.
    pub fn put_handle(&self, at: usize, handle: usize) -> Done {
        self.put_number(at, handle as i64, FULLWORD)
    }

    /// Writes a fullword.
    ///
    /// # Errors
    /// ASRA if it is no storage.
    pub fn put_fullword(&self, at: usize, value: i32) -> Done {
        self.put_number(at, value.into(), FULLWORD)
    }

    /// Writes a halfword.
    ///
    /// # Errors
    /// ASRA if it is no storage.
    pub fn put_halfword(&self, at: usize, value: u16) -> Done {
        self.put_number(at, value.into(), HALFWORD)
    }

    fn put_number(&self, at: usize, value: i64, bytes: usize) -> Done {
        let highest_first = |size| (value << unused_bits(size)).to_be_bytes();
        match self.0 {
            Called::Hosted(call) => {
                let arg = call.arg(at)?;
                let (size, big_endian) = shape(&arg, bytes);
                let field = if big_endian { highest_first(size) } else { value.to_le_bytes() };
                Ok(arg.write_first(&field[..size])?)
            }
            Called::Own(call) => is_storage(call.write(at, 0, &highest_first(bytes)[..bytes])),
        }
    }

    /// The argument's first bytes: as many as there is room for, at most all; returns how many.
    ///
    /// # Errors
    /// ASRA if it is no storage.
    pub fn first(&self, at: usize, into: &mut [u8]) -> Done<usize> {
        match self.0 {
            Called::Hosted(call) => Ok(call.arg(at)?.read(into)?),
            Called::Own(call) => {
                let length = call.size(at).ok_or_else(bad_storage)?.min(into.len());
                is_storage(call.read(at, 0, &mut into[..length]))?;
                Ok(length)
            }
        }
    }

    /// `length` bytes from the argument's first on.
    ///
    /// # Errors
    /// ASRA if that much is no storage.
    pub fn bytes(&self, at: usize, length: usize) -> Done<Bytes> {
        let mut bytes = Bytes::from_elem(0, length);
        self.fill(at, &mut bytes)?;
        Ok(bytes)
    }

    /// Fills a whole array from the argument.
    ///
    /// # Errors
    /// ASRA if that much is no storage.
    pub fn array<const N: usize>(&self, at: usize) -> Done<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(at, &mut bytes)?;
        Ok(bytes)
    }

    fn fill(&self, at: usize, into: &mut [u8]) -> Done {
        match self.0 {
            Called::Hosted(call) => Ok(call.arg(at)?.read_first(into)?),
            Called::Own(call) => is_storage(call.read(at, 0, into)),
        }
    }

    /// Writes bytes from the argument's first on.
    ///
    /// # Errors
    /// ASRA if that much is no storage.
    pub fn put(&self, at: usize, bytes: &[u8]) -> Done {
        match self.0 {
            Called::Hosted(call) => Ok(call.arg(at)?.write_first(bytes)?),
            Called::Own(call) => is_storage(call.write(at, 0, bytes)),
        }
    }

    /// The address of an argument.
    ///
    /// # Errors
    /// ASRA if it is no storage of the program.
    pub fn address(&self, at: usize) -> Done<usize> {
        match self.0 {
            Called::Hosted(call) => Ok(call.arg(at)?.address()),
            Called::Own(call) => Ok(call.address(at).ok_or_else(bad_storage)? as usize),
        }
    }

    /// Where an argument is for the region, and for other tasks.
    ///
    /// # Errors
    /// ASRA if it is no storage of the program.
    pub fn place(&self, at: usize) -> Done<StorageAddress> {
        let address = self.address(at)?;
        Ok(match self.0 {
            Called::Hosted(_) => StorageAddress::of_host(address),
            Called::Own(call) => call.place(address as u32),
        })
    }

    /// How many bytes a pointer has in the program.
    pub fn pointer_length(&self) -> usize {
        match self.0 {
            Called::Hosted(_) => size_of::<usize>(),
            Called::Own(_) => OWN_POINTER,
        }
    }

    /// The address that an argument holds if it is a pointer; none of one that is something else.
    ///
    /// # Errors
    /// ASRA if it is no storage.
    pub fn pointer(&self, at: usize) -> Done<Option<usize>> {
        match self.0 {
            Called::Hosted(call) => {
                let arg = call.arg(at)?;
                Ok(if arg.kind() == Kind::Pointer { Some(arg.pointer()?) } else { None })
            }
            Called::Own(call) if call.size(at) == Some(OWN_POINTER) => {
                Ok(Some(self.pointer_at(call.address(at).ok_or_else(bad_storage)? as usize)?))
            }
            Called::Own(_) => Ok(None),
        }
    }

    /// The address that a pointer holds which stands at an address.
    ///
    /// # Errors
    /// ASRA if that is no storage.
    pub fn pointer_at(&self, address: usize) -> Done<usize> {
        let bytes = self.bytes_at(address, self.pointer_length())?;
        Ok(self.pointer_of(&bytes))
    }

    /// What the bytes of a pointer say.
    pub fn pointer_of(&self, bytes: &[u8]) -> usize {
        match self.0 {
            Called::Hosted(_) => bytes.try_into().map_or(0, usize::from_ne_bytes),
            Called::Own(_) => bytes.try_into().map_or(0, |bytes| u32::from_be_bytes(bytes) as usize),
        }
    }

    /// `length` bytes from an address on.
    ///
    /// # Errors
    /// ASRA if that much is no storage.
    pub fn bytes_at(&self, address: usize, length: usize) -> Done<Bytes> {
        let mut bytes = Bytes::from_elem(0, length);
        match self.0 {
            Called::Hosted(call) => call.read(address, &mut bytes)?,
            Called::Own(call) => is_storage(call.read_at(in_window(address)?, &mut bytes))?,
        }
        Ok(bytes)
    }

    /// Writes bytes from an address on.
    ///
    /// # Errors
    /// ASRA if that much is no storage.
    pub fn put_at(&self, address: usize, bytes: &[u8]) -> Done {
        match self.0 {
            Called::Hosted(call) => Ok(call.write(address, bytes)?),
            Called::Own(call) => is_storage(call.write_at(in_window(address)?, bytes)),
        }
    }

    /// A text: without what stands behind its first zero byte, and without blanks there.
    ///
    /// # Errors
    /// ASRA if that much is no storage.
    pub fn text(&self, at: usize, length: usize) -> Done<String> {
        Ok(text(&self.bytes(at, length)?))
    }

    /// A text that a zero byte ends, from an address on; at most `most` bytes.
    ///
    /// # Errors
    /// ASRA if it is no storage.
    pub fn text_at(&self, address: usize, most: usize) -> Done<String> {
        let mut bytes = Bytes::new();
        // Byte by byte: what stands behind the text need not be storage.
        while bytes.len() < most {
            match self.bytes_at(address + bytes.len(), 1)?[0] {
                0 => break,
                byte => bytes.push(byte),
            }
        }
        Ok(text(&bytes))
    }

    /// Ends a call: RETCODE is the last argument, ERRNO the one before it.
    ///
    /// # Errors
    /// The abend of the task.
    pub fn finish(&self, result: Done<i64>) -> Result<(), Raise> {
        let (errno, retcode) = match result {
            Ok(value) => (0, value),
            Err(Failure::Errno(errno)) => (errno.0, -1),
            Err(failure) => return Err(failure.into()),
        };
        let last = self.count() - 1;
        raised(self.put_fullword(last - 1, errno))?;
        raised(self.put_fullword(last, retcode as i32))
    }

    /// Ends a call that has RETCODE, but no ERRNO.
    ///
    /// # Errors
    /// The abend of the task.
    pub fn finish_without_errno(&self, result: Done<i64>) -> Result<(), Raise> {
        let retcode = match result {
            Ok(value) => value,
            Err(Failure::Errno(_)) => -1,
            Err(failure) => return Err(failure.into()),
        };
        raised(self.put_fullword(self.count() - 1, retcode as i32))
    }
}

fn is_storage(is_it: bool) -> Done {
    if is_it { Ok(()) } else { Err(bad_storage().into()) }
}

/// An address of a window, which has four bytes.
fn in_window(address: usize) -> Done<u32> {
    u32::try_from(address).map_err(|_| bad_storage().into())
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    Characters::default().text(bytes[..end].trim_ascii())
}

fn raised(outcome: Done) -> Result<(), Raise> {
    outcome.map_err(Raise::from)
}

/// How many bytes a number has, and in which order.
#[inline]
fn shape(arg: &Arg<'_>, bytes: usize) -> (usize, bool) {
    match arg.highest_byte_first() {
        Some(first) => (arg.size().clamp(1, WIDEST), first),
        None => (bytes, true),
    }
}

/// How many bits of the widest number one of so many bytes leaves.
fn unused_bits(size: usize) -> u32 {
    8 * (WIDEST - size) as u32
}
