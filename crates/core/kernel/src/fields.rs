//! Fields in the records that the region keeps for itself: each text with its length before it, numbers in eight bytes.

use crate::name::Name;

/// Writes fields one after the other.
#[derive(Default)]
pub struct FieldWriter(Vec<u8>);

impl FieldWriter {
    /// Bytes of any number.
    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.extend((bytes.len() as u32).to_be_bytes());
        self.0.extend(bytes);
        self
    }

    /// Bytes, or that there are none.
    pub fn optional(self, bytes: Option<&[u8]>) -> Self {
        match bytes {
            Some(bytes) => self.number(1).bytes(bytes),
            None => self.number(0),
        }
    }

    /// A number.
    pub fn number(mut self, number: i64) -> Self {
        self.0.extend(number.to_be_bytes());
        self
    }

    /// The written bytes.
    pub fn end(self) -> Vec<u8> {
        self.0
    }
}

/// Reads them again: `None` where a record has other fields.
pub struct FieldReader<'a>(pub &'a [u8]);

impl<'a> FieldReader<'a> {
    /// Returns true if all fields were read.
    pub fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    /// The next field, of bytes; `None`: there is none, or it is cut off.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let (length, rest) = self.0.split_first_chunk::<4>()?;
        let (bytes, rest) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
        self.0 = rest;
        Some(bytes)
    }

    /// The next field, which may be left out.
    pub fn optional(&mut self) -> Option<Option<&'a [u8]>> {
        match self.number()? {
            0 => Some(None),
            _ => self.bytes().map(Some),
        }
    }

    /// The next field, a number.
    pub fn number(&mut self) -> Option<i64> {
        let (number, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(i64::from_be_bytes(*number))
    }

    /// The next field, a name.
    pub fn name<const N: usize>(&mut self) -> Option<Name<N>> {
        self.bytes().map(Name::new)
    }

    /// The next field, a name that may be left out.
    pub fn optional_name<const N: usize>(&mut self) -> Option<Option<Name<N>>> {
        self.optional().map(|name| name.map(Name::new))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_a_torn_record_is_none() {
        let written =
            FieldWriter::default().bytes(b"NAME").optional(None).optional(Some(b"")).number(-1).end();
        let mut fields = FieldReader(&written);
        assert_eq!(fields.name::<8>(), Some("NAME".into()));
        assert_eq!(fields.optional(), Some(None));
        assert_eq!(fields.optional(), Some(Some(b"".as_slice())));
        assert_eq!(fields.number(), Some(-1));
        assert_eq!(fields.number(), None);
        assert_eq!(FieldReader(&written[..6]).bytes(), None);
    }
}
