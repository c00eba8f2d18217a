//! Header tables: names and values in the order in which they came, found without regard to case.

use std::borrow::Cow;
use std::fmt;

/// A piece of the bytes of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    from: u32,
    to: u32,
}

impl Span {
    /// Tables are bounded by [`crate::Limits`], far below 4 GiB.
    pub(crate) fn new(from: usize, to: usize) -> Self {
        let end = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { from: end(from), to: end(to) }
    }

    pub(crate) fn shifted(self, by: usize) -> Self {
        Self::new(self.from as usize + by, self.to as usize + by)
    }

    pub(crate) fn of(self, raw: &[u8]) -> &[u8] {
        raw.get(self.from as usize..self.to as usize).unwrap_or_default()
    }
}

/// A table of headers. The bytes are in one piece: that of the message they came with, or one that grows.
#[derive(Clone, Default)]
pub struct Fields {
    raw: Vec<u8>,
    index: Vec<(Span, Span)>,
}

/// A header that cannot be written: it would become another one, or the end of the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unwritable {
    /// The name is not a token.
    #[error("a header's name has letters, digits and a few signs only")]
    Name,
    /// The value has control characters.
    #[error("a header's value has no control characters but tabs")]
    Value,
}

impl Fields {
    /// Takes the bytes of a head, and the places of names and values in them.
    pub(crate) fn over(raw: Vec<u8>, index: Vec<(Span, Span)>) -> Self {
        Self { raw, index }
    }

    pub(crate) fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// Appends bytes that are not a header: a method, a path.
    pub(crate) fn keep(&mut self, bytes: &[u8]) -> Span {
        let from = self.raw.len();
        self.raw.extend_from_slice(bytes);
        Span::new(from, self.raw.len())
    }

    /// Adds a header after the others.
    ///
    /// # Errors
    /// See [`Unwritable`]: then nothing is added.
    pub fn push(&mut self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<(), Unwritable> {
        let (name, value) = (name.as_ref(), value.as_ref());
        if !is_token(name) {
            return Err(Unwritable::Name);
        }
        if !is_text(value) {
            return Err(Unwritable::Value);
        }
        let field = (self.keep(name), self.keep(value.trim_ascii()));
        self.index.push(field);
        Ok(())
    }

    /// Takes all headers of a name away.
    pub fn remove(&mut self, name: &str) {
        let raw = &self.raw;
        self.index.retain(|(has, _)| !has.of(raw).eq_ignore_ascii_case(name.as_bytes()));
    }

    /// The number of headers.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Returns true if there is no header.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// All names and values in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.index.iter().map(|(name, value)| (name.of(&self.raw), value.of(&self.raw)))
    }

    /// All values of a name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        self.iter().filter(move |(has, _)| has.eq_ignore_ascii_case(name.as_bytes())).map(|(_, value)| value)
    }

    /// The first value of a name.
    pub fn get<'a>(&'a self, name: &'a str) -> Option<&'a [u8]> {
        self.all(name).next()
    }

    /// Returns true if there is a header of this name.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// All values of a name as one, with a comma between them: RFC 9110, 5.3.
    pub fn joined<'a>(&'a self, name: &'a str) -> Option<Cow<'a, [u8]>> {
        let mut values = self.all(name);
        let first = values.next()?;
        let mut joined = Cow::Borrowed(first);
        for value in values {
            let whole = joined.to_mut();
            whole.extend_from_slice(b", ");
            whole.extend_from_slice(value);
        }
        Some(joined)
    }

    /// Returns true if a list of tokens (`Connection`, `TE`) has this one.
    pub fn lists(&self, name: &str, token: &str) -> bool {
        let tokens = self.all(name).flat_map(|value| value.split(|byte| *byte == b','));
        tokens.into_iter().any(|has| has.trim_ascii().eq_ignore_ascii_case(token.as_bytes()))
    }
}

impl PartialEq for Fields {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Fields {}

impl fmt::Debug for Fields {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |bytes| String::from_utf8_lossy(bytes);
        formatter.debug_list().entries(self.iter().map(|(name, value)| (shown(name), shown(value)))).finish()
    }
}

/// Returns true if bytes are a token: RFC 9110, 5.6.2.
pub fn is_token(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|byte| is_token_byte(*byte))
}

pub(crate) fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Returns true if a value or a reason phrase may hold these bytes: no control characters but tabs.
pub fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == b'\t' || (*byte >= b' ' && *byte != 0x7F))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_no_case_and_values_their_order() {
        let mut fields = Fields::default();
        for (name, value) in [("Accept", "a"), ("X-Key", " 1 "), ("accept", "b, c")] {
            fields.push(name, value).expect("a header");
        }
        assert_eq!(fields.get("x-key"), Some(b"1".as_slice()));
        assert_eq!(fields.joined("ACCEPT").as_deref(), Some(b"a, b, c".as_slice()));
        assert!(fields.lists("Accept", "C") && !fields.lists("Accept", "d"));
        assert_eq!(fields.len(), 3);
    }

    #[test]
    fn a_header_never_becomes_two() {
        let mut fields = Fields::default();
        for (name, value, why) in [
            ("X", "a\r\nY: b", Unwritable::Value),
            ("X", "a\0", Unwritable::Value),
            ("X", "a\n", Unwritable::Value),
            ("X y", "a", Unwritable::Name),
            ("X:", "a", Unwritable::Name),
            ("", "a", Unwritable::Name),
        ] {
            assert_eq!(fields.push(name, value), Err(why));
        }
        assert!(fields.is_empty());
    }
}
