//! Protocol buffers as bytes: fields with their numbers, one after the other.
//!
//! ```text
//! number << 3 | type · value         type 0: a number of 7 bits a byte · 1: 8 bytes · 2: a length and bytes · 5: 4 bytes
//! ```
//!
//! A field that has its default is not written.

/// The types of values.
const VARINT: u8 = 0;
const FIXED_64: u8 = 1;
const BYTES: u8 = 2;
const FIXED_32: u8 = 5;

/// Writes a message.
#[derive(Default)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    /// A number.
    pub fn number(mut self, field: u32, number: u64) -> Self {
        if number != 0 {
            self.tag(field, VARINT);
            self.varint(number);
        }
        self
    }

    /// A number of eight bytes.
    pub fn fixed(mut self, field: u32, number: u64) -> Self {
        if number != 0 {
            self.tag(field, FIXED_64);
            self.0.extend(number.to_le_bytes());
        }
        self
    }

    /// A number of four bytes.
    pub fn short(mut self, field: u32, number: u32) -> Self {
        if number != 0 {
            self.tag(field, FIXED_32);
            self.0.extend(number.to_le_bytes());
        }
        self
    }

    /// Bytes, or a text.
    pub fn bytes(self, field: u32, bytes: impl AsRef<[u8]>) -> Self {
        if bytes.as_ref().is_empty() { self } else { self.given(field, bytes.as_ref()) }
    }

    /// A message, which may be empty.
    pub fn message(self, field: u32, message: Self) -> Self {
        self.given(field, &message.0)
    }

    /// Messages.
    pub fn messages(self, field: u32, all: impl IntoIterator<Item = Self>) -> Self {
        all.into_iter().fold(self, |whole, one| whole.message(field, one))
    }

    /// One of several values, which is written though it is the default.
    pub fn given(mut self, field: u32, bytes: &[u8]) -> Self {
        self.tag(field, BYTES);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    /// The same of a number.
    pub fn given_number(mut self, field: u32, number: u64) -> Self {
        self.tag(field, VARINT);
        self.varint(number);
        self
    }

    /// The same of a number with a fraction.
    pub fn given_double(mut self, field: u32, number: f64) -> Self {
        self.tag(field, FIXED_64);
        self.0.extend(number.to_le_bytes());
        self
    }

    /// The message.
    pub fn end(self) -> Vec<u8> {
        self.0
    }

    fn tag(&mut self, field: u32, kind: u8) {
        self.varint(u64::from(field) << 3 | u64::from(kind));
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
}

/// The value of a field that was read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Found<'a> {
    /// A number.
    Number(u64),
    /// A number of eight bytes.
    Fixed(u64),
    /// A number of four bytes.
    Short(u32),
    /// Bytes, a text or a message.
    Bytes(&'a [u8]),
}

impl<'a> Found<'a> {
    /// The bytes; none of another type.
    pub fn bytes(self) -> &'a [u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            _ => &[],
        }
    }

    /// The number; 0 of another type.
    pub fn number(self) -> u64 {
        match self {
            Self::Number(number) | Self::Fixed(number) => number,
            Self::Short(number) => number.into(),
            Self::Bytes(_) => 0,
        }
    }

    /// The text.
    pub fn text(self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }
}

/// The fields of a message in their order; `None`: it is malformed.
pub(crate) fn fields(mut bytes: &[u8]) -> Option<Vec<(u64, Found<'_>)>> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes)?;
        let found = match (tag & 7) as u8 {
            VARINT => Found::Number(varint(&mut bytes)?),
            FIXED_64 => Found::Fixed(u64::from_le_bytes(chunk(&mut bytes)?)),
            FIXED_32 => Found::Short(u32::from_le_bytes(chunk(&mut bytes)?)),
            BYTES => {
                let length = usize::try_from(varint(&mut bytes)?).ok()?;
                let (value, rest) = bytes.split_at_checked(length)?;
                bytes = rest;
                Found::Bytes(value)
            }
            _ => return None,
        };
        all.push((tag >> 3, found));
    }
    Some(all)
}

fn chunk<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (value, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*value)
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_they_were_written_and_defaults_are_not_written() {
        let inner = Writer::default().number(1, u64::MAX).short(2, 7);
        let message = Writer::default()
            .number(1, 300)
            .number(2, 0)
            .bytes(3, "text")
            .bytes(4, "")
            .fixed(16, 5)
            .message(5, inner)
            .message(6, Writer::default())
            .given_number(7, 0)
            .given_double(8, 0.5)
            .end();
        let read = fields(&message).expect("a message");
        let numbers: Vec<u64> = read.iter().map(|(field, _)| *field).collect();
        assert_eq!(numbers, [1, 3, 16, 5, 6, 7, 8]);
        assert_eq!(
            (read[0].1, read[1].1.text().as_str(), read[2].1),
            (Found::Number(300), "text", Found::Fixed(5))
        );
        let inner = [(1, Found::Number(u64::MAX)), (2, Found::Short(7))];
        assert_eq!(fields(read[3].1.bytes()).as_deref(), Some(inner.as_slice()));
        assert_eq!(&message[..3], [0x08, 0xac, 0x02], "the example of the encoding's own page, with 300");
    }

    #[test]
    fn what_is_torn_or_has_no_type_is_malformed() {
        let whole = Writer::default().bytes(1, "text").fixed(2, 1).end();
        for length in [1, 3, 7, 8, whole.len() - 1] {
            assert_eq!(fields(&whole[..length]), None, "{length} bytes of it");
        }
        assert_eq!(fields(&[0x0b]), None, "groups are of the past");
        assert_eq!(fields(&[0xff; 11]), None, "a number without an end");
    }
}
