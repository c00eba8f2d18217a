//! The arguments of one CALL, by their places: the function's name is 0.
//!
//! Programs pass addresses: a halfword is two bytes there, a fullword four, both big-endian, whatever the field is called.
//! Only a binary field of another size or order is taken by its own type, so that COMP-5 works, too.

use cobol::{Arg, ServiceCall};
use ebcdic::Characters;
use kernel::raise::Raise;
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

/// The arguments of a CALL.
#[derive(Clone, Copy)]
pub struct Arguments<'a>(ServiceCall<'a>);

const HALFWORD: usize = 2;
const FULLWORD: usize = 4;
/// Bytes of the longest number that a program can have.
const WIDEST: usize = size_of::<i64>();

impl<'a> Arguments<'a> {
    /// Those of a call.
    pub fn new(call: ServiceCall<'a>) -> Self {
        Self(call)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.arg_count()
    }

    /// One of them.
    ///
    /// # Errors
    /// ASRA if it is not there.
    pub fn arg(&self, at: usize) -> Done<Arg<'_>> {
        Ok(self.0.arg(at)?)
    }

    /// Whether it is there, and not OMITTED.
    pub fn has(&self, at: usize) -> bool {
        self.0.arg(at).is_ok()
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
        let arg = self.arg(at)?;
        let (size, big_endian) = shape(&arg, bytes);
        let mut field = [0; WIDEST];
        arg.read_first(&mut field[..size])?;
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
        let arg = self.arg(at)?;
        let (size, big_endian) = shape(&arg, bytes);
        let field = if big_endian { (value << unused_bits(size)).to_be_bytes() } else { value.to_le_bytes() };
        Ok(arg.write_first(&field[..size])?)
    }

    /// `length` bytes from the argument's first on.
    ///
    /// # Errors
    /// ASRA if that much is no storage.
    pub fn bytes(&self, at: usize, length: usize) -> Done<Bytes> {
        self.bytes_at(self.arg(at)?.address(), length)
    }

    /// Fills a whole array from the argument.
    ///
    /// # Errors
    /// ASRA if that much is no storage.
    pub fn array<const N: usize>(&self, at: usize) -> Done<[u8; N]> {
        let mut bytes = [0; N];
        self.arg(at)?.read_first(&mut bytes)?;
        Ok(bytes)
    }

    /// `length` bytes from an address on.
    ///
    /// # Errors
    /// ASRA if that much is no storage.
    pub fn bytes_at(&self, address: usize, length: usize) -> Done<Bytes> {
        let mut bytes = Bytes::from_elem(0, length);
        self.0.read(address, &mut bytes)?;
        Ok(bytes)
    }

    /// Writes bytes from the argument's first on.
    ///
    /// # Errors
    /// ASRA if that much is no storage.
    pub fn put(&self, at: usize, bytes: &[u8]) -> Done {
        Ok(self.0.write(self.arg(at)?.address(), bytes)?)
    }

    /// Writes bytes from an address on.
    ///
    /// # Errors
    /// ASRA if that much is no storage.
    pub fn put_at(&self, address: usize, bytes: &[u8]) -> Done {
        Ok(self.0.write(address, bytes)?)
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
