//! Bodies of messages: numbers are big-endian, texts and bytes have their length in front.

use kernel::words::escaped;

use crate::limits::TEXT_MAX;

/// The code page of the region's programs, by Java's name.
pub(crate) const CHARSET: &str = "ISO-8859-1";

/// The body of a message of a JVM, not checked yet: `None` where it ends too early.
pub(crate) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.first_chunk().copied()
    }

    /// A byte.
    pub fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// A halfword without a sign.
    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    /// A fullword without a sign.
    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    /// A fullword.
    pub fn i32(&mut self) -> Option<i32> {
        self.array().map(i32::from_be_bytes)
    }

    /// A doubleword.
    pub fn i64(&mut self) -> Option<i64> {
        self.array().map(i64::from_be_bytes)
    }

    /// Bytes.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.u32()?).ok()?;
        self.take(length)
    }

    /// Characters.
    pub fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    /// Returns true if nothing is left.
    pub fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }
}

/// The body of a message to a JVM.
#[derive(Default)]
pub(crate) struct Writer(pub Vec<u8>);

impl Writer {
    /// A byte.
    pub fn u8(mut self, value: u8) -> Self {
        self.0.push(value);
        self
    }

    /// A halfword.
    pub fn u16(mut self, value: u16) -> Self {
        self.0.extend_from_slice(&value.to_be_bytes());
        self
    }

    /// A fullword.
    pub fn i32(mut self, value: i32) -> Self {
        self.0.extend_from_slice(&value.to_be_bytes());
        self
    }

    /// A fullword without a sign.
    pub fn u32(mut self, value: u32) -> Self {
        self.0.extend_from_slice(&value.to_be_bytes());
        self
    }

    /// A doubleword.
    pub fn i64(mut self, value: i64) -> Self {
        self.0.extend_from_slice(&value.to_be_bytes());
        self
    }

    /// Bytes, no more than a message may have.
    pub fn bytes(mut self, value: &[u8]) -> Self {
        self.0.extend_from_slice(&(value.len() as u32).to_be_bytes());
        self.0.extend_from_slice(value);
        self
    }

    /// Characters.
    pub fn text(self, value: &str) -> Self {
        self.bytes(value.as_bytes())
    }

    /// Bytes that may be missing.
    pub fn maybe(self, value: Option<&[u8]>) -> Self {
        match value {
            None => self.u8(0),
            Some(value) => self.u8(1).bytes(value),
        }
    }
}

/// A text of Java, for the log.
pub(crate) fn shown(text: &str) -> String {
    let short: String = text.chars().take(TEXT_MAX).collect();
    escaped(&short).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_beyond_the_end() {
        let body = Writer::default().u8(1).u16(2).i32(-3).i64(-4).text("five").maybe(None).0;
        let mut reader = Reader(&body);
        assert_eq!(
            (reader.u8(), reader.u16(), reader.i32(), reader.i64()),
            (Some(1), Some(2), Some(-3), Some(-4))
        );
        assert_eq!((reader.text(), reader.u8(), reader.is_at_end()), (Some("five"), Some(0), true));
        assert_eq!((reader.u8(), reader.bytes()), (None, None));
        let lies = Writer::default().u32(u32::MAX).0;
        assert_eq!(Reader(&lies).bytes(), None, "a length beyond the end");
    }
}
