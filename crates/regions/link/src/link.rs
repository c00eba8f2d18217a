//! A link: how it begins, what is asked through it, how it ends.

use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::clock::{Clock, Patience};
use crate::ended::{Ended, NoReply, malformed, reason, told_reason};
use crate::frame::{self, Head, Incoming, Kind, Vitals};
use crate::hello::{Hello, Purpose};
use crate::host::Host;
use crate::inner::Inner;
use crate::limits::{HELLO_TIME, READ_BYTES};
use crate::outgoing::Sink;
use crate::pending::{Held, Taker, Turn};
use crate::reader::{GONE, Source, lost, read, watch};
use crate::sessions::Session;

/// The thing: what a link is made of.
pub struct Begin {
    /// The place where bytes come from.
    pub source: Pin<Box<dyn AsyncRead>>,
    /// The place where they go.
    pub sink: Pin<Box<dyn AsyncWrite>>,
    /// The region.
    pub host: Rc<dyn Host>,
    /// The clock.
    pub clock: Rc<dyn Clock>,
    /// The way: how long silence may last.
    pub patience: Patience,
}

/// The thing: what has gone through a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Requests of this side.
    pub asked: u64,
    /// Answers of this side.
    pub answered: u64,
    /// Bytes that were written.
    pub bytes_written: u64,
    /// Bytes that were read.
    pub bytes_read: u64,
    /// Writes.
    pub writes: u64,
}

/// A link. All clones are the same one. It lives until it is closed, cut or lost.
#[derive(Clone)]
pub struct Link(Rc<Inner>);

impl Link {
    /// Begins a link to a partner that accepts it. `judge` sees what the partner says of itself.
    ///
    /// # Errors
    /// The partner, the judge or the stream does not want it.
    pub async fn connect(
        begin: Begin,
        ours: &Hello,
        judge: impl FnOnce(&Hello) -> Result<(), String>,
    ) -> Result<Self, Ended> {
        let mut begins = Begins::new(begin);
        let clock = Rc::clone(&begins.begin.clock);
        in_time(&*clock, async move {
            begins.say(ours).await?;
            let theirs = begins.hears().await?;
            match judge(&theirs) {
                Ok(()) => Ok(begins.link(theirs, ours)),
                Err(why) => Err(begins.refuse(&why).await),
            }
        })
        .await
    }

    /// Begins a link that a partner has asked for. `judge` sees what the partner says of itself, and gives what this side
    /// says, or why it does not want the link.
    ///
    /// # Errors
    /// The judge, the partner or the stream does not want it.
    pub async fn accept(
        begin: Begin,
        judge: impl FnOnce(&Hello) -> Result<Hello, String>,
    ) -> Result<Self, Ended> {
        let mut begins = Begins::new(begin);
        let clock = Rc::clone(&begins.begin.clock);
        in_time(&*clock, async move {
            let theirs = match begins.hears().await {
                Err(Ended::Unwanted(why) | Ended::Malformed(why)) => return Err(begins.refuse(&why).await),
                heard => heard?,
            };
            match judge(&theirs) {
                Ok(ours) => {
                    begins.say(&ours).await?;
                    Ok(begins.link(theirs, &ours))
                }
                Err(why) => Err(begins.refuse(&why).await),
            }
        })
        .await
    }

    /// Sends a request, which is in flight from here on. Dropped, the reply is no longer wanted: a Cancel goes to the other side.
    ///
    /// # Errors
    /// The link takes no requests.
    pub fn request(&self, session: Session, body: &[u8]) -> Result<Asking, NoReply> {
        self.request_in_turn(session, None, body)
    }

    /// The same for one of several requests that follow one another: its turn is over when the reply has come, wanted or not.
    ///
    /// # Errors
    /// The link takes no requests.
    pub fn request_in_turn(
        &self,
        session: Session,
        turn: Option<Turn>,
        body: &[u8],
    ) -> Result<Asking, NoReply> {
        let conversation = self.0.request(Held { session, turn }, body)?;
        Ok(Asking { inner: Rc::clone(&self.0), conversation, done: false })
    }

    /// Sends a request, whose body its taker has; the reply goes there, without a task that waits for it.
    ///
    /// # Errors
    /// The link takes no requests; the taker comes back.
    pub fn request_for<T: Taker + 'static>(
        &self,
        session: Session,
        taker: T,
        body: impl Fn(&T) -> &[u8],
    ) -> Result<(), (NoReply, T)> {
        self.0.request_for(session, taker, body)
    }

    /// A Cancel goes to the other side for each request whose taker is not wanted any more.
    pub fn abandon_unwanted(&self) {
        self.0.abandon_unwanted();
    }

    /// The thing: what the other side has said of itself.
    pub fn partner(&self) -> &Hello {
        &self.0.theirs
    }

    /// The way: how the other side was when it last sent something.
    pub fn vitals(&self) -> Vitals {
        self.0.vitals.get()
    }

    /// The time for which nothing has come.
    pub fn silence(&self) -> Duration {
        self.0.clock.now().saturating_sub(self.0.read_at.get())
    }

    /// The thing: what has gone through it.
    pub fn traffic(&self) -> Traffic {
        Traffic {
            asked: self.0.asked.get(),
            answered: self.0.answered.get(),
            bytes_written: self.0.out.bytes.get(),
            bytes_read: self.0.bytes_read.get(),
            writes: self.0.out.writes.get(),
        }
    }

    /// Returns true if both are the same link.
    pub fn is(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Returns true if it takes requests.
    pub fn is_open(&self) -> bool {
        self.0.is_open()
    }

    /// Asks nothing more. The link ends when both sides have answered what is open.
    pub fn close(&self) {
        self.0.close();
    }

    /// Ends it now: who waits for a reply hears why.
    pub fn cut(&self, why: &str) {
        self.0.end(Ended::Lost(why.to_owned()));
    }

    /// Waits until it has ended.
    pub async fn ended(&self) -> Ended {
        self.0.over().await
    }
}

/// A request in flight.
pub struct Asking {
    inner: Rc<Inner>,
    conversation: u32,
    done: bool,
}

impl Future for Asking {
    type Output = Result<Vec<u8>, NoReply>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let polled = self.inner.pending.borrow_mut().poll(self.conversation, context.waker());
        self.done = polled.is_ready();
        polled
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        if !self.done {
            self.inner.abandon(self.conversation);
        }
    }
}

async fn in_time<T>(clock: &dyn Clock, begins: impl Future<Output = Result<T, Ended>>) -> Result<T, Ended> {
    tokio::select! {
        biased;
        begun = begins => begun,
        () = clock.until(clock.now() + HELLO_TIME) => {
            Err(Ended::Lost(format!("no Hello has come within {} s", HELLO_TIME.as_secs())))
        }
    }
}

/// A link before both sides have said Hello.
struct Begins {
    begin: Begin,
    incoming: Incoming,
}

impl Begins {
    fn new(begin: Begin) -> Self {
        Self { begin, incoming: Incoming::default() }
    }

    async fn send(&mut self, kind: Kind, conversation: u32, body: &[u8]) -> Result<(), Ended> {
        let mut bytes = Vec::new();
        let vitals = self.begin.host.vitals();
        frame::put(&mut bytes, Head { conversation, kind, flags: 0, vitals }, body);
        self.begin.sink.write_all(&bytes).await.map_err(|error| lost(&error))?;
        self.begin.sink.flush().await.map_err(|error| lost(&error))
    }

    async fn say(&mut self, hello: &Hello) -> Result<(), Ended> {
        self.send(Kind::Hello, hello.purpose.number(), &hello.to_bytes()?).await
    }

    async fn hears(&mut self) -> Result<Hello, Ended> {
        loop {
            if let Some((head, body)) = self.incoming.next_frame()? {
                return match head.kind {
                    Kind::Hello => Hello::of_bytes(body),
                    Kind::Refused => Err(Ended::Refused(told_reason(body))),
                    kind => Err(malformed(format!("{kind:?} before Hello"))),
                };
            }
            match self.begin.source.read_buf(self.incoming.room(READ_BYTES)).await {
                Ok(0) => return Err(Ended::Lost(GONE.into())),
                Ok(_) => {}
                Err(error) => return Err(lost(&error)),
            }
        }
    }

    /// Tells the other side why it is not wanted.
    async fn refuse(mut self, why: &str) -> Ended {
        let why = reason(why);
        // It may be gone.
        if self.send(Kind::Refused, 0, why.as_bytes()).await.is_ok() {
            let _ = self.begin.sink.shutdown().await;
        }
        Ended::Unwanted(why)
    }

    fn link(self, theirs: Hello, ours: &Hello) -> Link {
        let Begin { source, sink, host, clock, patience } = self.begin;
        // A thread that computes for seconds says nothing meanwhile: the life of its region says that it lives.
        let is_work = Purpose::Work == theirs.purpose || Purpose::Work == ours.purpose;
        let patience = if is_work { Patience::HERE } else { patience };
        let inner = Rc::new(Inner::new(clock, host, sink as Sink, theirs, ours.takes));
        let (reads, writes, watches) = (Rc::clone(&inner), Rc::clone(&inner), Rc::clone(&inner));
        inner.spawn(read(reads, source as Source, self.incoming));
        inner.spawn(async move {
            match writes.out.run(&*writes.clock).await {
                // The other side ends its stream, too.
                Ok(()) => std::future::pending().await,
                Err(error) => lost(&error),
            }
        });
        inner.spawn(watch(watches, patience));
        Link(inner)
    }
}
