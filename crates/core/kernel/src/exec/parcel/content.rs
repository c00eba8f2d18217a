//! Contents of an option's parentheses, if they are no program's storage.

use areas::AccessError;
use serde::{Deserialize, Serialize};

use super::Held;
use crate::exec::bytes::Bytes;
use crate::storage::{POINTER_LENGTH, StorageAddress};

/// The content of a parcel's field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Content {
    /// The command is to fill it, or has not.
    #[default]
    Nothing,
    /// Characters or bytes.
    Bytes(Vec<u8>),
    /// A whole number.
    Number(i64),
    /// An address in the task's storage.
    Pointer(StorageAddress),
}

/// Bytes of a number that is read as bytes: a fullword, or as many as it needs.
const FULLWORD: usize = size_of::<i32>();

impl Content {
    /// Characters.
    pub fn text(text: &str) -> Self {
        Self::Bytes(text.as_bytes().to_vec())
    }

    /// Number of bytes.
    pub fn length(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Bytes(bytes) => bytes.len(),
            Self::Number(number) if i32::try_from(*number).is_ok() => FULLWORD,
            Self::Number(_) => size_of::<i64>(),
            Self::Pointer(_) => POINTER_LENGTH,
        }
    }

    /// Its first bytes: as many as `into` takes. Those beyond its end are blanks, as behind a name.
    fn read(&self, into: &mut [u8]) {
        let number;
        let bytes: &[u8] = match self {
            Self::Nothing => &[],
            Self::Bytes(bytes) => bytes,
            Self::Number(value) => {
                number = value.to_be_bytes();
                &number[number.len() - self.length()..]
            }
            Self::Pointer(address) => {
                number = address.to_pointer();
                &number
            }
        };
        let length = into.len().min(bytes.len());
        let (front, beyond) = into.split_at_mut(length);
        front.copy_from_slice(&bytes[..length]);
        beyond.fill(b' ');
    }

    /// It as a whole number: digits are taken as one. `None`: nothing was given.
    fn number(&self) -> Result<Option<i64>, AccessError> {
        match self {
            Self::Nothing => Ok(None),
            Self::Number(number) => Ok(Some(*number)),
            Self::Pointer(_) => Err(AccessError::NotNumeric),
            Self::Bytes(bytes) if bytes.iter().all(u8::is_ascii_digit) && !bytes.is_empty() => {
                let value = bytes
                    .iter()
                    .try_fold(0i64, |value, digit| value.checked_mul(10)?.checked_add((digit - b'0').into()));
                value.map(Some).ok_or(AccessError::TooLarge)
            }
            Self::Bytes(_) => Err(AccessError::NotNumeric),
        }
    }

    /// Replaces its first bytes; the rest stays.
    fn write(&mut self, bytes: &[u8]) {
        match self {
            Self::Bytes(old) if old.len() > bytes.len() => old[..bytes.len()].copy_from_slice(bytes),
            content => *content = Self::Bytes(bytes.to_vec()),
        }
    }
}

/// The same accesses that a program's field has.
impl Held {
    pub(in crate::exec) fn is_nothing(&self) -> bool {
        matches!(*self.content.borrow(), Content::Nothing)
    }

    pub(in crate::exec) fn size(&self) -> usize {
        self.room
    }

    pub(in crate::exec) fn read_first(&self, into: &mut [u8]) {
        self.content.borrow().read(into);
    }

    pub(in crate::exec) fn first_bytes(&self, length: usize) -> Bytes {
        let mut bytes = Bytes::from_elem(0, length);
        self.read_first(&mut bytes);
        bytes
    }

    pub(in crate::exec) fn number(&self) -> Result<Option<i64>, AccessError> {
        self.content.borrow().number()
    }

    pub(in crate::exec) fn pointer(&self) -> Result<StorageAddress, AccessError> {
        match *self.content.borrow() {
            Content::Pointer(address) => Ok(address),
            _ => Err(AccessError::NotNumeric),
        }
    }

    pub(in crate::exec) fn write_start(&self, bytes: &[u8]) {
        self.write_first(&bytes[..bytes.len().min(self.room)]);
    }

    pub(in crate::exec) fn write_first(&self, bytes: &[u8]) {
        self.content.borrow_mut().write(bytes);
    }

    pub(in crate::exec) fn set(&self, content: Content) {
        *self.content.borrow_mut() = content;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_a_number_and_a_number_is_a_fullword() {
        assert_eq!(Content::text("0025").number(), Ok(Some(25)));
        assert_eq!(Content::text("A").number(), Err(AccessError::NotNumeric));
        assert_eq!(Content::text("").number(), Err(AccessError::NotNumeric));
        assert_eq!(Content::text("99999999999999999999").number(), Err(AccessError::TooLarge));
        assert_eq!(Content::Nothing.number(), Ok(None));
        let mut bytes = [0; 5];
        Content::Number(258).read(&mut bytes);
        assert_eq!(bytes, [0, 0, 1, 2, b' ']);
    }

    #[test]
    fn what_is_put_replaces_the_front_of_what_is_there() {
        let mut content = Content::text("ABCD");
        content.write(b"XY");
        assert_eq!(content, Content::text("XYCD"));
        content.write(b"LONGER");
        assert_eq!(content, Content::text("LONGER"));
    }
}
