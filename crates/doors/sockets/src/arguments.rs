//! The arguments of one CALL, by their places: the function's name is 0.
//!
//! Programs pass addresses: a halfword is two bytes there, a fullword four, both big-endian, whatever the field is called.
//!
//! An address is one of the task's window.

use ebcdic::Characters;
use kernel::raise::Raise;
use kernel::services::ServiceCall;
use kernel::storage::StorageAddress;
use smallvec::SmallVec;

use crate::errno::Errno;

/// Bytes copied from a program.
pub type Bytes = SmallVec<[u8; 64]>;

/// The reason why a call does not do what it should.
#[derive(Debug)]
pub enum Failure {
    /// RETCODE is -1, and this is ERRNO.
    Errno(Errno),
    /// The task abends.
    Raise(Raise),
}

/// The raise for a failure that no ERRNO reports.
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

impl From<areas::AccessError> for Failure {
    fn from(_: areas::AccessError) -> Self {
        Self::Raise(bad_storage())
    }
}

impl From<areas::StorageFault> for Failure {
    fn from(_: areas::StorageFault) -> Self {
        Self::Raise(bad_storage())
    }
}

/// The outcome of a part of a call.
pub type Done<T = ()> = Result<T, Failure>;

/// The failure for an address that is not storage, or a missing parameter: the program's fault.
fn bad_storage() -> Raise {
    Raise::abend("ASRA")
}

/// The arguments of a CALL.
#[derive(Clone, Copy)]
pub struct Arguments<'a>(&'a ServiceCall<'a>);

const HALFWORD: usize = 2;
const FULLWORD: usize = 4;
/// Bytes of the longest number that a program can have.
const WIDEST: usize = size_of::<i64>();
/// Bytes of a pointer.
const POINTER: usize = size_of::<u32>();

impl<'a> Arguments<'a> {
    /// Those of a call.
    pub(crate) fn new(call: &'a ServiceCall<'a>) -> Self {
        Self(call)
    }

    /// The call itself.
    pub fn call(&self) -> &'a ServiceCall<'a> {
        self.0
    }

    /// The number of arguments.
    pub fn count(&self) -> usize {
        self.0.arg_count()
    }

    /// Returns true if it is there, and not OMITTED.
    pub fn has(&self, at: usize) -> bool {
        self.0.size(at).is_some()
    }

    /// A halfword: a socket, a length.
    ///
    /// # Errors
    /// ASRA if it is not storage.
    pub fn halfword(&self, at: usize) -> Done<u16> {
        Ok(self.number(at, HALFWORD)? as u16)
    }

    /// A fullword.
    ///
    /// # Errors
    /// ASRA if it is not storage.
    pub fn fullword(&self, at: usize) -> Done<i32> {
        Ok(self.number(at, FULLWORD)? as i32)
    }

    /// A number of this many bytes, without a sign.
    fn number(&self, at: usize, bytes: usize) -> Done<i64> {
        let mut field = [0; WIDEST];
        is_storage(self.0.read(at, 0, &mut field[..bytes]))?;
        Ok((u64::from_be_bytes(field) >> unused_bits(bytes)).cast_signed())
    }

    /// A fullword, or a pointer where the program has one: a handle that it only passes on.
    ///
    /// # Errors
    /// ASRA if it is not storage.
    pub fn handle(&self, at: usize) -> Done<usize> {
        Ok(self.number(at, FULLWORD)? as usize)
    }

    /// Writes a handle.
    ///
    /// # Errors
    /// ASRA if it is not storage.
    pub fn put_handle(&self, at: usize, handle: usize) -> Done {
        self.put_number(at, handle as i64, FULLWORD)
    }

    /// Writes a fullword.
    ///
    /// # Errors
    /// ASRA if it is not storage.
    pub fn put_fullword(&self, at: usize, value: i32) -> Done {
        self.put_number(at, value.into(), FULLWORD)
    }

    /// Writes a halfword.
    ///
    /// # Errors
    /// ASRA if it is not storage.
    pub fn put_halfword(&self, at: usize, value: u16) -> Done {
        self.put_number(at, value.into(), HALFWORD)
    }

    fn put_number(&self, at: usize, value: i64, bytes: usize) -> Done {
        is_storage(self.0.write(at, 0, &(value << unused_bits(bytes)).to_be_bytes()[..bytes]))
    }

    /// The argument's first bytes: as many as there is room for, at most all; returns how many.
    ///
    /// # Errors
    /// ASRA if it is not storage.
    pub fn first(&self, at: usize, into: &mut [u8]) -> Done<usize> {
        let length = self.0.size(at).ok_or_else(bad_storage)?.min(into.len());
        is_storage(self.0.read(at, 0, &mut into[..length]))?;
        Ok(length)
    }

    /// `length` bytes from the argument's first on.
    ///
    /// # Errors
    /// ASRA if that many bytes are not storage.
    pub fn bytes(&self, at: usize, length: usize) -> Done<Bytes> {
        let mut bytes = Bytes::from_elem(0, length);
        self.fill(at, &mut bytes)?;
        Ok(bytes)
    }

    /// Fills a whole array from the argument.
    ///
    /// # Errors
    /// ASRA if that many bytes are not storage.
    pub fn array<const N: usize>(&self, at: usize) -> Done<[u8; N]> {
        let mut bytes = [0; N];
        self.fill(at, &mut bytes)?;
        Ok(bytes)
    }

    fn fill(&self, at: usize, into: &mut [u8]) -> Done {
        is_storage(self.0.read(at, 0, into))
    }

    /// Writes bytes from the argument's first on.
    ///
    /// # Errors
    /// ASRA if that many bytes are not storage.
    pub fn put(&self, at: usize, bytes: &[u8]) -> Done {
        is_storage(self.0.write(at, 0, bytes))
    }

    /// The address of an argument.
    ///
    /// # Errors
    /// ASRA if it is not storage of the program.
    pub fn address(&self, at: usize) -> Done<usize> {
        Ok(self.0.address(at).ok_or_else(bad_storage)? as usize)
    }

    /// The address of an argument for the region and for other tasks.
    ///
    /// # Errors
    /// ASRA if it is not storage of the program.
    pub fn place(&self, at: usize) -> Done<StorageAddress> {
        Ok(self.0.place(self.0.address(at).ok_or_else(bad_storage)?))
    }

    /// The length of a pointer in the program, in bytes.
    pub fn pointer_length(&self) -> usize {
        POINTER
    }

    /// The address that an argument holds if it is a pointer; `None` if it is something else.
    ///
    /// # Errors
    /// ASRA if it is not storage.
    pub fn pointer(&self, at: usize) -> Done<Option<usize>> {
        if self.0.size(at) != Some(POINTER) {
            return Ok(None);
        }
        Ok(Some(self.pointer_at(self.address(at)?)?))
    }

    /// The address that the pointer at an address holds.
    ///
    /// # Errors
    /// ASRA if that is not storage.
    pub fn pointer_at(&self, address: usize) -> Done<usize> {
        let bytes = self.bytes_at(address, self.pointer_length())?;
        Ok(self.pointer_of(&bytes))
    }

    /// The pointer that these bytes hold.
    pub fn pointer_of(&self, bytes: &[u8]) -> usize {
        bytes.try_into().map_or(0, |bytes| u32::from_be_bytes(bytes) as usize)
    }

    /// `length` bytes from an address on.
    ///
    /// # Errors
    /// ASRA if that many bytes are not storage.
    pub fn bytes_at(&self, address: usize, length: usize) -> Done<Bytes> {
        let mut bytes = Bytes::from_elem(0, length);
        is_storage(self.0.read_at(in_window(address)?, &mut bytes))?;
        Ok(bytes)
    }

    /// Writes bytes from an address on.
    ///
    /// # Errors
    /// ASRA if that many bytes are not storage.
    pub fn put_at(&self, address: usize, bytes: &[u8]) -> Done {
        is_storage(self.0.write_at(in_window(address)?, bytes))
    }

    /// A text: without the bytes from its first zero byte on, and without blanks at its end.
    ///
    /// # Errors
    /// ASRA if that many bytes are not storage.
    pub fn text(&self, at: usize, length: usize) -> Done<String> {
        Ok(text(&self.bytes(at, length)?))
    }

    /// A text that a zero byte ends, from an address on; at most `most` bytes.
    ///
    /// # Errors
    /// ASRA if it is not storage.
    pub fn text_at(&self, address: usize, most: usize) -> Done<String> {
        let mut bytes = Bytes::new();
        // Byte by byte: the bytes after the text need not be storage.
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

/// The number of bits of the widest number that a number of `size` bytes does not use.
fn unused_bits(size: usize) -> u32 {
    8 * (WIDEST - size) as u32
}
