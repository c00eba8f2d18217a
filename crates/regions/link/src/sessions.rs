//! The number: how many requests to one partner may be in flight, from all threads; what waits for one of these places, counted.
//!
//! A place is a number, not a thing: 400 sessions cost what 4 cost.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::oneshot;

/// The reason why there is no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAllocated {
    /// The link is not there.
    #[error("the link is not there")]
    NoLink,
    /// All are in use, and the asker does not want to wait.
    #[error("all sessions are in use")]
    InUse,
    /// As many wait as QUEUELIMIT lets.
    #[error("all sessions are in use, and QUEUELIMIT requests wait for one")]
    QueueFull,
    /// An operator has purged the queue.
    #[error("the queue for a session was purged")]
    Cancelled,
    /// The queue was purged: MAXQTIME.
    #[error("all sessions are in use, and requests have waited for MAXQTIME")]
    Purged,
}

/// The way: how long a queue may become, and how old.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    /// QUEUELIMIT: requests that may wait; `None`: all.
    pub limit: Option<u32>,
    /// MAXQTIME: once the queue is full, a request that has waited for so long purges it.
    pub time: Option<Duration>,
}

/// The thing: what has become of allocations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Sessions.
    pub most: u32,
    /// In use now.
    pub in_use: u32,
    /// Most that were in use since the counts were last reset.
    pub in_use_peak: u32,
    /// Requests that wait now.
    pub waiting: u32,
    /// Most that have waited since then.
    pub waiting_peak: u32,
    /// Allocations that were asked for.
    pub asked: u64,
    /// That had to wait.
    pub queued: u64,
    /// That failed because the link was not there.
    pub without_link: u64,
    /// Failed for other causes: the caller did not want to wait.
    pub failed: u64,
    /// That QUEUELIMIT has refused.
    pub refused: u64,
    /// The way: how often MAXQTIME has purged the queue.
    pub purges: u64,
    /// Requests that were purged.
    pub purged: u64,
}

struct Waiting {
    since: Duration,
    tell: oneshot::Sender<Result<Session, NotAllocated>>,
}

struct State {
    counts: Counts,
    open: bool,
    /// Those that the partner takes, too.
    usable: u32,
    /// MAXQTIME has purged the queue, and no session was given back since.
    unresponsive: bool,
    waiting: VecDeque<Waiting>,
}

struct Pool {
    queue: Queue,
    state: Mutex<State>,
}

/// The sessions of one partner.
#[derive(Clone)]
pub struct Sessions(Arc<Pool>);

/// One session: it is given back when its last clone is dropped. Requests of one conversation, which follow one another, are made in
/// clones of it.
#[derive(Clone)]
pub struct Session(#[expect(dead_code, reason = "it is given back with the last clone")] Arc<Held>);

/// A place that is taken.
struct Held(Arc<Pool>);

impl Session {
    fn new(pool: &Arc<Pool>) -> Self {
        Self(Arc::new(Held(Arc::clone(pool))))
    }
}

impl Sessions {
    /// So many. The link is not there yet.
    pub fn new(most: u32, queue: Queue) -> Self {
        let counts = Counts { most, ..Counts::default() };
        let state =
            State { counts, open: false, usable: most, unresponsive: false, waiting: VecDeque::new() };
        Self(Arc::new(Pool { queue, state: Mutex::new(state) }))
    }

    /// There are so many from the next time on at which the link is made.
    pub fn resize(&self, most: u32) {
        self.0.state.lock().counts.most = most;
    }

    /// Purges what waits: how many that were.
    pub fn purge(&self) -> usize {
        let waiting = {
            let mut state = self.0.state.lock();
            let waiting = std::mem::take(&mut state.waiting);
            state.counts.failed += waiting.len() as u64;
            state.counts.waiting = 0;
            waiting
        };
        let count = waiting.len();
        waiting.into_iter().for_each(|one| drop(one.tell.send(Err(NotAllocated::Cancelled))));
        count
    }

    /// The link is there, and the partner takes so many requests at a time.
    pub fn open(&self, takes: u32) {
        let mut state = self.0.state.lock();
        state.usable = state.counts.most.min(takes);
        (state.open, state.unresponsive) = (true, false);
    }

    /// The link is not there: who waits hears it.
    pub fn close(&self) {
        let waiting = {
            let mut state = self.0.state.lock();
            state.open = false;
            let waiting = std::mem::take(&mut state.waiting);
            state.counts.without_link += waiting.len() as u64;
            state.counts.waiting = 0;
            waiting
        };
        waiting.into_iter().for_each(|one| drop(one.tell.send(Err(NotAllocated::NoLink))));
    }

    /// The thing: what has become of allocations; `reset` begins the peaks again.
    pub fn counts(&self, reset: bool) -> Counts {
        let mut state = self.0.state.lock();
        let counts = state.counts;
        if reset {
            state.counts.in_use_peak = counts.in_use;
            state.counts.waiting_peak = counts.waiting;
        }
        counts
    }

    /// A session; waits for one only if the caller `waits`. A future that is dropped no longer waits.
    ///
    /// # Errors
    /// See [`NotAllocated`].
    pub async fn allocate(&self, now: Duration, waits: bool) -> Result<Session, NotAllocated> {
        let later = match self.begin(now, waits)? {
            Begun::Here(session) => return Ok(session),
            Begun::Later(later) => later,
        };
        let mut left = Left { pool: &self.0, done: false };
        let told = later.await.unwrap_or(Err(NotAllocated::NoLink));
        left.done = true;
        told
    }

    fn begin(&self, now: Duration, waits: bool) -> Result<Begun, NotAllocated> {
        let Pool { queue, state } = &*self.0;
        let mut state = state.lock();
        state.counts.asked += 1;
        if !state.open {
            state.counts.without_link += 1;
            return Err(NotAllocated::NoLink);
        }
        if state.counts.in_use < state.usable {
            state.take();
            return Ok(Begun::Here(Session::new(&self.0)));
        }
        if !waits {
            state.counts.failed += 1;
            return Err(NotAllocated::InUse);
        }
        state.leave_those_who_left();
        if state.unresponsive {
            state.counts.refused += 1;
            return Err(NotAllocated::Purged);
        }
        if queue.limit.is_some_and(|limit| state.waiting.len() >= limit as usize) {
            let oldest = state.waiting.front().map(|one| now.saturating_sub(one.since));
            let purges = queue.time.zip(oldest).is_some_and(|(most, oldest)| oldest >= most);
            if purges {
                let purged = state.purge();
                drop(state);
                purged.into_iter().for_each(|one| drop(one.tell.send(Err(NotAllocated::Purged))));
                return Err(NotAllocated::Purged);
            }
            state.counts.refused += 1;
            return Err(NotAllocated::QueueFull);
        }
        let (tell, later) = oneshot::channel();
        state.waiting.push_back(Waiting { since: now, tell });
        state.counts.queued += 1;
        state.counts.waiting = state.waiting.len() as u32;
        state.counts.waiting_peak = state.counts.waiting_peak.max(state.counts.waiting);
        Ok(Begun::Later(later))
    }
}

enum Begun {
    Here(Session),
    Later(oneshot::Receiver<Result<Session, NotAllocated>>),
}

/// A request that waits, and may leave.
struct Left<'a> {
    pool: &'a Pool,
    done: bool,
}

impl Drop for Left<'_> {
    fn drop(&mut self) {
        if !self.done {
            self.pool.state.lock().leave_those_who_left();
        }
    }
}

impl State {
    fn take(&mut self) {
        self.counts.in_use += 1;
        self.counts.in_use_peak = self.counts.in_use_peak.max(self.counts.in_use);
    }

    fn leave_those_who_left(&mut self) {
        self.waiting.retain(|one| !one.tell.is_closed());
        self.counts.waiting = self.waiting.len() as u32;
    }

    fn purge(&mut self) -> VecDeque<Waiting> {
        let purged = std::mem::take(&mut self.waiting);
        self.unresponsive = true;
        self.counts.purges += 1;
        self.counts.purged += purged.len() as u64;
        self.counts.waiting = 0;
        purged
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.counts.in_use -= 1;
        state.unresponsive = false;
        while state.open
            && state.counts.in_use < state.usable
            && let Some(next) = state.waiting.pop_front()
        {
            state.counts.waiting = state.waiting.len() as u32;
            if next.tell.is_closed() {
                continue;
            }
            state.take();
            drop(state);
            // Who leaves at this moment drops the session, which goes to the next one.
            let _ = next.tell.send(Ok(Session::new(&self.0)));
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    const NOW: Duration = Duration::from_secs(100);

    fn opened(most: u32, queue: Queue) -> Sessions {
        let sessions = Sessions::new(most, queue);
        sessions.open(most);
        sessions
    }

    fn polled<F: Future + ?Sized>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    fn at_once(sessions: &Sessions) -> Result<Session, NotAllocated> {
        match polled(pin!(sessions.allocate(NOW, false))) {
            Poll::Ready(answer) => answer,
            Poll::Pending => panic!("it does not wait"),
        }
    }

    #[test]
    fn who_comes_first_has_the_next_session() {
        let sessions = opened(1, Queue::default());
        let first = at_once(&sessions).expect("a session");
        assert_eq!(at_once(&sessions).err(), Some(NotAllocated::InUse));
        let (mut second, mut third) =
            (Box::pin(sessions.allocate(NOW, true)), Box::pin(sessions.allocate(NOW, true)));
        assert!(polled(second.as_mut()).is_pending() && polled(third.as_mut()).is_pending());
        drop(first);
        assert!(polled(third.as_mut()).is_pending());
        let Poll::Ready(Ok(held)) = polled(second.as_mut()) else { panic!("it is its turn") };
        drop(held);
        assert!(matches!(polled(third.as_mut()), Poll::Ready(Ok(_))));
        let counts = sessions.counts(false);
        assert_eq!((counts.asked, counts.queued, counts.failed, counts.waiting_peak), (4, 2, 1, 2));
        assert_eq!((counts.in_use, counts.waiting), (0, 0));
    }

    #[test]
    fn who_leaves_waits_no_longer_and_takes_no_session_along() {
        let sessions = opened(1, Queue::default());
        let first = at_once(&sessions).expect("a session");
        let mut leaves = Box::pin(sessions.allocate(NOW, true));
        let mut stays = Box::pin(sessions.allocate(NOW, true));
        assert!(polled(leaves.as_mut()).is_pending() && polled(stays.as_mut()).is_pending());
        drop(leaves);
        assert_eq!(sessions.counts(false).waiting, 1);
        drop(first);
        let Poll::Ready(Ok(held)) = polled(stays.as_mut()) else { panic!("it is its turn") };
        // One that leaves with a session in its hands gives it back.
        let mut late = Box::pin(sessions.allocate(NOW, true));
        assert!(polled(late.as_mut()).is_pending());
        drop(held);
        drop(late);
        assert_eq!(sessions.counts(false).in_use, 0);
        assert!(at_once(&sessions).is_ok());
    }

    #[test]
    fn queuelimit_refuses_and_maxqtime_purges_until_a_session_comes_back() {
        let queue = Queue { limit: Some(1), time: Some(Duration::from_secs(10)) };
        let sessions = opened(1, queue);
        let first = at_once(&sessions).expect("a session");
        let mut waits = Box::pin(sessions.allocate(NOW, true));
        assert!(polled(waits.as_mut()).is_pending());
        let ask = |seconds| polled(pin!(sessions.allocate(NOW + Duration::from_secs(seconds), true)));
        assert!(matches!(ask(9), Poll::Ready(Err(NotAllocated::QueueFull))));
        assert!(matches!(ask(10), Poll::Ready(Err(NotAllocated::Purged))));
        assert!(matches!(polled(waits.as_mut()), Poll::Ready(Err(NotAllocated::Purged))));
        assert!(matches!(ask(11), Poll::Ready(Err(NotAllocated::Purged))), "nobody queues meanwhile");
        drop(first);
        assert!(matches!(ask(12), Poll::Ready(Ok(_))));
        let counts = sessions.counts(false);
        assert_eq!((counts.refused, counts.purges, counts.purged), (2, 1, 1));
    }

    #[test]
    fn without_a_link_no_task_waits() {
        let sessions = opened(1, Queue::default());
        let first = at_once(&sessions).expect("a session");
        let mut waits = Box::pin(sessions.allocate(NOW, true));
        assert!(polled(waits.as_mut()).is_pending());
        sessions.close();
        assert!(matches!(polled(waits.as_mut()), Poll::Ready(Err(NotAllocated::NoLink))));
        assert_eq!(at_once(&sessions).err(), Some(NotAllocated::NoLink));
        drop(first);
        assert_eq!(sessions.counts(false).without_link, 2);
    }

    #[test]
    fn no_more_are_used_than_the_partner_takes() {
        let sessions = Sessions::new(4, Queue::default());
        sessions.open(2);
        let held: Vec<_> = (0..2).map(|_| at_once(&sessions).expect("a session")).collect();
        assert_eq!(at_once(&sessions).err(), Some(NotAllocated::InUse));
        drop(held);
        assert_eq!(sessions.counts(false).most, 4);
    }

    #[test]
    fn peaks_begin_again_when_they_are_reset() {
        let sessions = opened(400, Queue::default());
        let held: Vec<_> = (0..400).map(|_| at_once(&sessions).expect("a session")).collect();
        assert!(at_once(&sessions).is_err());
        drop(held);
        assert_eq!(sessions.counts(true).in_use_peak, 400);
        assert_eq!(sessions.counts(false).in_use_peak, 0);
    }
}
