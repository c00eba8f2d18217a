//! A connection with TLS whose bytes are counted, and the processor time that TLS takes.
//!
//! Bytes are those of what is sent and received, as the two ends mean it, not of TLS's own records. Processor time is that of the thread
//! while TLS is at work: shaking hands always, carrying bytes where monitoring asks for it. The system's part of reading and writing
//! the socket is in it.

use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};

use rustix::time::{ClockId, clock_gettime};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The processor time of carrying bytes is measured.
static MEASURED: AtomicBool = AtomicBool::new(false);

/// Measures the processor time of carrying bytes from now on, or does not.
#[inline]
pub fn measure_transfers(on: bool) {
    if MEASURED.load(Ordering::Relaxed) != on {
        MEASURED.store(on, Ordering::Relaxed);
    }
}

/// Bytes and processor time of TLS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Bytes that were encrypted.
    pub encrypted: u64,
    /// Bytes that were decrypted.
    pub decrypted: u64,
    /// Nanoseconds of processor time.
    pub processor_ns: u64,
}

/// Counts of all connections of a way, version and cipher suite.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Handshakes that were made in full.
    pub full: AtomicU64,
    /// That resumed a session.
    pub resumed: AtomicU64,
    /// That failed.
    pub failed: AtomicU64,
    /// Nanoseconds of processor time of handshakes.
    pub handshake_ns: AtomicU64,
    /// Bytes that were encrypted.
    pub encrypted: AtomicU64,
    /// Bytes that were decrypted.
    pub decrypted: AtomicU64,
    /// Nanoseconds of processor time of carrying these.
    pub transfer_ns: AtomicU64,
}

impl Counts {
    /// A handshake took so long.
    pub fn shaken(&self, processor_ns: u64) {
        self.handshake_ns.fetch_add(processor_ns, Ordering::Relaxed);
    }
}

/// Counts of one connection: those that have not been taken yet.
#[derive(Debug)]
pub struct Tally {
    of_suite: Arc<Counts>,
    /// The registered number of its cipher suite.
    cipher: u16,
    encrypted: AtomicU64,
    decrypted: AtomicU64,
    processor_ns: AtomicU64,
}

impl Tally {
    /// That of a connection of a cipher suite, whose handshake took so much processor time.
    pub(crate) fn new(of_suite: Arc<Counts>, cipher: u16, handshake_ns: u64) -> Arc<Self> {
        of_suite.shaken(handshake_ns);
        let [encrypted, decrypted] = [0, 0].map(AtomicU64::new);
        Arc::new(Self { of_suite, cipher, encrypted, decrypted, processor_ns: AtomicU64::new(handshake_ns) })
    }

    /// The registered number of the connection's cipher suite.
    pub fn cipher(&self) -> u16 {
        self.cipher
    }

    /// Takes what has come together since it was taken last.
    pub fn take(&self) -> Spent {
        let [encrypted, decrypted, processor_ns] = [&self.encrypted, &self.decrypted, &self.processor_ns]
            .map(|count| count.swap(0, Ordering::Relaxed));
        Spent { encrypted, decrypted, processor_ns }
    }

    fn encrypted(&self, bytes: usize) {
        self.encrypted.fetch_add(bytes as u64, Ordering::Relaxed);
        self.of_suite.encrypted.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    fn decrypted(&self, bytes: usize) {
        self.decrypted.fetch_add(bytes as u64, Ordering::Relaxed);
        self.of_suite.decrypted.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Runs a part of TLS's work, whose time counts where it is measured.
    fn timed<T>(&self, work: impl FnOnce() -> T) -> T {
        if !MEASURED.load(Ordering::Relaxed) {
            return work();
        }
        let begun = processor_time();
        let done = work();
        let took = processor_time().saturating_sub(begun);
        self.processor_ns.fetch_add(took, Ordering::Relaxed);
        self.of_suite.transfer_ns.fetch_add(took, Ordering::Relaxed);
        done
    }
}

/// Nanoseconds of processor time of this thread.
fn processor_time() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    u64::try_from(time.tv_sec).unwrap_or_default() * 1_000_000_000
        + u64::try_from(time.tv_nsec).unwrap_or_default()
}

/// Runs a handshake: its outcome, and nanoseconds of processor time.
pub(crate) async fn timed<F: Future>(handshake: F) -> (F::Output, u64) {
    let (mut handshake, mut took) = (pin!(handshake), 0);
    let done = std::future::poll_fn(|context| {
        let begun = processor_time();
        let polled = handshake.as_mut().poll(context);
        took += processor_time().saturating_sub(begun);
        polled
    });
    let done = done.await;
    (done, took)
}

/// A connection over TLS.
#[derive(Debug)]
pub struct Secured<T> {
    stream: T,
    tally: Arc<Tally>,
}

impl<T> Secured<T> {
    pub(crate) fn new(stream: T, tally: Arc<Tally>) -> Self {
        Self { stream, tally }
    }

    /// The stream of the library, with the socket and the session.
    pub fn get_ref(&self) -> &T {
        &self.stream
    }

    /// Its counts.
    pub fn tally(&self) -> &Arc<Tally> {
        &self.tally
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Secured<T> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Self { stream, tally } = self.get_mut();
        let before = into.filled().len();
        let polled = tally.timed(|| Pin::new(stream).poll_read(context, into));
        tally.decrypted(into.filled().len().saturating_sub(before));
        polled
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Secured<T> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let Self { stream, tally } = self.get_mut();
        let polled = tally.timed(|| Pin::new(stream).poll_write(context, bytes));
        tally.written(&polled);
        polled
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let Self { stream, tally } = self.get_mut();
        let polled = tally.timed(|| Pin::new(stream).poll_write_vectored(context, pieces));
        tally.written(&polled);
        polled
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, tally } = self.get_mut();
        tally.timed(|| Pin::new(stream).poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, tally } = self.get_mut();
        tally.timed(|| Pin::new(stream).poll_shutdown(context))
    }
}

impl Tally {
    fn written(&self, polled: &Poll<io::Result<usize>>) {
        if let Poll::Ready(Ok(count)) = polled {
            self.encrypted(*count);
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn bytes_are_counted_both_ways_and_taken_once() {
        let (near, mut far) = tokio::io::duplex(64);
        let of_suite = Arc::new(Counts::default());
        let mut secured = Secured::new(near, Tally::new(Arc::clone(&of_suite), 0x1301, 7));
        secured.write_all(b"question").await.expect("written");
        far.write_all(b"answer").await.expect("written");
        let mut read = [0; 6];
        secured.read_exact(&mut read).await.expect("read");
        let tally = Arc::clone(secured.tally());
        assert_eq!(tally.take(), Spent { encrypted: 8, decrypted: 6, processor_ns: 7 });
        assert_eq!(tally.take(), Spent::default());
        assert_eq!(tally.cipher(), 0x1301);
        let told = [&of_suite.encrypted, &of_suite.decrypted, &of_suite.handshake_ns, &of_suite.transfer_ns];
        assert_eq!(told.map(|count| count.load(Ordering::Relaxed)), [8, 6, 7, 0]);
    }

    #[tokio::test]
    async fn the_time_of_a_handshake_is_that_of_its_work() {
        let work = async {
            let until = processor_time() + 2_000_000;
            while processor_time() < until {}
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        };
        let ((), took) = timed(work).await;
        assert!((2_000_000..15_000_000).contains(&took), "{took}");
    }
}
