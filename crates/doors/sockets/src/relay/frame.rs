//! Separating one message from the next, and an answer from the rest of the COMMAREA.

/// The rule for the end of one message and the start of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// The length precedes the message: big-endian, in this number of bytes (2 or 4), not counting themselves. The
    /// program sees it, and sets it for its answer.
    Length(usize),
    /// All messages and answers have this length.
    Fixed(usize),
    /// A message is the data of one receive; an answer ends before the zeros at the COMMAREA's end.
    AsReceived,
}

/// A length that does not fit the COMMAREA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong(pub usize);

impl Framing {
    /// The length of the first message in bytes, its length field included; `None` if it is incomplete.
    ///
    /// # Errors
    /// A message longer than `most`.
    pub fn first(self, bytes: &[u8], most: usize) -> Result<Option<usize>, TooLong> {
        let length = match self {
            Self::Length(digits) => match length(bytes, digits) {
                Some(length) => digits + length,
                None => return Ok(None),
            },
            Self::Fixed(length) => length,
            Self::AsReceived => bytes.len(),
        };
        if length > most {
            return Err(TooLong(length));
        }
        Ok(Some(length).filter(|length| *length > 0 && *length <= bytes.len()))
    }

    /// The number of bytes of the COMMAREA that are the answer; 0 if there is no answer.
    pub fn answer(self, commarea: &[u8]) -> usize {
        match self {
            Self::Length(digits) => match length(commarea, digits) {
                Some(0) | None => 0,
                Some(length) => (digits + length).min(commarea.len()),
            },
            Self::Fixed(length) => length.min(commarea.len()),
            Self::AsReceived => commarea.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1),
        }
    }
}

fn length(bytes: &[u8], digits: usize) -> Option<usize> {
    Some(bytes.get(..digits)?.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_from_each_other() {
        let two = Framing::Length(2);
        let table = [
            (two, &b"\0"[..], Ok(None)),
            (two, b"\0\x03AB", Ok(None)),
            (two, b"\0\x03ABC\0", Ok(Some(5))),
            (two, b"\x10\0", Err(TooLong(4098))),
            (Framing::Fixed(3), b"AB", Ok(None)),
            (Framing::Fixed(3), b"ABCD", Ok(Some(3))),
            (Framing::AsReceived, b"", Ok(None)),
            (Framing::AsReceived, b"ABCD", Ok(Some(4))),
        ];
        for (framing, bytes, first) in table {
            assert_eq!(framing.first(bytes, 100), first, "{framing:?} {bytes:?}");
        }
    }

    #[test]
    fn answers_end_where_the_framing_says() {
        assert_eq!(Framing::Length(2).answer(b"\0\x02OK...."), 4);
        assert_eq!(Framing::Length(2).answer(b"\0\0OK"), 0);
        assert_eq!(Framing::Fixed(3).answer(b"OK...."), 3);
        assert_eq!(Framing::AsReceived.answer(b"OK\0\0"), 2);
    }
}
