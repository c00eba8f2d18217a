//! The way to the region where a task runs, as the relay has it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kernel::name::{Name, Name8, TransactionName};
use kernel::raise::{Outcome, Raise};
use kernel::region::Region;
use kernel::task::Task;
use link::{NoReply, NotAllocated, Session};
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::message::{Answer, Ask, Then, answer, written};
use super::shipped::Shipped;
use super::times::Times;
use crate::affinity::Affinities;
use crate::asker;
use crate::conversation::{Line, now};
use crate::partner::{Partner, Sort};
use crate::shipped::{Asks, Sum};
use crate::shipping::waits;
use crate::systems::Systems;
use crate::work;

/// The place where a task is to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RoutePlace {
    /// The system.
    pub system: Name<4>,
    /// The name of the transaction there.
    pub transaction: TransactionName,
}

/// Everything that a region keeps for routing.
#[derive(Default)]
pub(crate) struct Routing {
    last: AtomicU64,
    /// Those who wait for input, by partner and conversation: they are woken when their task goes on without it.
    sleepers: Mutex<HashMap<(Name8, u64), Arc<Notify>>>,
    /// Tasks that run at each partner.
    running: Mutex<HashMap<Name8, u32>>,
    /// The tasks that must run where others have run.
    pub(super) affinities: Affinities,
    /// The terminals of other regions.
    pub(super) shipped: Shipped,
    /// DSHIPINT and DSHIPIDL.
    pub(crate) times: Times,
}

impl Routing {
    /// That of a region.
    pub fn of(region: &Region) -> &Self {
        region.part()
    }

    /// The number of tasks of this region that run at a partner.
    pub(super) fn running_at(&self, partner: Name8) -> u32 {
        self.running.lock().get(&partner).copied().unwrap_or_default()
    }

    /// Counts a request that a partner works for, until what this returns is dropped.
    pub(super) fn counted(&self, partner: Name8) -> InFlight<'_> {
        *self.running.lock().entry(partner).or_default() += 1;
        InFlight { routing: self, partner }
    }

    /// A number below `count`, another one each time.
    pub(super) fn random(&self, count: usize) -> usize {
        fastrand::usize(..count.max(1))
    }

    /// Wakes who waits for input in a conversation with a partner. Returns true if there is one.
    pub(super) fn wake(&self, partner: Name8, conversation: u64) -> bool {
        let sleeper = self.sleepers.lock().get(&(partner, conversation)).cloned();
        sleeper.inspect(|sleeper| sleeper.notify_one()).is_some()
    }
}

/// A request that a partner works for.
pub(super) struct InFlight<'a> {
    routing: &'a Routing,
    partner: Name8,
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        if let Some(running) = self.routing.running.lock().get_mut(&self.partner) {
            *running -= 1;
        }
    }
}

/// The link to a partner has ended: everybody who waits for input for a task there hears it.
pub(crate) fn link_is_lost(region: &Region, partner: Name8) {
    let sleepers = Routing::of(region).sleepers.lock();
    sleepers.iter().filter(|((other, _), _)| *other == partner).for_each(|(_, sleeper)| sleeper.notify_one());
}

/// The reason why a task is not routed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoRoute {
    /// No CONNECTION and no IPCONN has that name.
    Unknown,
    /// The link is not there.
    NoLink,
    /// No session is free, and QUEUELIMIT or an operator does not let it wait.
    NoSession,
    /// The queue was purged: MAXQTIME.
    Purged,
}

/// The reason why the partner has not answered.
pub(super) enum Lost {
    /// The link has failed.
    Link,
    /// The message is too long.
    TooLong,
    /// The answer is none.
    Answer,
}

/// A conversation with the region where a task runs.
pub(super) struct Route {
    region: Arc<Region>,
    pub partner: Arc<Partner>,
    line: Line,
    session: Session,
    pub number: u64,
    wake: Arc<Notify>,
    /// The partner has no task for it.
    over: bool,
    /// A request is in flight.
    asks: bool,
}

impl Route {
    /// Gets a session to a system.
    ///
    /// # Errors
    /// The abend of a task that is purged; inside, the reason why there is none.
    pub async fn begin(task: &mut Task, system: Name<4>) -> Outcome<Result<Self, NoRoute>> {
        Self::begin_if(task, system, true).await
    }

    /// The same; `waits`: until one is free.
    ///
    /// # Errors
    /// As [`Self::begin`].
    pub async fn begin_if(task: &mut Task, system: Name<4>, waits: bool) -> Outcome<Result<Self, NoRoute>> {
        let region = Arc::clone(&task.region);
        let Some(partner) = Systems::of(&region).of_system(system) else { return Ok(Err(NoRoute::Unknown)) };
        waits::allocates(task, partner.sort);
        let allocated =
            task.wait(waits::session(partner.sort), partner.sessions.allocate(now(), waits)).await?;
        let session = match allocated {
            Ok(session) => session,
            Err(NotAllocated::NoLink) => return Ok(Err(NoRoute::NoLink)),
            Err(NotAllocated::Purged) => return Ok(Err(NoRoute::Purged)),
            Err(_) => return Ok(Err(NoRoute::NoSession)),
        };
        let Some(line) = work::line(&region, &partner) else { return Ok(Err(NoRoute::NoLink)) };
        let routing = Routing::of(&region);
        let number = routing.last.fetch_add(1, Ordering::Relaxed) + 1;
        let wake = Arc::new(Notify::new());
        routing.sleepers.lock().insert((partner.applid, number), Arc::clone(&wake));
        *routing.running.lock().entry(partner.applid).or_default() += 1;
        Ok(Ok(Self { region, partner, line, session, number, wake, over: true, asks: false }))
    }

    /// Asks, and waits for the answer. A task that is purged meanwhile has its task there ended, too.
    ///
    /// # Errors
    /// The abend of a task that is purged; inside, the reason why there is no answer.
    pub async fn ask(&mut self, task: &mut Task, ask: &Ask) -> Outcome<Result<Answer, Lost>> {
        let mut body = written(ask);
        if matches!(ask, Ask::Attach(_)) {
            body = asker::written(
                (&task.control, self.region.options.applid),
                task.trace_context(),
                self.line.takes,
                body,
            );
        }
        self.counts(ask, &body);
        let asked = self.line.ask_here(self.session.clone(), body, None);
        self.asks = true;
        let reply = task.wait(waits::answer(self.partner.sort), asked).await?;
        self.asks = false;
        let answer = match reply {
            Ok(bytes) => {
                let received = bytes.len() as u64;
                self.partner.shipped.add(Asks::Tasks, Sum { received, ..Sum::default() });
                answer(&bytes).ok_or(Lost::Answer)
            }
            Err(NoReply::TooLong(_)) => Err(Lost::TooLong),
            Err(NoReply::Unanswered(_)) => Err(Lost::Answer),
            Err(NoReply::Ended(_)) => Err(Lost::Link),
        };
        let goes_on =
            |answer: &Answer| matches!(answer, Answer::Told(_, then) if !matches!(then, Then::Ended(_)));
        self.over = !answer.as_ref().is_ok_and(goes_on);
        if let Ok(Answer::Told(_, Then::Ended(ended))) = &answer
            && let Some(channel) = &ended.channel
        {
            let sum = Sum { received: channel.len() as u64, ..Sum::default() };
            self.partner.shipped.add_channel(Asks::Tasks, sum);
        }
        Ok(answer)
    }

    /// Counts a request, for statistics: one for each task, and the bytes of all.
    fn counts(&self, ask: &Ask, body: &[u8]) {
        let attach = match ask {
            Ask::Attach(attach) => Some(attach),
            _ => None,
        };
        let (requests, sent) = (u64::from(attach.is_some()), body.len() as u64);
        self.partner.shipped.add(Asks::Tasks, Sum { requests, sent, received: 0 });
        if let Some(channel) = attach.and_then(|attach| attach.channel.as_ref()) {
            let sum = Sum { requests: 1, sent: channel.len() as u64, received: 0 };
            self.partner.shipped.add_channel(Asks::Tasks, sum);
        }
    }

    /// Waits until the task there goes on without the input that it has asked for.
    pub async fn woken(&self) {
        self.wake.notified().await;
    }

    /// The abend of a relay whose partner is gone.
    pub fn lost(&self) -> Raise {
        Raise::abend(match self.partner.sort {
            Sort::Connection => "AZI6",
            Sort::Ipconn => "AIPM",
        })
    }
}

impl Drop for Route {
    fn drop(&mut self) {
        let routing = Routing::of(&self.region);
        routing.sleepers.lock().remove(&(self.partner.applid, self.number));
        if let Some(running) = routing.running.lock().get_mut(&self.partner.applid) {
            *running -= 1;
        }
        if self.over && !self.asks {
            return;
        }
        let gone = written(&Ask::Gone { conversation: self.number });
        let (line, partner) = (self.line.clone(), Arc::clone(&self.partner));
        // A request that is in flight has the session until its answer has come, which may be under way.
        let session = (!self.asks).then(|| self.session.clone());
        drop(tokio::spawn(async move {
            let session = match session {
                Some(session) => session,
                None => match partner.sessions.allocate(now(), true).await {
                    Ok(session) => session,
                    // The link is lost, and the task there with it.
                    Err(_) => return,
                },
            };
            // The answer says nothing.
            drop(line.ask(session, gone, false, None).await);
        }));
    }
}
