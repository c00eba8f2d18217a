//! A connection of a Java thread: messages in frames of the form that links between regions have.

use std::io;
use std::os::unix::net::UnixStream as Idle;

use link::Vitals;
use link::frame::{Head, Incoming, Kind, MORE, put};
use link::limits::{FRAME_MAX, READ_BYTES};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use crate::limits::MESSAGE_MAX;
use crate::shapes::Shapes;

/// A connection that no task has.
pub(crate) struct Connection {
    pub stream: Idle,
    /// The shapes that it has told.
    pub shapes: Shapes,
    /// The number of its last program.
    pub conversation: u32,
}

/// Reasons why nothing more is heard.
#[derive(Debug)]
pub(crate) enum Broken {
    /// The other side has gone.
    Gone(String),
    /// It has sent bytes that are no message.
    Malformed(String),
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        Self::Gone(error.to_string())
    }
}

/// A whole message.
pub(crate) struct Message {
    pub kind: Kind,
    pub conversation: u32,
    pub body: Vec<u8>,
}

/// A stream on the event loop of a thread.
pub(crate) struct Stream {
    stream: UnixStream,
    incoming: Incoming,
    /// A message whose last frame has not come.
    begun: Option<Message>,
}

impl Stream {
    /// A stream that belongs to this thread's event loop from now on.
    pub fn new(stream: UnixStream) -> Self {
        Self { stream, incoming: Incoming::default(), begun: None }
    }

    /// Takes an idle stream to this thread's event loop.
    pub fn take(stream: Idle) -> Result<Self, Broken> {
        Ok(Self::new(UnixStream::from_std(stream)?))
    }

    /// Lets go of the event loop. `None` if more has come than was asked for.
    pub fn into_idle(self) -> Option<Idle> {
        if self.incoming.is_in_frame() || self.begun.is_some() { None } else { self.stream.into_std().ok() }
    }

    /// Sends a message, in as many frames as it needs.
    ///
    /// # Errors
    /// The other side has gone.
    pub async fn send(&mut self, kind: Kind, conversation: u32, body: &[u8]) -> Result<(), Broken> {
        let mut bytes = Vec::with_capacity(body.len() + link::frame::HEAD);
        let mut rest = body;
        loop {
            let (part, behind) = rest.split_at(rest.len().min(FRAME_MAX));
            let flags = if behind.is_empty() { 0 } else { MORE };
            put(&mut bytes, Head { conversation, kind, flags, vitals: Vitals::default() }, part);
            rest = behind;
            if rest.is_empty() {
                break;
            }
        }
        Ok(self.stream.write_all(&bytes).await?)
    }

    /// Waits for a message of at most so many bytes. A wait that is given up loses no byte: the next one goes on with the message.
    ///
    /// # Errors
    /// The other side has gone, or what comes is no message.
    pub async fn receive(&mut self, most: usize) -> Result<Message, Broken> {
        loop {
            let malformed = |why: String| Broken::Malformed(why);
            while let Some((head, body)) =
                self.incoming.next_frame().map_err(|why| malformed(why.to_string()))?
            {
                let length = self.begun.as_ref().map_or(0, |message| message.body.len()) + body.len();
                if length > most.min(MESSAGE_MAX) {
                    return Err(malformed(format!("a message of more than {} bytes", most.min(MESSAGE_MAX))));
                }
                let goes_on = head.flags & MORE != 0;
                if goes_on && body.is_empty() {
                    return Err(malformed("a message that goes on without going on".to_owned()));
                }
                let new = || Message { kind: head.kind, conversation: head.conversation, body: Vec::new() };
                let message = self.begun.get_or_insert_with(new);
                if (message.kind, message.conversation) != (head.kind, head.conversation) {
                    return Err(malformed("a message within another one".to_owned()));
                }
                message.body.extend_from_slice(body);
                if !goes_on && let Some(message) = self.begun.take() {
                    return Ok(message);
                }
            }
            if self.stream.read_buf(self.incoming.room(READ_BYTES)).await? == 0 {
                return Err(Broken::Gone("it has closed the connection".to_owned()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_wait_given_up_between_two_frames_loses_nothing() {
        let (here, there) = UnixStream::pair().unwrap();
        let (mut here, mut there) = (Stream::new(here), there);
        let mut bytes = Vec::new();
        let first = Head { conversation: 7, kind: Kind::Request, flags: MORE, vitals: Vitals::default() };
        put(&mut bytes, first, b"first ");
        there.write_all(&bytes).await.unwrap();
        here.stream.readable().await.unwrap();
        tokio::select! {
            biased;
            _ = here.receive(100) => panic!("half a message"),
            () = std::future::ready(()) => (),
        }
        assert!(here.begun.is_some());
        bytes.clear();
        put(&mut bytes, Head { flags: 0, ..first }, b"second");
        there.write_all(&bytes).await.unwrap();
        assert_eq!(here.receive(100).await.unwrap().body, b"first second");
    }
}
