//! A connection: what waits to be sent, what has come.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use tokio::io::AsyncWrite;

use super::receive::{Incoming, Message};
use super::send::Outgoing;
use super::stream::Stream;

pub(crate) struct Connection {
    stream: Stream,
    pub(crate) out: Outgoing,
    incoming: Incoming,
}

impl Connection {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, out: Outgoing::default(), incoming: Incoming::default() }
    }

    /// The next message that is here.
    pub(crate) fn message(&mut self) -> io::Result<Option<Message<'_>>> {
        self.incoming.next()
    }

    /// Sends what the connection takes, and reads. Ready when something has come. Both go on at once: a server that
    /// waits for its answers to be read would not read what is sent to it.
    pub(crate) fn poll_turn(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let sent = self.poll_send(cx);
        let read = self.incoming.poll_fill(cx, &mut self.stream);
        match (sent, read) {
            // What the server said before it went says more than a broken pipe.
            (_, Poll::Ready(read)) => Poll::Ready(read),
            (Poll::Ready(Err(error)), Poll::Pending) => Poll::Ready(Err(error)),
            _ => Poll::Pending,
        }
    }

    /// Returns true if nothing has come unasked. A server that goes away sends a message, or hangs up.
    pub(crate) fn is_quiet(&mut self) -> bool {
        let mut cx = Context::from_waker(Waker::noop());
        self.incoming.poll_fill(&mut cx, &mut self.stream).is_pending()
    }

    /// Sends everything.
    pub(crate) fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.out.is_empty() {
            let count = ready!(Pin::new(&mut self.stream).poll_write(cx, self.out.rest()))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.out.advance(count);
        }
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    /// Sends and reads until something has come. May be dropped and called again: nothing is lost.
    pub(crate) async fn turn(&mut self) -> io::Result<()> {
        poll_fn(|cx| self.poll_turn(cx)).await
    }
}
