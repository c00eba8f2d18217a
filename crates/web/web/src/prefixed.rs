//! A stream whose first bytes were read already.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::traffic::Traffic;

/// A stream with bytes before those that are still to be read.
pub(crate) struct Prefixed<S> {
    before: Vec<u8>,
    stream: S,
    traffic: Arc<Traffic>,
}

impl<S> Prefixed<S> {
    pub fn new(before: Vec<u8>, stream: S, traffic: Arc<Traffic>) -> Self {
        Self { before, stream, traffic }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Prefixed<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.before.is_empty() {
            let known = into.filled().len();
            ready!(Pin::new(&mut self.stream).poll_read(context, into))?;
            self.traffic.received(into.filled().len() - known);
            return Poll::Ready(Ok(()));
        }
        let taken = self.before.len().min(into.remaining());
        into.put_slice(&self.before[..taken]);
        self.before.drain(..taken);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Prefixed<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(context, bytes))?;
        self.traffic.sent(written);
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
