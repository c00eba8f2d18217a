//! Arguments of a call or a command, in the storage of the program that makes it.

use spec::{CommandId, OptionId};

/// An argument is not there, or lies nowhere in the program's storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an argument lies nowhere")]
pub struct NoArea;

/// The arguments, by their places from 0.
pub trait Arguments {
    /// Returns true if an argument is there and has an address.
    fn is_there(&self, place: usize) -> bool;

    /// Returns the bytes of an argument's own field.
    fn size(&self, place: usize) -> usize;

    /// Reads bytes from the start of an argument on, whatever its size.
    ///
    /// # Errors
    /// They are not all storage of the program.
    fn read(&self, place: usize, length: usize) -> Result<Vec<u8>, NoArea>;

    /// Writes bytes from the start of an argument on, whatever its size.
    ///
    /// # Errors
    /// They are not all storage of the program; nothing is written.
    fn write(&mut self, place: usize, bytes: &[u8]) -> Result<(), NoArea>;

    /// Returns the number that an argument is.
    ///
    /// # Errors
    /// It is none, or lies nowhere.
    fn number(&self, place: usize) -> Result<i64, NoArea>;

    /// Stores a number.
    ///
    /// # Errors
    /// It cannot be stored there.
    fn put_number(&mut self, place: usize, number: i64) -> Result<(), NoArea>;

    /// Puts the address of bytes that the run holds into a pointer.
    ///
    /// # Errors
    /// It cannot be stored there.
    fn put_pointer(&mut self, place: usize, address: u32) -> Result<(), NoArea>;

    /// Holds bytes for the program, and returns their address. `None`: there is no room.
    fn hold(&mut self, bytes: &[u8]) -> Option<u32>;

    /// Holds a message for the program where the one before was, and returns its address. `None`: there is no room.
    fn hold_message(&mut self, bytes: &[u8]) -> Option<u32>;
}

/// A command: its options with their arguments.
pub trait Command: Arguments {
    /// The command.
    fn id(&self) -> CommandId;

    /// Returns the place of an option's argument.
    fn place(&self, option: OptionId) -> Option<usize>;

    /// Returns true if a keyword is given.
    fn keyword(&self, option: OptionId) -> bool;
}

/// The first bytes of an argument, as many as a name of this length and its own field have.
pub(crate) fn bytes_of_name(
    arguments: &(impl Arguments + ?Sized),
    place: usize,
    length: usize,
) -> Result<Vec<u8>, NoArea> {
    arguments.read(place, length.min(arguments.size(place)))
}

/// The fullword at an argument.
pub(crate) fn fullword(arguments: &(impl Arguments + ?Sized), place: usize) -> Result<i32, NoArea> {
    let bytes = arguments.read(place, size_of::<i32>())?;
    bytes.try_into().map(i32::from_be_bytes).map_err(|_| NoArea)
}
