//! State that the tasks of a link share.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::clock::Clock;
use crate::ended::{Ended, NoReply, malformed, told_reason};
use crate::frame::{FAILED, Head, Kind, Vitals};
use crate::hello::Hello;
use crate::host::Host;
use crate::limits::MESSAGE_MAX;
use crate::outgoing::{Outgoing, Sink};
use crate::partial::Partials;
use crate::pending::{Held, Pending, Taker, Told};
use crate::serving::{Answering, Asked, Serving};
use crate::sessions::Session;

pub(crate) struct Inner {
    pub clock: Rc<dyn Clock>,
    host: Rc<dyn Host>,
    pub out: Outgoing,
    pub pending: RefCell<Pending>,
    pub serving: RefCell<Serving>,
    partials: RefCell<Partials>,
    pub theirs: Hello,
    /// Requests of the other side that are taken at a time.
    takes: u32,
    /// The way: how the other side is.
    pub vitals: Cell<Vitals>,
    /// The moment when something last came.
    pub read_at: Cell<Duration>,
    /// The moment when the frame has begun that is not whole.
    pub frame_since: Cell<Option<Duration>>,
    pub bytes_read: Cell<u64>,
    pub asked: Cell<u64>,
    pub answered: Cell<u64>,
    ended: RefCell<Option<Ended>>,
    told: Notify,
    /// This side asks nothing more.
    closing: Cell<bool>,
    /// The other side asks nothing more.
    their_closing: Cell<bool>,
    tasks: RefCell<Vec<AbortHandle>>,
}

impl Inner {
    pub fn new(clock: Rc<dyn Clock>, host: Rc<dyn Host>, sink: Sink, theirs: Hello, takes: u32) -> Self {
        let now = clock.now();
        Self {
            out: Outgoing::new(sink, now),
            clock,
            host,
            pending: RefCell::default(),
            serving: RefCell::default(),
            partials: RefCell::default(),
            theirs,
            takes,
            vitals: Cell::default(),
            read_at: Cell::new(now),
            frame_since: Cell::default(),
            bytes_read: Cell::default(),
            asked: Cell::default(),
            answered: Cell::default(),
            ended: RefCell::default(),
            told: Notify::new(),
            closing: Cell::default(),
            their_closing: Cell::default(),
            tasks: RefCell::default(),
        }
    }

    /// A task of the link: the link ends with each of them.
    pub fn spawn(self: &Rc<Self>, task: impl Future<Output = Ended> + 'static) {
        let guard = Ends(Rc::clone(self));
        let handle = tokio::task::spawn_local(async move {
            let guard = guard;
            let ended = task.await;
            guard.0.end(ended);
        });
        self.tasks.borrow_mut().push(handle.abort_handle());
    }

    /// Sends a frame.
    pub fn send(&self, kind: Kind, conversation: u32, flags: u8, body: &[u8]) {
        let head = Head { conversation, kind, flags, vitals: self.host.vitals() };
        self.out.add(&*self.clock, head, body);
    }

    /// Sends a request: its conversation.
    pub fn request(&self, held: Held, body: &[u8]) -> Result<u32, NoReply> {
        if let Some(ended) = self.ended() {
            return Err(ended.into());
        }
        if self.closing.get() || self.their_closing.get() {
            return Err(Ended::Closed.into());
        }
        if body.len() > MESSAGE_MAX || !self.out.has_room(body.len()) {
            return Err(NoReply::TooLong(body.len()));
        }
        let conversation = self.pending.borrow_mut().begin(held);
        self.asked.set(self.asked.get() + 1);
        self.send(Kind::Request, conversation, 0, body);
        Ok(conversation)
    }

    /// Sends a request whose reply goes to a taker, which has its body.
    pub fn request_for<T: Taker + 'static>(
        &self,
        session: Session,
        taker: T,
        body: impl Fn(&T) -> &[u8],
    ) -> Result<(), (NoReply, T)> {
        match self.request(Held { session, turn: None }, body(&taker)) {
            Ok(conversation) => {
                self.pending.borrow_mut().goes_to(conversation, Box::new(taker));
                Ok(())
            }
            Err(why) => Err((why, taker)),
        }
    }

    /// Abandons the requests whose takers are no longer wanted.
    pub fn abandon_unwanted(&self) {
        let unwanted = self.pending.borrow().unwanted();
        unwanted.into_iter().for_each(|conversation| self.abandon(conversation));
    }

    /// Abandons a request whose reply is no longer wanted.
    pub fn abandon(&self, conversation: u32) {
        if self.pending.borrow_mut().abandon(conversation) && self.ended().is_none() {
            if self.out.forget_request(conversation) {
                // The other side has never heard of it.
                let gone = Err(NoReply::Ended(Ended::Closed));
                let told = self.pending.borrow_mut().complete(conversation, gone);
                debug_assert!(told.is_ok());
                self.finish();
                return;
            }
            self.send(Kind::Cancel, conversation, 0, &[]);
        }
    }

    /// Sends the answer to a request of the other side.
    fn reply(&self, conversation: u32, flags: u8, body: &[u8]) {
        self.answered.set(self.answered.get() + 1);
        if self.ended().is_some() {
            return;
        }
        match body.len() {
            ..=MESSAGE_MAX if self.out.has_room(body.len()) => {
                self.send(Kind::Reply, conversation, flags, body);
            }
            ..=MESSAGE_MAX => return self.end(Ended::Lost("the partner does not read its replies".into())),
            length => {
                let why = format!("a reply of {length} bytes is longer than a message may be");
                self.send(Kind::Reply, conversation, FAILED, why.as_bytes());
            }
        }
        self.finish();
    }

    /// Takes a frame that has come.
    pub fn take(self: &Rc<Self>, head: Head, body: &[u8]) -> Result<(), Ended> {
        self.vitals.set(head.vitals);
        let conversation = head.conversation;
        match head.kind {
            Kind::Request if self.their_closing.get() => {
                return Err(malformed("a request after the last one"));
            }
            Kind::Request => {
                let whole = |body: &[u8]| self.begin(conversation, body);
                self.partials.borrow_mut().take(head, body, whole)?;
            }
            Kind::Reply if !self.pending.borrow().expects(conversation) => {
                return Err(malformed(format!("a reply to request {conversation}, which was not sent")));
            }
            Kind::Reply => {
                let reply = |body: &[u8]| match head.flags & FAILED {
                    0 => Ok(Ok(body.to_vec())),
                    _ => Ok(Err(NoReply::Unanswered(told_reason(body)))),
                };
                let whole = self.partials.borrow_mut().take(head, body, reply)?;
                if let Some(reply) = whole {
                    let told = self.pending.borrow_mut().complete(conversation, reply)?;
                    told.into_iter().for_each(Told::tell);
                }
            }
            Kind::Cancel if self.partials.borrow_mut().forget_request(conversation) => {
                self.reply(conversation, FAILED, b"cancelled");
            }
            Kind::Cancel => self.serving.borrow_mut().cancel(conversation),
            Kind::Beat => {}
            Kind::Closing => {
                self.their_closing.set(true);
                self.host.closing();
                self.close();
            }
            Kind::Refused => return Err(Ended::Refused(told_reason(body))),
            Kind::Hello => return Err(malformed("a second Hello")),
        }
        self.finish();
        Ok(())
    }

    /// Begins to answer a request.
    fn begin(self: &Rc<Self>, conversation: u32, body: &[u8]) -> Result<(), Ended> {
        self.serving.borrow_mut().begin(conversation, self.takes)?;
        self.host.asked(Asked::new(Rc::clone(self) as Rc<dyn Answering>, conversation), body);
        Ok(())
    }

    /// This side asks nothing more; what is open is answered on both sides.
    pub fn close(&self) {
        if !self.closing.replace(true) {
            self.send(Kind::Closing, 0, 0, &[]);
        }
        self.finish();
    }

    /// Returns true if neither side asks anything more, and nothing is open.
    pub fn is_finished(&self) -> bool {
        self.closing.get()
            && self.their_closing.get()
            && !self.pending.borrow().is_open()
            && !self.serving.borrow().is_open()
    }

    /// Returns true if the link takes requests.
    pub fn is_open(&self) -> bool {
        self.ended.borrow().is_none() && !self.closing.get() && !self.their_closing.get()
    }

    /// Ends the stream if there is nothing to do any more.
    fn finish(&self) {
        if self.is_finished() {
            self.out.end();
        }
    }

    /// The reason why the link has ended, if it has.
    pub fn ended(&self) -> Option<Ended> {
        self.ended.borrow().clone()
    }

    /// Ends the link: the first reason counts.
    pub fn end(&self, why: Ended) {
        if self.ended.borrow().is_some() {
            return;
        }
        *self.ended.borrow_mut() = Some(why.clone());
        self.tasks.take().iter().for_each(AbortHandle::abort);
        self.out.drop_stream();
        let told = self.pending.borrow_mut().end(&why);
        told.into_iter().for_each(Told::tell);
        self.serving.borrow_mut().cancel_all();
        self.told.notify_waiters();
    }

    /// Waits until the link has ended.
    pub async fn over(&self) -> Ended {
        loop {
            let told = self.told.notified();
            tokio::pin!(told);
            told.as_mut().enable();
            if let Some(ended) = self.ended() {
                return ended;
            }
            told.await;
        }
    }
}

impl Answering for Inner {
    fn answer(&self, conversation: u32, flags: u8, body: &[u8]) {
        self.serving.borrow_mut().finish(conversation);
        self.reply(conversation, flags, body);
    }

    fn serving(&self) -> &RefCell<Serving> {
        &self.serving
    }
}

/// Ends the link if its task does not say why it has ended.
struct Ends(Rc<Inner>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.end(Ended::Lost("a task of it has failed".into()));
    }
}
