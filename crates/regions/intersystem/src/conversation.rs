//! Requests of this region's tasks on their way to a link, which lives on this thread or on another one; and what a unit of work has
//! at a partner.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::{Duration, Instant};

use kernel::name::TransactionName;
use link::{Ended, Link, NoReply, Session, Turn};
use parking_lot::Mutex;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{Mutex as Turns, oneshot};

use crate::asker::Takes;
use crate::build::Numbers;
use crate::life::Life;
use crate::message::{Ask, to_bytes};

/// Returns the time by which waits for a session are measured.
pub(crate) fn now() -> Duration {
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGAN.elapsed()
}

/// A reply, or why there is none.
pub(crate) type Reply = Result<Vec<u8>, NoReply>;

/// A request for the link.
pub(crate) struct Request {
    session: Session,
    body: Vec<u8>,
    reply: oneshot::Sender<Reply>,
    /// The partner hears of it if no task wants the reply any more.
    cancels: bool,
    /// The turn of its conversation, which is over when the reply has come, wanted or not.
    turn: Option<Turn>,
}

thread_local! {
    /// The links that live on this thread, by the numbers of their lines.
    static HERE: RefCell<HashMap<u64, Link>> = RefCell::default();
}

/// A link lives on this thread until this is dropped: tasks of the thread ask through it themselves.
pub(crate) struct IsHere(u64);

impl IsHere {
    /// The link of a line.
    pub fn new(line: &Line, link: &Link) -> Self {
        HERE.with_borrow_mut(|here| here.insert(line.number, link.clone()));
        Self(line.number)
    }
}

impl Drop for IsHere {
    fn drop(&mut self) {
        // At the end of the thread there may be no table any more.
        let _ = HERE.try_with(|here| here.borrow_mut().remove(&self.0));
    }
}

/// The way to a partner as long as one link is there.
#[derive(Clone)]
pub(crate) struct Line {
    /// Another one for each link.
    pub number: u64,
    /// The way to the link.
    pub to: UnboundedSender<Request>,
    /// The numbers of commands and options on it.
    pub numbers: Arc<Numbers>,
    /// In front of a request the partner takes these.
    pub takes: Takes,
    /// The life of the partner to which the link belongs.
    pub life: Arc<Life>,
}

impl Line {
    /// Returns true if nothing is asked through it any more.
    pub fn is_over(&self) -> bool {
        self.life.is_over() || self.to.is_closed()
    }

    fn link_here(&self) -> Option<Link> {
        HERE.with_borrow(|here| here.get(&self.number).cloned())
    }

    /// Hands a request to the link.
    fn send(&self, request: Request) -> Result<(), NoReply> {
        match self.link_here() {
            Some(link) => {
                drop(tokio::task::spawn_local(carry(link, request)));
                Ok(())
            }
            None => self.to.send(request).map_err(|_| gone()),
        }
    }

    /// Sends a request of a task of this thread, and waits for its reply. The partner hears of it if the task no longer wants the reply.
    pub async fn ask_here(&self, session: Session, body: Vec<u8>, turn: Option<Turn>) -> Reply {
        let Some(link) = self.link_here() else { return self.ask(session, body, true, turn).await };
        let asking = link.request_in_turn(session, turn, &body)?;
        drop((link, body));
        asking.await
    }

    /// Sends a request, and waits for its reply.
    pub async fn ask(&self, session: Session, body: Vec<u8>, cancels: bool, turn: Option<Turn>) -> Reply {
        let (reply, told) = oneshot::channel();
        self.send(Request { session, body, reply, cancels, turn })?;
        told.await.unwrap_or_else(|_| Err(gone()))
    }
}

fn gone() -> NoReply {
    NoReply::Ended(Ended::Lost(String::from("the link has ended")))
}

/// Carries a request over the link.
pub(crate) async fn carry(link: Link, request: Request) {
    let Request { session, body, mut reply, cancels, turn } = request;
    if cancels && reply.is_closed() {
        return;
    }
    let told = match link.request_in_turn(session, turn, &body) {
        Err(why) => Err(why),
        Ok(asking) if cancels => tokio::select! {
            biased;
            told = asking => told,
            // What is dropped is cancelled at the partner.
            () = reply.closed() => return,
        },
        Ok(asking) => asking.await,
    };
    // Its receiver may be gone.
    let _ = reply.send(told);
}

/// The state of a conversation's mirror task, as far as it is known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It has changed nothing.
    Holds,
    /// It has changed something.
    Changes,
    /// It is gone, and so is what it has done. `true`: it had changed something.
    Lost(bool),
    /// It was asked to prepare: only a decision ends it.
    Prepared,
}

/// The mirror task of a unit of work at a partner.
pub(crate) struct Conversation {
    pub number: u64,
    pub session: Session,
    pub line: Line,
    pub standing: Mutex<Standing>,
    /// The transaction of the mirror task.
    pub mirror: OnceLock<TransactionName>,
    turns: Arc<Turns<()>>,
}

impl Conversation {
    pub fn new(number: u64, session: Session, line: Line) -> Self {
        Self {
            number,
            session,
            line,
            standing: Mutex::new(Standing::Holds),
            mirror: OnceLock::new(),
            turns: Arc::default(),
        }
    }

    /// Waits until nothing else is asked in it.
    pub async fn turn(&self) -> Turn {
        Arc::clone(&self.turns).lock_owned().await
    }

    /// Returns its state.
    pub fn standing(&self) -> Standing {
        *self.standing.lock()
    }

    /// The mirror task is to let go of the unit of work, of which it is lost: a request that no task waits for any more may have been
    /// done before it could be cancelled.
    pub fn lets_go(self: &Arc<Self>) {
        let conversation = Arc::clone(self);
        drop(tokio::spawn(async move {
            // Behind the answer to that request. The end of the link ends both.
            let turn = conversation.turn().await;
            let forget = to_bytes(&Ask::Forget { conversation: conversation.number });
            let _ = conversation.line.ask(conversation.session.clone(), forget, false, Some(turn)).await;
        }));
    }

    /// The mirror task is gone. A prepared one waits for its decision all the same.
    pub fn is_lost(&self) {
        let mut standing = self.standing.lock();
        *standing = match *standing {
            Standing::Holds => Standing::Lost(false),
            Standing::Changes => Standing::Lost(true),
            other => other,
        };
    }
}
