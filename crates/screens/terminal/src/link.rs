//! The bytes of one connection, both ways at once.

use std::io;
use std::pin::Pin;
use std::time::Duration;

use tn3270::telnet::Server;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadHalf, WriteHalf, split};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::host::Disconnect;
use crate::limits::{Limits, UNSENT_LEN_MAX};

/// Bytes read at once: more than any screen of fields that a user fills in.
const READ_LEN: usize = 4_096;

/// A stream with the telnet end that speaks on it.
pub(crate) struct Link<S> {
    pub server: Server,
    reader: ReadHalf<S>,
    writer: WriteHalf<S>,
    buffer: Box<[u8; READ_LEN]>,
    needs_flush: bool,
    watch: Watch,
}

/// When to look after a client again. One timer is kept, and moved only when it comes due too late.
struct Watch {
    timer: Pin<Box<Sleep>>,
    stall_max: Duration,
    silence_max: Duration,
    timing_mark_max: Duration,
    heard: Instant,
    asked: Option<Instant>,
    /// Since when output waits without any of it being taken.
    waiting_since: Option<Instant>,
    /// True if silence matters: only once the session has begun.
    in_session: bool,
}

impl<S: AsyncRead + AsyncWrite> Link<S> {
    pub fn new(stream: S, server: Server, limits: &Limits) -> Self {
        let (reader, writer) = split(stream);
        let now = Instant::now();
        let watch = Watch {
            timer: Box::pin(sleep_until(now + limits.stall_max)),
            stall_max: limits.stall_max,
            silence_max: limits.silence_max,
            timing_mark_max: limits.timing_mark_max,
            heard: now,
            asked: None,
            waiting_since: None,
            in_session: false,
        };
        Self { server, reader, writer, buffer: Box::new([0; READ_LEN]), needs_flush: false, watch }
    }

    /// From now on a silent client is asked whether it lives.
    pub fn begin_session(&mut self) {
        self.watch.in_session = true;
        self.watch.heard = Instant::now();
    }

    /// Returns true if the client has taken enough of the output for more to be sent.
    pub fn has_room(&mut self) -> bool {
        self.server.output().len() < UNSENT_LEN_MAX
    }

    /// Lets bytes pass, one way or the other, or time. It may be dropped at any point without losing any.
    pub async fn step(&mut self) -> Result<(), Disconnect> {
        let Self { server, reader, writer, buffer, needs_flush, watch } = self;
        let now = Instant::now();
        let unsent = server.output();
        watch.set(now, !unsent.is_empty());
        tokio::select! {
            read = reader.read(&mut buffer[..]), if unsent.len() < UNSENT_LEN_MAX => {
                let len = read.map_err(lost)?;
                if len == 0 {
                    return Err(Disconnect::ClientClosed);
                }
                watch.has_heard();
                server.receive(&buffer[..len]);
            }
            pushed = push(writer, unsent), if !unsent.is_empty() || *needs_flush => {
                *needs_flush = !unsent.is_empty();
                unsent.drain(..pushed.map_err(lost)?);
                watch.waiting_since = None;
            }
            () = watch.timer.as_mut() => {
                if watch.is_due()? {
                    server.ask_timing_mark();
                }
            }
        }
        Ok(())
    }

    /// Sends the rest of the output, closes this end, and gives the client time to read it and close its own: a
    /// connection closed with bytes unread would take the last ones sent with it.
    pub async fn farewell(mut self, limits: &Limits) {
        let rest = async {
            self.writer.write_all(self.server.output()).await?;
            self.writer.shutdown().await?;
            while self.reader.read(&mut self.buffer[..]).await? > 0 {}
            io::Result::Ok(())
        };
        // Whatever comes of it, the connection is over.
        let _ = tokio::time::timeout(limits.farewell_max, rest).await;
    }
}

impl Watch {
    fn has_heard(&mut self) {
        self.heard = Instant::now();
        self.asked = None;
    }

    fn set(&mut self, now: Instant, waiting: bool) {
        match waiting {
            true => self.waiting_since = self.waiting_since.or(Some(now)),
            false => self.waiting_since = None,
        }
        let deadline = self.deadline();
        if self.timer.deadline() > deadline || self.timer.is_elapsed() {
            self.timer.as_mut().reset(deadline);
        }
    }

    fn deadline(&self) -> Instant {
        let silence = match self.asked {
            Some(asked) => asked + self.timing_mark_max,
            None => self.heard + self.silence_max,
        };
        match self.waiting_since {
            Some(since) => silence.min(since + self.stall_max),
            None => silence,
        }
    }

    /// The timer has come: whether the client is to be asked for a sign of life.
    fn is_due(&mut self) -> Result<bool, Disconnect> {
        let now = Instant::now();
        if self.waiting_since.is_some_and(|since| now >= since + self.stall_max) {
            return Err(Disconnect::Stalled);
        }
        if !self.in_session {
            self.heard = now;
            return Ok(false);
        }
        match self.asked {
            Some(asked) if now >= asked + self.timing_mark_max => Err(Disconnect::Silent),
            Some(_) => Ok(false),
            None if now >= self.heard + self.silence_max => {
                self.asked = Some(now);
                Ok(true)
            }
            None => Ok(false),
        }
    }
}

/// Writes as many bytes as can be written; if there are none left, flushes the writer.
async fn push(writer: &mut (impl AsyncWrite + Unpin), unsent: &[u8]) -> io::Result<usize> {
    if unsent.is_empty() {
        return writer.flush().await.map(|()| 0);
    }
    match writer.write(unsent).await? {
        0 => Err(io::ErrorKind::WriteZero.into()),
        len => Ok(len),
    }
}

fn lost(error: io::Error) -> Disconnect {
    Disconnect::Lost(error.kind())
}
