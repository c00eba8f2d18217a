//! The parameters of the CALL, behind descriptor and SQLCA: in the program's storage, or copied for another thread.

use areas::{AccessError, StorageFault};
use attachment::{Arguments, Reach, Unreachable};
use db2::call::{Descriptor, IN_FRONT, LENGTH};
use db2::package::Statement;
use kernel::raise::{Outcome, Raise};
use kernel::services::ServiceCall;

/// The abend of a program that CALLs the service as no compiler does.
pub(crate) const NO_STATEMENT: &str = "AEY9";

/// The arguments of a program's CALL. Addresses are those of its own storage.
pub trait CallArguments {
    /// Number of arguments.
    fn count(&self) -> usize;
    /// Size of an argument in bytes; `None` if it has no storage.
    fn size(&self, argument: usize) -> Option<usize>;
    /// Fills bytes from a place in an argument, also beyond its end where that is the program's; whether it could.
    fn read(&self, argument: usize, offset: usize, into: &mut [u8]) -> bool;
    /// Writes bytes to a place in an argument; whether it could.
    fn write(&self, argument: usize, offset: usize, bytes: &[u8]) -> bool;

    /// Fills bytes from what a pointer leads to; whether all of it is the program's.
    fn read_at(&self, pointer: u32, into: &mut [u8]) -> bool;

    /// Writes bytes to what a pointer leads to; whether all of it is the program's.
    fn write_at(&self, pointer: u32, bytes: &[u8]) -> bool;
}

impl CallArguments for ServiceCall<'_> {
    fn count(&self) -> usize {
        self.arg_count()
    }

    fn size(&self, argument: usize) -> Option<usize> {
        self.size(argument)
    }

    fn read(&self, argument: usize, offset: usize, into: &mut [u8]) -> bool {
        self.read(argument, offset, into)
    }

    fn write(&self, argument: usize, offset: usize, bytes: &[u8]) -> bool {
        self.write(argument, offset, bytes)
    }

    fn read_at(&self, pointer: u32, into: &mut [u8]) -> bool {
        self.read_at(pointer, into)
    }

    fn write_at(&self, pointer: u32, bytes: &[u8]) -> bool {
        self.write_at(pointer, bytes)
    }
}

/// The CALL of a program.
#[derive(Clone, Copy)]
pub(crate) struct Called<'c>(pub(crate) &'c dyn CallArguments);

impl Called<'_> {
    /// The statement that it is of.
    ///
    /// # Errors
    /// The abend of a program that CALLs the service as no compiler does.
    pub(crate) fn descriptor(&self) -> Outcome<Descriptor> {
        let mut bytes = [0; LENGTH];
        self.read(0, 0, &mut bytes)?;
        Descriptor::new(&bytes).ok_or_else(|| Raise::abend(NO_STATEMENT))
    }

    /// Number of arguments.
    pub(crate) fn arg_count(&self) -> usize {
        self.0.count()
    }

    /// The number that an argument is: a fullword or a halfword.
    pub(crate) fn number(&self, argument: usize) -> Result<i64, AccessError> {
        let call = self.0;
        let mut bytes = [0; size_of::<i32>()];
        let length = call.size(argument).ok_or(AccessError::Missing)?;
        let into = bytes.get_mut(..length).ok_or(AccessError::NotNumeric)?;
        if !call.read(argument, 0, into) {
            return Err(nowhere(0));
        }
        match *into {
            [high, low] => Ok(i16::from_be_bytes([high, low]).into()),
            [_, _, _, _] => Ok(i32::from_be_bytes(bytes).into()),
            _ => Err(AccessError::NotNumeric),
        }
    }

    /// Fills bytes from a place in an argument, from 0.
    pub(crate) fn read(&self, argument: usize, offset: usize, into: &mut [u8]) -> Result<(), AccessError> {
        self.0.read(argument, offset, into).then_some(()).ok_or_else(|| nowhere(offset))
    }

    /// Writes bytes to a place in an argument.
    pub(crate) fn write(&self, argument: usize, offset: usize, bytes: &[u8]) -> Result<(), AccessError> {
        self.0.write(argument, offset, bytes).then_some(()).ok_or_else(|| nowhere(offset))
    }

    /// A copy of an argument.
    pub(crate) fn bytes(&self, argument: usize) -> Result<Vec<u8>, AccessError> {
        let mut bytes = vec![0; self.0.size(argument).ok_or(AccessError::Missing)?];
        self.read(argument, 0, &mut bytes)?;
        Ok(bytes)
    }
}

fn nowhere(offset: usize) -> AccessError {
    StorageFault { address: offset }.into()
}

/// Those of a program that runs on this thread.
pub(crate) struct InPlace<'c>(pub(crate) &'c Called<'c>);

impl Arguments for InPlace<'_> {
    fn read(&self, argument: u16, offset: usize, into: &mut [u8]) -> Result<(), Unreachable> {
        let read = self.0.read(usize::from(argument) + IN_FRONT, offset, into);
        read.map_err(|_| Unreachable { argument, offset })
    }

    fn write(&mut self, argument: u16, offset: usize, bytes: &[u8]) -> Result<(), Unreachable> {
        let written = self.0.write(usize::from(argument) + IN_FRONT, offset, bytes);
        written.map_err(|_| Unreachable { argument, offset })
    }

    fn read_at(&self, address: usize, into: &mut [u8]) -> bool {
        u32::try_from(address).is_ok_and(|pointer| self.0.0.read_at(pointer, into))
    }

    fn write_at(&mut self, address: usize, bytes: &[u8]) -> bool {
        u32::try_from(address).is_ok_and(|pointer| self.0.0.write_at(pointer, bytes))
    }
}

/// Those of a program on another thread than its task's sessions: they go there and come back.
pub(crate) struct Copied {
    parameters: Vec<Vec<u8>>,
    /// Parts that were written: parameter, offset, length.
    written: Vec<(u16, usize, usize)>,
    /// Places that an SQLDA among them leads to.
    places: Vec<Place>,
}

/// Bytes at an address that the program gave.
struct Place {
    address: usize,
    bytes: Vec<u8>,
    is_written: bool,
}

impl Copied {
    /// Copies all that a statement reaches.
    ///
    /// # Errors
    /// One of the parameters is not the program's.
    pub(crate) fn of(call: &Called<'_>, statement: Option<&Statement>) -> Result<Self, AccessError> {
        let parameters = (IN_FRONT..call.arg_count())
            .map(|number| call.bytes(number))
            .collect::<Result<_, AccessError>>()?;
        let mut copied = Self { parameters, written: Vec::new(), places: Vec::new() };
        if let Some(reach) = statement.and_then(|statement| Reach::of(statement, &InPlace(call))) {
            copied.follow(&reach, call);
        }
        Ok(copied)
    }

    /// Copies an SQLDA and what it leads to, as far as that is the program's.
    fn follow(&mut self, reach: &Reach, call: &Called<'_>) {
        let own = InPlace(call);
        if let Some(area) = self.parameters.get_mut(usize::from(reach.argument)) {
            for &end in reach.ends.iter().filter(|end| **end > area.len()).collect::<Vec<_>>() {
                let start = area.len();
                area.resize(end, 0);
                if own.read(reach.argument, start, &mut area[start..]).is_err() {
                    area.truncate(start);
                    break;
                }
            }
        }
        for &(address, length) in &reach.places {
            let mut bytes = vec![0; length];
            if own.read_at(address, &mut bytes) {
                self.places.push(Place { address, bytes, is_written: false });
            }
        }
    }

    /// Writes what was written into the program's own.
    ///
    /// # Errors
    /// One of them is not the program's.
    pub(crate) fn put_back(&self, call: &Called<'_>) -> Result<(), Unreachable> {
        let mut own = InPlace(call);
        for &(argument, offset, length) in &self.written {
            own.write(argument, offset, &self.parameters[usize::from(argument)][offset..offset + length])?;
        }
        for Place { address, bytes, .. } in self.places.iter().filter(|place| place.is_written) {
            // It was the program's when it was copied, and the program has not run since.
            own.write_at(*address, bytes);
        }
        Ok(())
    }
}

impl Arguments for Copied {
    fn read(&self, argument: u16, offset: usize, into: &mut [u8]) -> Result<(), Unreachable> {
        let parameter = self.parameters.get(usize::from(argument));
        let bytes = parameter.and_then(|bytes| bytes.get(offset..offset + into.len()));
        into.copy_from_slice(bytes.ok_or(Unreachable { argument, offset })?);
        Ok(())
    }

    fn write(&mut self, argument: u16, offset: usize, bytes: &[u8]) -> Result<(), Unreachable> {
        let parameter = self.parameters.get_mut(usize::from(argument));
        let place = parameter.and_then(|place| place.get_mut(offset..offset + bytes.len()));
        place.ok_or(Unreachable { argument, offset })?.copy_from_slice(bytes);
        self.written.push((argument, offset, bytes.len()));
        Ok(())
    }

    fn read_at(&self, address: usize, into: &mut [u8]) -> bool {
        let is_it = |place: &&Place| place.address == address && place.bytes.len() == into.len();
        let Some(place) = self.places.iter().find(is_it) else { return false };
        into.copy_from_slice(&place.bytes);
        true
    }

    fn write_at(&mut self, address: usize, bytes: &[u8]) -> bool {
        let is_it = |place: &&mut Place| place.address == address && place.bytes.len() == bytes.len();
        let Some(place) = self.places.iter_mut().find(is_it) else { return false };
        place.bytes.copy_from_slice(bytes);
        place.is_written = true;
        true
    }
}
