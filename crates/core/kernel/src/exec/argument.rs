//! One argument of a command: a field of the program that gave it, or one of a parcel.

use areas::AccessError;

use super::bytes::Bytes;
use super::parcel::{Content, Held};
use super::program_call::ProgramArgument;
use crate::storage::StorageAddress;

/// An argument. Nearly all are those of programs: which it is costs a test that always goes the same way.
#[derive(Clone, Copy)]
pub(super) enum Argument<'r> {
    Held(&'r Held),
    Own(ProgramArgument<'r>),
}

type Access<T = ()> = Result<T, AccessError>;

impl Argument<'_> {
    #[inline]
    pub fn size(self) -> usize {
        match self {
            Self::Held(held) => held.size(),
            Self::Own(own) => own.size(),
        }
    }

    /// Its address, if it is the task's storage.
    pub fn address(self) -> Option<StorageAddress> {
        match self {
            Self::Held(_) => None,
            Self::Own(own) => own.address(),
        }
    }

    /// A name: what is behind its end stays blank. False if nothing was given.
    #[inline]
    pub fn name(self, into: &mut [u8]) -> Access<bool> {
        match self {
            Self::Held(held) => {
                held.read_first(into);
                Ok(!held.is_nothing())
            }
            Self::Own(own) => own.name(into).map(|()| true),
        }
    }

    /// Its first bytes, whatever its size.
    pub fn first_bytes(self, length: usize) -> Access<Bytes> {
        match self {
            Self::Held(held) => Ok(held.first_bytes(length)),
            Self::Own(own) => own.first_bytes(length),
        }
    }

    /// The same, as many as `into` takes.
    #[inline]
    pub fn read_first(self, into: &mut [u8]) -> Access {
        match self {
            Self::Held(held) => {
                held.read_first(into);
                Ok(())
            }
            Self::Own(own) => own.read_first(into),
        }
    }

    /// `None`: nothing was given.
    #[inline]
    pub fn number(self) -> Access<Option<i64>> {
        match self {
            Self::Held(held) => held.number(),
            Self::Own(own) => own.number().map(Some),
        }
    }

    pub fn pointer(self) -> Access<StorageAddress> {
        match self {
            Self::Held(held) => held.pointer(),
            Self::Own(own) => own.pointer(),
        }
    }

    /// Copies bytes to its start: as many as it takes.
    #[inline]
    pub fn write_start(self, bytes: &[u8]) -> Access {
        match self {
            Self::Held(held) => {
                held.write_start(bytes);
                Ok(())
            }
            Self::Own(own) => own.write_first(&bytes[..bytes.len().min(own.size())]),
        }
    }

    /// Copies bytes to its start, whatever its size.
    #[inline]
    pub fn write_first(self, bytes: &[u8]) -> Access {
        match self {
            Self::Held(held) => {
                held.write_first(bytes);
                Ok(())
            }
            Self::Own(own) => own.write_first(bytes),
        }
    }

    #[inline]
    pub fn write_number(self, number: i64) -> Access {
        match self {
            Self::Held(held) => {
                held.set(Content::Number(number));
                Ok(())
            }
            Self::Own(own) => own.write_number(number),
        }
    }

    pub fn write_pointer(self, address: StorageAddress) -> Access {
        match self {
            Self::Held(held) => {
                held.set(Content::Pointer(address));
                Ok(())
            }
            Self::Own(own) => own.write_pointer(address),
        }
    }
}
