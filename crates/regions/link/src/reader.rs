//! The incoming side of a link, and who watches over both.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::clock::Patience;
use crate::ended::Ended;
use crate::frame::{Incoming, Kind};
use crate::inner::Inner;
use crate::limits::{BEAT, FRAME_TIME, READ_BYTES, STALL_MAX};

/// The place where bytes come from.
pub(crate) type Source = Pin<Box<dyn AsyncRead>>;

/// The reason why a connection is gone.
pub(crate) fn lost(error: &io::Error) -> Ended {
    Ended::Lost(error.to_string())
}

/// The reason that is given where the other side has ended its stream.
pub(crate) const GONE: &str = "the partner has ended the connection";

/// Reads frames until the link ends.
pub(crate) async fn read(inner: Rc<Inner>, mut source: Source, mut incoming: Incoming) -> Ended {
    loop {
        if let Err(ended) = take_all(&inner, &mut incoming) {
            // The other side may read why.
            if let Ended::Malformed(why) = &ended {
                inner.send(Kind::Refused, 0, 0, why.as_bytes());
                give_way().await;
            }
            return ended;
        }
        match source.read_buf(incoming.room(READ_BYTES)).await {
            Ok(0) if inner.is_finished() => return Ended::Closed,
            Ok(0) => return Ended::Lost(GONE.into()),
            Ok(count) => {
                inner.bytes_read.set(inner.bytes_read.get() + count as u64);
                inner.read_at.set(inner.clock.now());
            }
            Err(error) => return lost(&error),
        }
    }
}

fn take_all(inner: &Rc<Inner>, incoming: &mut Incoming) -> Result<(), Ended> {
    let mut frames = 0;
    while let Some((head, body)) = incoming.next_frame()? {
        inner.take(head, body)?;
        frames += 1;
    }
    // A frame is on its way since the last read that has ended one, or since it has begun.
    let since = match incoming.is_in_frame() {
        false => None,
        true if frames > 0 => Some(inner.read_at.get()),
        true => inner.frame_since.get().or(Some(inner.read_at.get())),
    };
    inner.frame_since.set(since);
    Ok(())
}

/// Lets the flusher have its turn.
async fn give_way() {
    let mut given = false;
    poll_fn(|context| {
        if std::mem::replace(&mut given, true) {
            return std::task::Poll::Ready(());
        }
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}

/// Sends heartbeats, and ends the link of a partner that has hung.
pub(crate) async fn watch(inner: Rc<Inner>, patience: Patience) -> Ended {
    loop {
        let now = inner.clock.now();
        if let Some(ended) = hung(&inner, patience, now) {
            return ended;
        }
        if now >= inner.out.written_at.get() + BEAT && inner.out.blocked_since().is_none() {
            inner.send(Kind::Beat, 0, 0, &[]);
            give_way().await;
        }
        let next = inner.out.written_at.get() + BEAT;
        let next = if next > now { next } else { now + BEAT };
        inner.clock.until(next).await;
    }
}

fn hung(inner: &Inner, patience: Patience, now: Duration) -> Option<Ended> {
    let past = |since: Duration, most: Duration| now.saturating_sub(since) >= most;
    if let Some(most) = patience.silence
        && past(inner.read_at.get(), most)
    {
        return Some(Ended::Lost(format!("nothing has come for {} s", most.as_secs())));
    }
    if inner.frame_since.get().is_some_and(|since| past(since, FRAME_TIME)) {
        return Some(Ended::Malformed("a frame that does not end".into()));
    }
    let stalls = inner.out.blocked_since().is_some_and(|since| past(since, STALL_MAX));
    stalls.then(|| Ended::Lost(format!("the partner has read nothing for {} s", STALL_MAX.as_secs())))
}
