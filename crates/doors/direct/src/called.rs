//! The CALL of a program that is an instance.

use kernel::raise::{Outcome, Raise};
use kernel::services::ServiceCall;
use kernel::storage::{LeftStorage, TaskStorage};

/// The CALL of a program, whose storage is its task's window.
#[derive(Clone, Copy)]
pub(crate) struct Called<'c>(pub &'c ServiceCall<'c>);

/// Bytes of a pointer in a window.
pub(crate) const POINTER: usize = size_of::<u32>();

impl Called<'_> {
    /// A message is what a task is elsewhere: it has a limit of its own.
    pub fn renew_limit(&self) {
        self.0.gives_way();
    }

    /// Fills bytes from an address that the program has given.
    ///
    /// # Errors
    /// ASRA where it has none there.
    pub fn read(&self, address: u32, into: &mut [u8]) -> Outcome {
        self.0.read_at(address, into).then_some(()).ok_or_else(|| Raise::abend(NO_STORAGE))
    }

    /// The program gets the address of its list.
    ///
    /// # Errors
    /// ASRA where it has no pointer for it.
    pub fn put_list(&self, list: u32) -> Outcome {
        self.0.write(0, 0, &list.to_be_bytes()).then_some(()).ok_or_else(|| Raise::abend(NO_STORAGE))
    }

    /// The program sees in its interface block how long the message is.
    pub fn shows_interface_block(&self) {
        self.0.shows_interface_block();
    }

    /// Frees the storage that the program has got for its message.
    pub fn forgets(&self, storage: &TaskStorage) {
        self.0.forgets(storage);
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
    End(Option<&'s LeftStorage<'s>>),
}

impl Source<'_> {
    /// Fills bytes from an address that the program knows.
    ///
    /// # Errors
    /// ASRA if it has none there.
    pub fn read(&self, address: u32, into: &mut [u8]) -> Outcome {
        let is_read = match self {
            Self::Call(call) => return call.read(address, into),
            Self::End(None) => false,
            Self::End(Some(own)) => own.read(address, into),
        };
        is_read.then_some(()).ok_or_else(|| Raise::abend(NO_STORAGE))
    }
}
