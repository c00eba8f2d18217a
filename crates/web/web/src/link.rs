//! A connection's bytes, with a time for everything a client can hold up.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::time::{Instant, timeout, timeout_at};

use crate::limits::{LINGER_BYTES_MAX, Limits, RATE_MIN, READ_MAX};
use crate::prefixed::Prefixed;
use crate::traffic::Traffic;

thread_local! {
    /// Buffer for arriving bytes, for all connections of a thread: none holds a buffer while it waits for its client.
    static SCRATCH: RefCell<Box<[u8]>> = RefCell::new(vec![0; READ_MAX].into_boxed_slice());
}

pub(crate) struct Link<S> {
    stream: S,
    traffic: Arc<Traffic>,
}

/// Reasons why nothing was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nothing {
    /// The client will send no more.
    Ended,
    /// The connection broke.
    Lost,
    /// It took too long.
    TooSlow,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Link<S> {
    pub fn new(stream: S, traffic: Arc<Traffic>) -> Self {
        Self { stream, traffic }
    }

    /// Gives what comes next to `take`, until a moment; the answer is how much it was.
    pub async fn read(
        &mut self,
        until: Option<Instant>,
        mut take: impl FnMut(&[u8]),
    ) -> Result<usize, Nothing> {
        let read = poll_fn(|context| {
            SCRATCH.with_borrow_mut(|scratch| {
                let mut bytes = ReadBuf::new(scratch);
                ready!(Pin::new(&mut self.stream).poll_read(context, &mut bytes))?;
                take(bytes.filled());
                Poll::Ready(Ok::<_, io::Error>(bytes.filled().len()))
            })
        });
        let read = match until {
            Some(until) => timeout_at(until, read).await.map_err(|_| Nothing::TooSlow)?,
            None => read.await,
        };
        match read {
            Ok(0) => Err(Nothing::Ended),
            Ok(length) => {
                self.traffic.received(length);
                Ok(length)
            }
            Err(_) => Err(Nothing::Lost),
        }
    }

    /// Writes all of it, at least at the rate that a client must take it.
    pub async fn write(&mut self, bytes: &[u8], limits: &Limits) -> io::Result<()> {
        let most = limits.grace + Duration::from_secs(bytes.len() as u64 / RATE_MIN);
        match timeout(most, self.stream.write_all(bytes)).await {
            Ok(written) => {
                written?;
                self.traffic.sent(bytes.len());
                self.stream.flush().await
            }
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    /// Ends the connection in order, with nothing of the client left unread.
    pub async fn farewell(&mut self, limits: &Limits) {
        let _ = timeout(limits.linger_max, self.stream.shutdown()).await;
    }

    /// Ends the connection so that the client can read what was sent last: what it still sends is read and dropped, or a
    /// reset would destroy it.
    pub async fn linger(&mut self, limits: &Limits) {
        let farewell = async {
            let _ = self.stream.shutdown().await;
            let mut dropped = 0;
            while dropped < LINGER_BYTES_MAX {
                match self.read(None, |_| ()).await {
                    Ok(length) => dropped += length,
                    Err(_) => return,
                }
            }
        };
        let _ = timeout(limits.linger_max, farewell).await;
    }

    /// The stream itself, with bytes before those that are still to be read; what goes through it is counted.
    pub fn into_stream(self, before: Vec<u8>) -> Prefixed<S> {
        Prefixed::new(before, self.stream, self.traffic)
    }
}
