//! The link to the server: made, kept, made again.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;

use link::carrier::Halves;
use link::{
    Asked, Begin, Ended, Hello, Host, Link, NoReply, Patience, Queue, Session, Sessions, Taker, Timer, Vitals,
};
use records::{Error, Result};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};

use super::calls::{Call, Calls, Epoch, Phase, To};
use super::hears::Watched;
use super::{answer, broken, done};
use crate::hello;
use crate::limits::{IN_FLIGHT, LOOK_AFTER, NUMBERS_ASIDE, REFUSED_MAX, RETRY};
use crate::protocol::{Push, RangeStart, Reply, Request, of_bytes, to_bytes};

/// A way to the server.
pub trait Connector: 'static {
    /// Connects to it.
    fn connect(&self) -> impl Future<Output = io::Result<Halves>>;

    /// The folder of its stamps; without one a region keeps no copies of records.
    fn folder(&self) -> Option<&Path> {
        None
    }

    /// The time for which a silent server is believed to live.
    fn patience(&self) -> Patience {
        Patience::HERE
    }

    /// Refuses a server of other records than those with the number `known`; 0 if none are known.
    ///
    /// # Errors
    /// The refusal.
    fn check_records(&self, _known: u64, _theirs: u64) -> std::result::Result<(), String> {
        Ok(())
    }
}

/// A commit whose reply has not come before the link was lost.
struct Unsure {
    call: Call,
    why: String,
    since: Instant,
}

/// This side of a link, which hears what the server says of itself.
struct Hears(Arc<Calls>);

impl Host for Hears {
    fn vitals(&self) -> Vitals {
        Vitals::default()
    }

    fn asked(&self, asked: Asked, body: &[u8]) {
        match of_bytes::<Push<'_>>(body) {
            Some(Push::Directory(stores)) => {
                self.0.directory.is_now(&stores);
                asked.reply(&[]);
            }
            Some(Push::Changed(store, changes)) => {
                self.0.hears.changed(store, &changes);
                asked.reply(&[]);
            }
            Some(Push::Copies) => asked.reply(&to_bytes(&self.0.copies.counts())),
            Some(Push::Resolved { name, commits, changes }) => {
                self.0.hears.resolved(name, commits, &changes);
                asked.reply(&[]);
            }
            None => asked.fail("this is no word of this protocol"),
        }
    }
}

/// One session with the server.
struct Open {
    link: Link,
    sessions: Sessions,
    epoch: Epoch,
}

impl Drop for Open {
    fn drop(&mut self) {
        // Its tasks would go on.
        self.link.cut("it is not tended any more");
    }
}

impl Open {
    async fn session(&self) -> Result<Session> {
        let session = self.sessions.allocate(std::time::Duration::ZERO, true).await;
        session.map_err(|why| Error::Lost(format!("the link to the record server: {why}")))
    }

    async fn ask(&self, request: &Request<'_>) -> Result<Vec<u8>> {
        let asking = self.link.request(self.session().await?, &to_bytes(request));
        match asking {
            Ok(asking) => asking.await.map_err(|why| lost(&why)),
            Err(why) => Err(lost(&why)),
        }
    }
}

fn lost(why: &NoReply) -> Error {
    Error::Lost(format!("the record server gives no answer, and the unit of work is backed out: {why}"))
}

/// Tends the link until the engine can do no more.
pub(super) async fn run<C: Connector>(calls: Arc<Calls>, connector: C, ours: Hello) {
    let mut unsure: Vec<Unsure> = Vec::new();
    let mut epoch = 0;
    // The moment from which the server has not wanted a region that starts.
    let (mut refused, mut was_here) = (None, false);
    loop {
        epoch += 1;
        let why = match open(&calls, &connector, &ours, epoch).await {
            Ok(open) => match begin(&calls, &open, connector.folder(), &mut unsure).await {
                Ok(()) => {
                    was_here = true;
                    calls.phase.send_replace(Phase::Here(epoch));
                    let ended = serve(&calls, &open, &mut unsure).await;
                    calls.copies.end();
                    format!("the record server is gone: {ended}")
                }
                Err(Error::Stopped) => return,
                Err(error) => {
                    open.link.cut("the session cannot begin");
                    error.to_string()
                }
            },
            Err(ended @ Ended::Refused(_)) if !was_here => {
                let since = *refused.get_or_insert_with(Instant::now);
                let why = format!("the record server: {ended}");
                // The session of a former run ends when the server has missed it for as long.
                if since.elapsed() >= REFUSED_MAX + connector.patience().silence.unwrap_or_default() {
                    return fail(&calls, &why, &mut unsure);
                }
                why
            }
            Err(ended) => format!("the record server cannot be reached: {ended}"),
        };
        calls.phase.send_replace(Phase::Missing(why.clone()));
        if give_up(&calls, &why, &mut unsure) {
            return;
        }
        sleep(RETRY).await;
    }
}

async fn open<C: Connector>(
    calls: &Arc<Calls>,
    connector: &C,
    ours: &Hello,
    epoch: Epoch,
) -> std::result::Result<Open, Ended> {
    let halves = connector.connect().await.map_err(|error| Ended::Lost(error.to_string()))?;
    let host = Rc::new(Hears(Arc::clone(calls)));
    let begin = Begin {
        source: halves.0,
        sink: halves.1,
        host,
        clock: Rc::new(Timer::default()),
        patience: connector.patience(),
    };
    let link = Link::connect(begin, ours, |theirs| {
        hello::check(theirs)?;
        connector.check_records(calls.records(), theirs.log)
    })
    .await?;
    calls.records_are(link.partner().log);
    let sessions = Sessions::new(IN_FLIGHT, Queue::default());
    sessions.open(link.partner().takes);
    Ok(Open { link, sessions, epoch })
}

/// Begins a session: what the region must know, what has become of commits, which names it claims.
async fn begin(
    calls: &Arc<Calls>,
    open: &Open,
    folder: Option<&Path>,
    unsure: &mut Vec<Unsure>,
) -> Result<()> {
    let begun = open.ask(&Request::Begin).await?;
    answer(&begun, |reply| match reply {
        Reply::Begun { stores, largest_unit } => {
            calls.directory.is_now(&stores);
            calls.largest_unit_is(largest_unit);
            Some(())
        }
        _ => None,
    })?;
    set_aside(calls, &open.ask(&Request::Aside(NUMBERS_ASIDE)).await?)?;
    while let Some(one) = unsure.last() {
        let Some(placed) = &one.call.place else {
            unsure.pop();
            continue;
        };
        let last = open.ask(&Request::Last { place: placed.place.place }).await?;
        let last = answer(&last, |reply| if let Reply::Number(last) = reply { Some(last) } else { None })?;
        let is_committed = last == placed.place.number;
        if let Some(one) = unsure.pop() {
            let told = match is_committed {
                true => Ok((to_bytes(&Reply::Done), open.epoch)),
                false => Err(Error::Lost(one.why)),
            };
            one.call.to.tell(told);
        }
    }
    for watched in calls.hears.watched() {
        watch_again(open, &watched).await?;
    }
    calls.copies.begin(folder);
    for (store, most) in calls.bounds() {
        let bound = open.ask(&Request::Bound { store: store.0, most }).await?;
        // A store that is gone takes nothing.
        if let Some(Reply::Failed(_)) = of_bytes::<Reply<'_>>(&bound) {
            calls.has_no_bound(store);
        }
    }
    for (name, alone) in calls.claims() {
        let claimed = open.ask(&Request::Claim { name: &name, alone }).await?;
        let is = answer(&claimed, |reply| if let Reply::Is(is) = reply { Some(is) } else { None })?;
        if !is {
            let name = String::from_utf8_lossy(&name).into_owned();
            let why = format!("{name} was taken by another region while the record server was not there");
            fail(calls, &why, unsure);
            return Err(Error::Stopped);
        }
    }
    Ok(())
}

/// Watches a store in a new session: what has changed meanwhile is read with all the rest.
async fn watch_again(open: &Open, watched: &Watched) -> Result<()> {
    watched.begins();
    let store = watched.store.0;
    answer(&open.ask(&Request::Watch { store }).await?, done)?;
    let mut all: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    loop {
        let origin = all.last().map_or(RangeStart::Start, |(key, _)| RangeStart::Beyond(key));
        let reply = open.ask(&Request::Range { store, origin, forward: true, limit: u32::MAX }).await?;
        let read = answer(&reply, |reply| match reply {
            Reply::Records { records, more, .. } => {
                let own = records.iter().map(|(key, record)| (key.to_vec(), record.to_vec()));
                Some((own.collect::<Vec<_>>(), more))
            }
            _ => None,
        });
        let (records, more) = read?;
        let is_over = !more || records.is_empty();
        all.extend(records);
        if is_over {
            watched.is_all(&all);
            return Ok(());
        }
    }
}

fn set_aside(calls: &Calls, reply: &[u8]) -> Result<()> {
    let first = answer(reply, |reply| if let Reply::Number(first) = reply { Some(first) } else { None })?;
    calls.directory.set_aside(u32::try_from(first).map_err(|_| broken())?);
    Ok(())
}

/// Sends requests until the link ends.
async fn serve(calls: &Arc<Calls>, open: &Open, unsure: &mut Vec<Unsure>) -> Ended {
    let lost = Rc::new(RefCell::new(Vec::new()));
    let sends = Sends { calls, open, lost: &lost };
    let mut taken = VecDeque::new();
    let mut looks = interval(LOOK_AFTER);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let ended = {
        let mut ended = pin!(open.link.ended());
        loop {
            calls.take(&mut taken);
            if let Some(ended) = sends.all(&mut taken, ended.as_mut()).await {
                break ended;
            }
            if calls.is_one_left() {
                open.link.abandon_unwanted();
            }
            tokio::select! {
                biased;
                ended = ended.as_mut() => break ended,
                () = calls.called() => {}
                _ = looks.tick(), if calls.copies.are_possible() => look_after(calls, open).await,
            }
        }
    };
    // The link has ended: each of them has its reply, or none.
    unsure.append(&mut lost.borrow_mut());
    ended
}

/// Looks after the link, so that copies may be read. Was it not looked at for too long, the server says itself that it is there.
async fn look_after(calls: &Calls, open: &Open) {
    if calls.copies.is_lately() || open.ask(&Request::Counts).await.is_ok() {
        calls.copies.is_looked_after();
    }
}

/// The sender of one session's requests.
struct Sends<'a> {
    calls: &'a Arc<Calls>,
    open: &'a Open,
    lost: &'a Rc<RefCell<Vec<Unsure>>>,
}

impl Sends<'_> {
    /// Sends all of them, unless the link ends: what was not sent goes back then.
    async fn all(
        &self,
        taken: &mut VecDeque<Call>,
        mut ended: Pin<&mut impl Future<Output = Ended>>,
    ) -> Option<Ended> {
        while let Some(call) = taken.pop_front() {
            if call.epoch.is_some_and(|epoch| epoch != self.open.epoch) {
                call.to.tell(Err(of_former_session()));
                continue;
            }
            if call.place.is_none() && call.to.is_gone() {
                continue;
            }
            let session = tokio::select! {
                biased;
                session = self.open.session() => session,
                ended = ended.as_mut() => {
                    taken.push_front(call);
                    self.calls.give_back(taken);
                    return Some(ended);
                }
            };
            let session = match session {
                Ok(session) => session,
                Err(error) => {
                    call.to.tell(Err(error));
                    continue;
                }
            };
            if let Some(call) = self.one(session, call) {
                // It was not sent.
                taken.push_front(call);
                self.calls.give_back(taken);
                return Some(ended.await);
            }
        }
        None
    }

    /// Sends one; it comes back if the link takes none.
    fn one(&self, session: Session, call: Call) -> Option<Call> {
        let (calls, lost) = (Arc::clone(self.calls), Rc::clone(self.lost));
        let takes = Takes { calls, epoch: self.open.epoch, lost, call };
        match self.open.link.request_for(session, takes, |takes| &takes.call.body) {
            Ok(()) => None,
            Err((NoReply::TooLong(_), takes)) => {
                takes.call.to.tell(Err(Error::Limit("segment_bytes")));
                None
            }
            Err((_, takes)) => Some(takes.call),
        }
    }
}

/// The taker of a reply.
struct Takes {
    calls: Arc<Calls>,
    epoch: Epoch,
    /// Commits whose replies do not come.
    lost: Rc<RefCell<Vec<Unsure>>>,
    call: Call,
}

impl Taker for Takes {
    fn take(self: Box<Self>, reply: std::result::Result<Vec<u8>, NoReply>) {
        let Self { calls, epoch, lost, call } = *self;
        match reply {
            Ok(reply) if matches!(call.to, To::Numbers) => drop(set_aside(&calls, &reply)),
            Ok(reply) => call.to.tell(Ok((reply, epoch))),
            Err(why) if call.place.is_some() => {
                let why = self::lost(&why).to_string();
                lost.borrow_mut().push(Unsure { call, why, since: Instant::now() });
            }
            Err(NoReply::Ended(_)) if call.is_repeatable && call.epoch.is_none() => calls.again(call),
            Err(why) => call.to.tell(Err(self::lost(&why))),
        }
    }

    fn is_wanted(&self) -> bool {
        self.call.place.is_some() || !self.call.to.is_gone()
    }
}

fn of_former_session() -> Error {
    Error::Lost("the record server was gone meanwhile, and the unit of work is backed out".into())
}

/// While the server is not there: what does not wait for it hears so. Returns true if the engine can do no more.
fn give_up(calls: &Arc<Calls>, why: &str, unsure: &mut Vec<Unsure>) -> bool {
    for call in calls.impatient(false) {
        let error = if call.epoch.is_some() { of_former_session() } else { Error::Lost(why.to_owned()) };
        call.to.tell(Err(error));
    }
    let patience = calls.patience();
    let is_old = |one: &Unsure| one.since.elapsed() >= patience;
    let is_wanted = |one: &Unsure| !matches!(&one.call.to, To::Task(tell) if tell.is_closed());
    if unsure.iter().any(|one| is_old(one) && is_wanted(one)) {
        fail(calls, &format!("{why}; a unit of work may or may not be committed"), unsure);
        return true;
    }
    false
}

/// Ends all calls: no runner tends the link any more.
pub(super) fn stop(calls: &Calls) {
    fail(calls, "the link to the record server has ended", &mut Vec::new());
}

/// The engine can do no more until the next start of the region.
fn fail(calls: &Calls, why: &str, unsure: &mut Vec<Unsure>) {
    // The first reason counts.
    calls.phase.send_if_modified(|phase| {
        let is_first = !matches!(phase, Phase::Failed(_));
        if is_first {
            *phase = Phase::Failed(why.to_owned());
        }
        is_first
    });
    unsure.drain(..).for_each(|one| one.call.to.tell(Err(Error::Io(why.to_owned()))));
    calls.impatient(true).into_iter().for_each(|call| call.to.tell(Err(Error::Lost(why.to_owned()))));
}
