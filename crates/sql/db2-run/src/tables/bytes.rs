//! Numbers and texts among the bytes of definitions: a number is 2 bytes, the most significant first, a text its length and its UTF-8.

/// Appends a number.
pub(super) fn number(bytes: &mut Vec<u8>, number: usize) {
    bytes.extend((number as u16).to_be_bytes());
}

/// Appends a text with its length.
pub(super) fn text(bytes: &mut Vec<u8>, text: &str) {
    number(bytes, text.len());
    bytes.extend(text.as_bytes());
}

/// The bytes that are still to be read.
pub(super) struct Reader<'b>(pub(super) &'b [u8]);

impl<'b> Reader<'b> {
    pub(super) fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn number(&mut self) -> Option<usize> {
        self.take(2).map(|bytes| usize::from(u16::from_be_bytes([bytes[0], bytes[1]])))
    }

    pub(super) fn text(&mut self) -> Option<String> {
        let length = self.number()?;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }
}
