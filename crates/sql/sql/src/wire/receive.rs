//! Messages from a server.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

use crate::limits;

/// Bytes that came and are not looked at yet.
pub(crate) struct Incoming {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

/// One message: what it is, and what stands in it.
pub(crate) struct Message<'a> {
    pub(crate) tag: u8,
    pub(crate) body: &'a [u8],
}

const BUFFER: usize = 16 << 10;
const HEAD: usize = 5;
/// Room that is made before reading.
const ROOM: usize = 4 << 10;

impl Default for Incoming {
    fn default() -> Self {
        Self { buffer: vec![0; BUFFER], start: 0, end: 0 }
    }
}

impl Incoming {
    /// The next message, if the whole of it is here.
    ///
    /// # Errors
    /// The server says a length that no message has.
    pub(crate) fn next(&mut self) -> io::Result<Option<Message<'_>>> {
        let Some(length) = self.length()? else { return Ok(None) };
        if self.end - self.start < length {
            return Ok(None);
        }
        let message = &self.buffer[self.start..self.start + length];
        self.start += length;
        Ok(Some(Message { tag: message[0], body: &message[HEAD..] }))
    }

    /// Length of the next message, once its head is here.
    fn length(&self) -> io::Result<Option<usize>> {
        let Some(head) = self.buffer[self.start..self.end].get(..HEAD) else { return Ok(None) };
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize + 1;
        if !(HEAD..=limits::MESSAGE_MAX).contains(&length) {
            return Err(invalid("a message with an impossible length"));
        }
        Ok(Some(length))
    }

    /// Reads once. Ready when there is more than before.
    pub(crate) fn poll_fill(
        &mut self,
        cx: &mut Context<'_>,
        stream: &mut (impl AsyncRead + Unpin),
    ) -> Poll<io::Result<()>> {
        self.make_room()?;
        let mut into = ReadBuf::new(&mut self.buffer[self.end..]);
        ready!(Pin::new(stream).poll_read(cx, &mut into))?;
        let count = into.filled().len();
        if count == 0 {
            return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
        }
        self.end += count;
        Poll::Ready(Ok(()))
    }

    /// Moves what is here to the front, and grows for a message that is longer than the buffer.
    fn make_room(&mut self) -> io::Result<()> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
            if self.buffer.len() > BUFFER {
                self.buffer = vec![0; BUFFER];
            }
        }
        let wanted =
            self.length()?.map_or(0, |length| length.saturating_sub(self.end - self.start)).max(ROOM);
        if self.buffer.len() - self.end >= wanted {
            return Ok(());
        }
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        if self.buffer.len() - self.end < wanted {
            self.buffer.resize(self.end + wanted, 0);
        }
        Ok(())
    }
}

pub(crate) fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the server sent {what}"))
}

/// Reads the parts of a message's body one after the other.
pub(crate) struct Body<'a>(pub(crate) &'a [u8]);

impl<'a> Body<'a> {
    pub(crate) fn take(&mut self, count: usize) -> io::Result<&'a [u8]> {
        let (taken, rest) =
            self.0.split_at_checked(count).ok_or_else(|| invalid("a message that is too short"))?;
        self.0 = rest;
        Ok(taken)
    }

    pub(crate) fn u8(&mut self) -> io::Result<u8> {
        Ok(self.take(1)?[0])
    }

    pub(crate) fn i16(&mut self) -> io::Result<i16> {
        let bytes = self.take(2)?;
        Ok(i16::from_be_bytes([bytes[0], bytes[1]]))
    }

    pub(crate) fn u32(&mut self) -> io::Result<u32> {
        let bytes = self.take(4)?;
        Ok(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// A text up to its zero byte.
    pub(crate) fn text(&mut self) -> io::Result<&'a [u8]> {
        let end =
            self.0.iter().position(|&byte| byte == 0).ok_or_else(|| invalid("a text without an end"))?;
        let text = self.take(end)?;
        self.take(1)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn incoming(bytes: &[u8]) -> Incoming {
        let mut incoming = Incoming::default();
        incoming.buffer[..bytes.len()].copy_from_slice(bytes);
        incoming.end = bytes.len();
        incoming
    }

    #[test]
    fn messages_come_one_after_the_other() {
        let mut incoming = incoming(b"Z\0\0\0\x05I1\0\0\0\x04D\0\0\0\x09ab");
        let mut next = || incoming.next().unwrap().map(|message| (message.tag, message.body.to_vec()));
        assert_eq!(next(), Some((b'Z', b"I".to_vec())));
        assert_eq!(next(), Some((b'1', vec![])));
        assert_eq!(next(), None);
    }

    #[test]
    fn a_length_that_no_message_has_is_refused() {
        assert!(incoming(b"Z\0\0\0\x03").next().is_err());
        assert!(incoming(b"Z\xFF\xFF\xFF\xFF").next().is_err());
    }

    #[test]
    fn a_body_that_ends_early_is_refused() {
        assert!(Body(b"\0").i16().is_err());
        assert!(Body(b"abc").text().is_err());
    }
}
