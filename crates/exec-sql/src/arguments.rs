//! The parameters of the CALL, behind descriptor and SQLCA: in the program's storage, or copied for another thread.

use attachment::{Arguments, Unreachable};
use cobol::{AccessError, ServiceCall};
use db2::call::IN_FRONT;

/// Those of a program that runs on this thread.
pub(crate) struct InPlace<'c>(pub(crate) &'c ServiceCall<'c>);

impl InPlace<'_> {
    fn address(&self, argument: u16) -> Option<usize> {
        self.0.arg(usize::from(argument) + IN_FRONT).ok().map(|field| field.address())
    }
}

impl Arguments for InPlace<'_> {
    fn read(&self, argument: u16, offset: usize, into: &mut [u8]) -> Result<(), Unreachable> {
        let read = self.address(argument).map(|address| self.0.read(address + offset, into));
        read.and_then(Result::ok).ok_or(Unreachable { argument, offset })
    }

    fn write(&mut self, argument: u16, offset: usize, bytes: &[u8]) -> Result<(), Unreachable> {
        let written = self.address(argument).map(|address| self.0.write(address + offset, bytes));
        written.and_then(Result::ok).ok_or(Unreachable { argument, offset })
    }
}

/// Those of a program on another thread than its task's sessions: they go there and come back.
pub(crate) struct Copied {
    parameters: Vec<Vec<u8>>,
    /// What was written: parameter, offset, length.
    written: Vec<(u16, usize, usize)>,
}

impl Copied {
    /// Copies all.
    ///
    /// # Errors
    /// One of them is not the program's.
    pub(crate) fn of(call: &ServiceCall<'_>) -> Result<Self, AccessError> {
        let copy = |number| Ok(call.arg(number)?.bytes()?.to_vec());
        let parameters = (IN_FRONT..call.arg_count()).map(copy).collect::<Result<_, AccessError>>()?;
        Ok(Self { parameters, written: Vec::new() })
    }

    /// Writes what was written into the program's own.
    ///
    /// # Errors
    /// One of them is not the program's.
    pub(crate) fn put_back(&self, call: &ServiceCall<'_>) -> Result<(), Unreachable> {
        let mut own = InPlace(call);
        for &(argument, offset, length) in &self.written {
            own.write(argument, offset, &self.parameters[usize::from(argument)][offset..offset + length])?;
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
}
