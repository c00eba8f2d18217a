//! A socket: a descriptor that never blocks, and how a task waits for it.
//!
//! Nothing is registered with an event loop before a call would have to wait: most connections are read, answered and
//! closed without. A registration belongs to the thread that made it; a task that waits on another thread replaces it.
//! A registered socket is only asked when the event loop has told that something came, so that a conversation costs
//! one system call for each message and direction.

use std::future::poll_fn;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Waker};
use std::thread::ThreadId;

use parking_lot::Mutex;
use rustix::io::Errno as System;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::task::coop::{poll_proceed, unconstrained};

use crate::arrived::Arrived;
use crate::counters::{Population, Present};
use crate::errno::Errno;

/// A socket; tasks that share it hold it together, and the last one closes it.
pub struct Socket {
    registration: Mutex<Option<Arc<Registration>>>,
    fd: Arc<OwnedFd>,
    /// As which connection it is counted.
    counted: OnceLock<Present>,
    /// The client that has come with it, if one has.
    arrived: OnceLock<Arrived>,
    /// Bytes of a transfer that was tried and has to wait, as far as they went.
    sent: AtomicUsize,
}

/// The need of an operation before it can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Something to read, or a connection to accept.
    Read,
    /// Room for data to be written, or the end of a connect.
    Write,
}

impl Direction {
    /// The interest that the event loop registers.
    fn interest(self) -> Interest {
        match self {
            Self::Read => Interest::READABLE,
            Self::Write => Interest::WRITABLE,
        }
    }
}

/// The effect of the event loop's news.
enum Told {
    /// It still holds.
    Kept,
    /// The next wait is for news.
    Forgotten,
}

/// The result of a receive, as far as waiting is concerned.
pub trait Drained {
    /// Returns true if nothing is left: the next operation would wait.
    fn is_drained(&self) -> bool {
        false
    }
}

/// A socket's place in a thread's event loop. It holds the descriptor: a number may be another socket's after a close.
pub struct Registration {
    events: AsyncFd<Arc<OwnedFd>>,
    thread: ThreadId,
    /// True if the event loop also looks for room to write. It always looks for something to read.
    writes: bool,
}

impl Registration {
    fn covers(&self, direction: Direction) -> bool {
        direction == Direction::Read || self.writes
    }

    /// Does something if the event loop has reported that it can be done, and forgets the report if `what` says so.
    fn if_told(&self, direction: Direction, what: impl FnOnce() -> Told) {
        // The outcome is only how the event loop hears of it.
        let _ = self.events.try_io(direction.interest(), |_| match what() {
            Told::Kept => Ok(()),
            Told::Forgotten => Err(std::io::ErrorKind::WouldBlock.into()),
        });
    }

    /// Forgets the event loop's report: the next wait is for news.
    pub fn forget(&self, direction: Direction) {
        self.if_told(direction, || Told::Forgotten);
    }

    /// Returns true if the event loop has news; if not, the context's waker will hear of them.
    ///
    /// The event loop counts how often a future asks and says "not now" to one that asks too often. The answer here
    /// must not depend on that: a caller gives way where it can wait.
    pub fn poll_news(&self, direction: Direction, context: &mut Context<'_>) -> bool {
        let ready = poll_fn(|context| match direction {
            Direction::Read => self.events.poll_read_ready(context),
            Direction::Write => self.events.poll_write_ready(context),
        });
        pin!(unconstrained(ready)).poll(context).is_ready()
    }

    /// Waits for news.
    ///
    /// # Errors
    /// EIO when the event loop has ended.
    pub async fn news(&self, direction: Direction) -> Result<(), Errno> {
        self.events.ready(direction.interest()).await.map(drop).map_err(|_| Errno::IO)
    }
}

impl Socket {
    /// A socket of a descriptor that does not block.
    pub fn new(fd: OwnedFd) -> Arc<Self> {
        Arc::new(Self {
            registration: Mutex::default(),
            fd: Arc::new(fd),
            counted: OnceLock::new(),
            arrived: OnceLock::new(),
            sent: AtomicUsize::new(0),
        })
    }

    /// Keeps the number of bytes that a tried transfer has sent; the repeated call sends the rest.
    pub fn keep_sent(&self, bytes: usize) {
        self.sent.store(bytes, Ordering::Relaxed);
    }

    /// Takes the number of bytes that the earlier try of this transfer has sent.
    pub fn take_sent(&self) -> usize {
        // No other thread sends on it now: an ordinary load and store will do.
        match self.sent.load(Ordering::Relaxed) {
            0 => 0,
            bytes => {
                self.sent.store(0, Ordering::Relaxed);
                bytes
            }
        }
    }

    /// Counts it among the connections of a kind, once, until it is closed.
    pub fn count(&self, among: &Arc<Population>) {
        self.counted.get_or_init(|| among.enter());
    }

    /// It is the connection of a client that has come.
    pub fn arrives(&self, arrived: Arrived) {
        self.arrived.get_or_init(|| arrived);
    }

    /// The client that has come with it; `None` for a socket of another kind.
    pub fn arrived(&self) -> Option<&Arrived> {
        self.arrived.get()
    }

    /// Its descriptor.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Another descriptor of the same socket, for another thread.
    ///
    /// # Errors
    /// The system's error.
    pub fn second(&self) -> std::io::Result<Arc<Self>> {
        self.fd.try_clone().map(Self::new)
    }

    /// Its registration with this thread's event loop.
    ///
    /// # Errors
    /// The system's error.
    pub fn registered(&self, direction: Direction) -> Result<Arc<Registration>, Errno> {
        let thread = std::thread::current().id();
        let mut registration = self.registration.lock();
        if let Some(present) = registration.as_ref().filter(|r| r.thread == thread && r.covers(direction)) {
            return Ok(Arc::clone(present));
        }
        let writes = direction == Direction::Write || registration.as_ref().is_some_and(|r| r.writes);
        let interest = if writes { Interest::READABLE | Interest::WRITABLE } else { Interest::READABLE };
        // The old one goes first: an event loop knows a descriptor once.
        *registration = None;
        #[expect(
            deprecated,
            reason = "its successor is unsafe, for descriptors that may be closed: this one is held"
        )]
        let events = AsyncFd::with_interest(Arc::clone(&self.fd), interest).map_err(system)?;
        let new = Arc::new(Registration { events, thread, writes });
        *registration = Some(Arc::clone(&new));
        Ok(new)
    }

    /// Tries an operation; `None` if it would have to wait.
    pub fn attempt<T: Drained>(
        &self,
        direction: Direction,
        operation: impl FnOnce(BorrowedFd<'_>) -> Result<T, System>,
    ) -> Option<Result<T, Errno>> {
        let registration = self.registration.lock().clone().filter(|r| r.covers(direction));
        let Some(registration) = registration else { return settle(operation(self.fd())) };
        // A socket without a report is not tried.
        let mut result = None;
        registration.if_told(direction, || {
            result = settle(operation(self.fd()));
            match &result {
                None => Told::Forgotten,
                Some(Ok(value)) if value.is_drained() => Told::Forgotten,
                Some(_) => Told::Kept,
            }
        });
        result
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if let Some(arrived) = self.arrived.get() {
            arrived.ends(self.fd());
        }
    }
}

/// Returns true if the running task has had the thread long enough: ready tasks should go first.
pub fn has_had_its_turn() -> bool {
    match poll_proceed(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(turn) => {
            turn.made_progress();
            false
        }
        Poll::Pending => true,
    }
}

/// An operation's result; `None` if it would have to wait.
pub fn settle<T>(result: Result<T, System>) -> Option<Result<T, Errno>> {
    match result {
        Err(System::WOULDBLOCK) => None,
        Err(error) => Some(Err(error.into())),
        Ok(value) => Some(Ok(value)),
    }
}

fn system(error: std::io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::IO, |number| System::from_raw_os_error(number).into())
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;
    use std::time::Duration;

    use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socketpair};

    use super::*;
    use crate::port::when_ready;

    /// Bytes received, and that there are no more.
    struct Bytes(usize, bool);

    impl Drained for Bytes {
        fn is_drained(&self) -> bool {
            self.1
        }
    }

    fn pair() -> (Arc<Socket>, OwnedFd) {
        let flags = SocketFlags::NONBLOCK.union(SocketFlags::CLOEXEC);
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::STREAM, flags, None).expect("a pair");
        (Socket::new(ours), theirs)
    }

    fn receive(fd: BorrowedFd<'_>) -> Result<Bytes, System> {
        let mut room = [0; 8];
        let (count, _) = recv(fd, &mut room, RecvFlags::empty())?;
        Ok(Bytes(count, count > 0 && count < room.len()))
    }

    /// A socket that has news which the event loop has not seen, and the other end.
    fn with_news() -> (Arc<Socket>, OwnedFd) {
        let (socket, peer) = pair();
        socket.registered(Direction::Read).expect("an event loop");
        send(&peer, b"NEWS", SendFlags::empty()).expect("sent");
        (socket, peer)
    }

    async fn loop_turns() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }

    #[tokio::test]
    async fn news_of_a_closed_socket_are_not_those_of_the_next_one_with_its_number() {
        let mut reused = 0;
        for seen in [false, true].repeat(50) {
            let (old, old_peer) = with_news();
            if seen {
                loop_turns().await;
            }
            let number = old.fd().as_raw_fd();
            drop(old);
            let (new, peer) = pair();
            // Other tests take numbers, too.
            reused += u32::from(new.fd().as_raw_fd() == number);
            let registration = new.registered(Direction::Read).expect("an event loop");
            loop_turns().await;
            assert!(!registration.poll_news(Direction::Read, &mut Context::from_waker(Waker::noop())));
            assert!(new.attempt(Direction::Read, receive).is_none());
            send(&peer, b"OWN", SendFlags::empty()).expect("sent");
            assert!(matches!(when_ready(&new, receive).await, Ok(Bytes(3, true))));
            drop(old_peer);
        }
        assert!(reused > 0, "a number that is free is given again");
    }

    #[tokio::test]
    async fn an_end_that_comes_with_the_last_bytes_is_not_missed() {
        for waits in [false, true] {
            let (socket, peer) = with_news();
            if waits {
                loop_turns().await;
            }
            drop(peer);
            assert!(matches!(when_ready(&socket, receive).await, Ok(Bytes(4, true))));
            let end = tokio::time::timeout(Duration::from_secs(10), when_ready(&socket, receive)).await;
            assert!(matches!(end, Ok(Ok(Bytes(0, false)))), "news came once, of both");
        }
    }

    #[tokio::test]
    async fn bytes_that_came_before_a_reset_are_received() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let at = listener.local_addr().expect("its address");
        let mut client = std::net::TcpStream::connect(at).expect("a connection");
        let (ours, _) = listener.accept().expect("the client");
        ours.set_nonblocking(true).expect("as all of a region");
        let socket = Socket::new(ours.into());
        socket.registered(Direction::Read).expect("an event loop");
        send(socket.fd(), b"UNREAD", SendFlags::NOSIGNAL).expect("sent");
        std::io::Write::write_all(&mut client, b"LAST").expect("sent");
        // Bytes that the client leaves unread make its end a reset.
        drop(client);
        assert!(matches!(when_ready(&socket, receive).await, Ok(Bytes(4, true))));
        assert_eq!(when_ready(&socket, receive).await.err().map(|errno| errno.0), Some(Errno::CONNRESET.0));
    }
}
