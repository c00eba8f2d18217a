//! Bytes to be written: one write for all that the tasks of a round have added, or earlier if that is much.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use tokio::io::AsyncWrite;

use crate::clock::Clock;
use crate::frame::{self, Head, MORE};
use crate::limits::{EARLY_BYTES, EARLY_FRAMES, FRAME_MAX, OUTGOING_MAX};

/// The place where bytes go.
pub(crate) type Sink = Pin<Box<dyn AsyncWrite>>;

/// A message of several frames, whose frames go one at a time.
struct Long {
    head: Head,
    body: Vec<u8>,
    at: usize,
}

#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    /// Bytes of it that are written.
    written: usize,
    /// Frames since the last write.
    frames: usize,
    long: VecDeque<Long>,
    /// Bytes of those that are still to go.
    long_bytes: usize,
    waker: Option<Waker>,
    /// The flusher has been called, and has not come.
    called: bool,
    /// The stream takes no more: only the flusher waits for it.
    blocked_since: Option<Duration>,
    /// Bytes are written, and may be kept by the stream.
    unflushed: bool,
    /// The stream ends when all is written.
    ends: bool,
}

/// The outgoing side of a link.
pub(crate) struct Outgoing {
    buffer: RefCell<Buffer>,
    sink: RefCell<Sink>,
    failed: RefCell<Option<io::Error>>,
    /// The moment when something was last written.
    pub written_at: Cell<Duration>,
    /// Writes to the stream.
    pub writes: Cell<u64>,
    /// Bytes that were written.
    pub bytes: Cell<u64>,
}

impl Outgoing {
    pub fn new(sink: Sink, now: Duration) -> Self {
        Self {
            buffer: RefCell::default(),
            sink: RefCell::new(sink),
            failed: RefCell::default(),
            written_at: Cell::new(now),
            writes: Cell::default(),
            bytes: Cell::default(),
        }
    }

    /// Returns true if so many bytes more may wait.
    pub fn has_room(&self, bytes: usize) -> bool {
        let buffer = self.buffer.borrow();
        buffer.bytes.len() - buffer.written + buffer.long_bytes + bytes <= OUTGOING_MAX
    }

    /// Adds a frame, or as many as a long body needs.
    pub fn add(&self, clock: &dyn Clock, head: Head, body: &[u8]) {
        let mut buffer = self.buffer.borrow_mut();
        if body.len() <= FRAME_MAX {
            frame::put(&mut buffer.bytes, head, body);
        } else {
            buffer.long_bytes += body.len();
            buffer.long.push_back(Long { head, body: body.to_vec(), at: 0 });
        }
        buffer.frames += 1;
        let is_much = buffer.frames >= EARLY_FRAMES || buffer.bytes.len() - buffer.written >= EARLY_BYTES;
        if !buffer.called {
            buffer.called = true;
            buffer.waker.iter().for_each(Waker::wake_by_ref);
        }
        if is_much && buffer.blocked_since.is_none() && self.failed.borrow().is_none() {
            // The flusher looks at what is left, with a waker of its own.
            let written = self.write(&mut buffer, clock, &mut Context::from_waker(Waker::noop()));
            buffer.blocked_since = None;
            if let Poll::Ready(Err(error)) = written {
                *self.failed.borrow_mut() = Some(error);
            }
        }
    }

    /// Everything that is left of a long request is not sent. Returns true if nothing of it was.
    pub fn forget_request(&self, conversation: u32) -> bool {
        let mut buffer = self.buffer.borrow_mut();
        let is_it =
            |long: &Long| long.head.kind == frame::Kind::Request && long.head.conversation == conversation;
        let Some(place) = buffer.long.iter().position(is_it) else { return false };
        let Some(long) = buffer.long.remove(place) else { return false };
        buffer.long_bytes -= long.body.len() - long.at;
        long.at == 0
    }

    /// The stream ends when all is written.
    pub fn end(&self) {
        let mut buffer = self.buffer.borrow_mut();
        buffer.ends = true;
        buffer.waker.iter().for_each(Waker::wake_by_ref);
    }

    /// Lets go of the stream, and of what was to be written.
    pub fn drop_stream(&self) {
        *self.buffer.borrow_mut() = Buffer::default();
        *self.sink.borrow_mut() = Box::pin(tokio::io::sink());
    }

    /// The moment since when the stream takes nothing.
    pub fn blocked_since(&self) -> Option<Duration> {
        self.buffer.borrow().blocked_since
    }

    /// Writes what is added, until the stream ends or fails.
    pub async fn run(&self, clock: &dyn Clock) -> io::Result<()> {
        poll_fn(|context| self.poll_run(clock, context)).await
    }

    fn poll_run(&self, clock: &dyn Clock, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(error) = self.failed.take() {
            return Poll::Ready(Err(error));
        }
        let mut buffer = self.buffer.borrow_mut();
        buffer.called = false;
        match &mut buffer.waker {
            Some(known) => known.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
        ready!(self.write(&mut buffer, clock, context))?;
        let mut sink = self.sink.borrow_mut();
        if buffer.unflushed {
            ready!(sink.as_mut().poll_flush(context))?;
            buffer.unflushed = false;
        }
        if buffer.ends { sink.as_mut().poll_shutdown(context) } else { Poll::Pending }
    }

    /// Writes until the buffer is empty. Pending: the stream takes no more.
    fn write(
        &self,
        buffer: &mut Buffer,
        clock: &dyn Clock,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        let mut sink = self.sink.borrow_mut();
        loop {
            buffer.frames = 0;
            if buffer.written == buffer.bytes.len() {
                buffer.bytes.clear();
                buffer.written = 0;
                buffer.next_long();
                if buffer.bytes.is_empty() {
                    // Where it keeps nothing, this costs nothing.
                    if buffer.unflushed && sink.as_mut().poll_flush(context)?.is_ready() {
                        buffer.unflushed = false;
                    }
                    return Poll::Ready(Ok(()));
                }
            }
            let taken = match sink.as_mut().poll_write(context, &buffer.bytes[buffer.written..]) {
                Poll::Ready(taken) => taken?,
                Poll::Pending => {
                    buffer.blocked_since.get_or_insert_with(|| clock.now());
                    return Poll::Pending;
                }
            };
            if taken == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            buffer.written += taken;
            buffer.unflushed = true;
            buffer.blocked_since = None;
            self.writes.set(self.writes.get() + 1);
            self.bytes.set(self.bytes.get() + taken as u64);
            self.written_at.set(clock.now());
        }
    }
}

impl Buffer {
    /// Puts the next frame of the long message whose turn it is into the buffer.
    fn next_long(&mut self) {
        let Some(mut long) = self.long.pop_front() else { return };
        let left = long.body.len() - long.at;
        let size = left.min(FRAME_MAX);
        let piece = &long.body[long.at..long.at + size];
        let flags = long.head.flags | if left > FRAME_MAX { MORE } else { 0 };
        frame::put(&mut self.bytes, Head { flags, ..long.head }, piece);
        long.at += size;
        self.long_bytes -= size;
        if long.at < long.body.len() {
            self.long.push_back(long);
        }
    }
}
