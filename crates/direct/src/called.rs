//! The CALL of a program that is an instance, by either compiler.

use cobol::ServiceCall;
use kernel::raise::{Outcome, Raise};
use kernel::services::OwnService;
use kernel::storage::{OwnStorage, POINTER_LENGTH, TaskStorage};

/// The CALL.
#[derive(Clone, Copy)]
pub(crate) enum Called<'c> {
    /// Of a hosted program, whose pointers are the processor's.
    Hosted(ServiceCall<'c>),
    /// Of a natively compiled one, whose storage is its task's window.
    Own(&'c OwnService<'c>),
}

/// Bytes of a pointer in a window.
pub(crate) const OWN_POINTER: usize = size_of::<u32>();

/// How a program's pointers lie in its storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pointers {
    Hosted,
    Own,
}

impl Pointers {
    /// Bytes of one.
    pub fn length(self) -> usize {
        match self {
            Self::Hosted => POINTER_LENGTH,
            Self::Own => OWN_POINTER,
        }
    }

    /// Writes one into as many bytes.
    pub fn write(self, address: usize, into: &mut [u8]) {
        match self {
            Self::Hosted => into.copy_from_slice(&address.to_ne_bytes()),
            Self::Own => into.copy_from_slice(&(address as u32).to_be_bytes()),
        }
    }

    /// The address that as many bytes say.
    pub fn read(self, from: &[u8]) -> usize {
        match self {
            Self::Hosted => from.try_into().map_or(0, usize::from_ne_bytes),
            Self::Own => from.try_into().map_or(0, |bytes| u32::from_be_bytes(bytes) as usize),
        }
    }
}

impl Called<'_> {
    /// A message is what a task is elsewhere: it has a limit of its own.
    pub fn renew_limit(&self) {
        match self {
            Self::Hosted(call) => call.renew_limit(),
            Self::Own(call) => call.gives_way(),
        }
    }

    /// Fills bytes from an address that the program has given.
    ///
    /// # Errors
    /// ASRA where it has none there.
    pub fn read(&self, address: usize, into: &mut [u8]) -> Outcome {
        match self {
            Self::Hosted(call) => Ok(call.read(address, into)?),
            Self::Own(call) => {
                let pointer = u32::try_from(address).ok();
                let is_read = pointer.is_some_and(|pointer| call.read_at(pointer, into));
                is_read.then_some(()).ok_or_else(|| Raise::abend(NO_STORAGE))
            }
        }
    }

    /// The program gets the address of its list.
    ///
    /// # Errors
    /// ASRA where it has no pointer for it.
    pub fn put_list(&self, list: usize) -> Outcome {
        match self {
            Self::Hosted(call) => Ok(call.arg(0)?.write_pointer(list)?),
            Self::Own(call) => {
                let is_written = call.write(0, 0, &(list as u32).to_be_bytes());
                is_written.then_some(()).ok_or_else(|| Raise::abend(NO_STORAGE))
            }
        }
    }

    /// The program sees in its interface block how long the message is.
    pub fn shows_interface_block(&self) {
        if let Self::Own(call) = self {
            call.shows_interface_block();
        }
    }

    /// What the program has got for its message is gone.
    pub fn forgets(&self, storage: &TaskStorage) {
        if let Self::Own(call) = self {
            call.forgets(storage);
        }
    }
}

/// The abend of a program that has no storage where it says.
pub(crate) const NO_STORAGE: &str = "ASRA";

/// The moment at which a program's storage is read.
#[derive(Clone, Copy)]
pub(crate) enum Source<'s> {
    /// At its CALL.
    Call(&'s Called<'s>),
    /// Behind its end; `None` if the region has all that it was given.
    End(Option<&'s OwnStorage<'s>>),
}

impl Source<'_> {
    /// Fills bytes from an address that the program knows.
    ///
    /// # Errors
    /// ASRA if it has none there.
    pub fn read(&self, address: usize, into: &mut [u8]) -> Outcome {
        let is_read = match self {
            Self::Call(call) => return call.read(address, into),
            Self::End(None) => false,
            Self::End(Some(own)) => u32::try_from(address).is_ok_and(|at| own.read(at, into)),
        };
        is_read.then_some(()).ok_or_else(|| Raise::abend(NO_STORAGE))
    }
}
