//! A server as a participant of units of work that end in several places.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use coordinator::{Answered, Fate, OnePhase, Participant, UnitName, Vote};
use records::Answer;
use sql::{Ended, Failure, Session, Unit, ended, resolve};
use tokio::sync::{Mutex as Turns, mpsc, oneshot};
use tokio::task::spawn_local;
use tokio::time::{sleep, timeout};

use crate::tcb::Tcb;
use crate::thread::Thread;

/// One server. Its sessions run on the threads of their tasks; what the coordinator asks is passed on to them, and what
/// concerns no task any more to the [`Home`].
///
/// A unit of work is prepared at the server under the participant's name and its own in hexadecimal digits, so that it is
/// found again after anybody's death.
pub struct Server {
    name: String,
    /// The prefix of the names of this region's units of work.
    prefix: Vec<u8>,
    /// The keepers of units of work that tasks have.
    keepers: Mutex<HashMap<UnitName, mpsc::UnboundedSender<Order>>>,
    names: Mutex<Names>,
    home: mpsc::UnboundedSender<Errand>,
}

/// Names that units of work have left at the server, as last resources.
#[derive(Default)]
struct Names {
    /// The rest of the unit of work has not ended.
    open: HashSet<UnitName>,
    /// It has: the next last resource whose preparation comes after that in the region's log may forget them.
    over: Vec<UnitName>,
}

/// So many names are forgotten at once.
const NAMES: usize = 100;

/// An order to a unit of work that a task has.
enum Order {
    Evidence(oneshot::Sender<Option<Vec<u8>>>),
    Prepare(oneshot::Sender<Vote>),
    Commit(oneshot::Sender<OnePhase>),
    /// Lets go of it, undoing what it has changed.
    Backout(oneshot::Sender<Answered>),
}

/// An order about units of work that no task has.
enum Errand {
    End { unit: UnitName, commit: bool, answer: oneshot::Sender<Answered> },
    Indoubt(oneshot::Sender<Option<Vec<UnitName>>>),
    Fate { unit: UnitName, system: u64, answer: oneshot::Sender<Fate> },
    ForgetAll(oneshot::Sender<()>),
}

/// Runs errands on a session of its own. A task must run it ([`Home::run`]) as long as the server takes part.
pub struct Home {
    tcb: Rc<Tcb>,
    name: String,
    prefix: Vec<u8>,
    errands: mpsc::UnboundedReceiver<Errand>,
}

/// The prefix of the names of prepared units of work at the server.
const MARK: &str = "syncpoint ";
/// The longest wait of a coordinator for an answer. Then the server counts as unreachable, and is asked again later.
const ANSWER: Duration = Duration::from_secs(60);
/// The longest wait for a server whose answer was lost, and the interval between tries.
const BACK: Duration = Duration::from_secs(10);
const ASK_EVERY: Duration = Duration::from_millis(100);

impl Server {
    /// A server under a name, for a region whose units of work have names that begin with `prefix`.
    pub fn new(name: &str, prefix: &[u8], tcb: &Rc<Tcb>) -> (Arc<Self>, Home) {
        let (home, errands) = mpsc::unbounded_channel();
        let (keepers, names, prefix) = (Mutex::default(), Mutex::default(), prefix.to_vec());
        let server = Arc::new(Self { name: name.to_owned(), prefix: prefix.clone(), keepers, names, home });
        (server, Home { tcb: Rc::clone(tcb), name: name.to_owned(), prefix, errands })
    }

    /// A task has changed something at the server: from now on its unit of work is asked for by this name. On the task's own
    /// thread.
    pub fn keep(self: &Arc<Self>, unit: &UnitName, thread: &Rc<Turns<Thread>>) {
        debug_assert!(unit.as_bytes().starts_with(&self.prefix), "a unit of work of another region");
        let (send, receive) = mpsc::unbounded_channel();
        self.keepers().insert(unit.clone(), send);
        let (server, unit, thread) = (Arc::clone(self), unit.clone(), Rc::clone(thread));
        drop(spawn_local(async move { server.serve(unit, thread, receive).await }));
    }

    /// Answers for one unit of work until it has ended here.
    async fn serve(
        self: Arc<Self>,
        unit: UnitName,
        thread: Rc<Turns<Thread>>,
        mut orders: mpsc::UnboundedReceiver<Order>,
    ) {
        let mut last = None;
        let order = loop {
            match orders.recv().await {
                Some(Order::Evidence(answer)) => {
                    let system = thread.lock().await.can_leave_name();
                    last = system.map(|system| LastResource { system, over: self.take_over() });
                    let _ = answer.send(system.map(|system| system.to_be_bytes().to_vec()));
                }
                Some(order) => break order,
                None => return,
            }
        };
        // Each of these ends it on this side: a prepared one is the server's. The coordinator that has gone away asks again.
        match order {
            Order::Evidence(_) => unreachable!("it was answered"),
            Order::Prepare(answer) => {
                let vote = prepare(&thread, &gid(&self.name, &unit)).await;
                self.keepers().remove(&unit);
                let _ = answer.send(vote);
            }
            Order::Commit(answer) => {
                let ended = match last {
                    None => commit(&thread).await,
                    Some(last) => self.commit_last(&unit, &thread, last).await,
                };
                self.keepers().remove(&unit);
                let _ = answer.send(ended);
            }
            Order::Backout(answer) => {
                // A lost session is backed out by the server.
                let _ = thread.lock().await.backout().await;
                self.keepers().remove(&unit);
                let _ = answer.send(Answered::Done);
            }
        }
    }

    /// Commits as the last resource; where the answer was lost, the name tells what became of it.
    async fn commit_last(&self, unit: &UnitName, thread: &Turns<Thread>, last: LastResource) -> OnePhase {
        let mut thread = thread.lock().await;
        let (name, tcb) = (left_name(&self.name, unit), Rc::clone(&thread.tcb));
        let fate = match thread.commit_as(&name, &last.over).await {
            Ok(Ended::Committed) => Fate::Committed,
            Ok(Ended::BackedOut | Ended::ReadOnly) | Err(Failure::Refused(_) | Failure::Code(_)) => {
                Fate::BackedOut
            }
            Err(Failure::Lost(_)) => fate_soon(&tcb, &name, last.system).await,
        };
        match fate {
            Fate::Committed => {
                self.names().open.insert(unit.clone());
                OnePhase::Committed
            }
            Fate::BackedOut => OnePhase::BackedOut,
            Fate::Unreachable | Fate::Unknowable(_) => OnePhase::Unknown,
        }
    }

    /// Names to be forgotten, as soon as there are many.
    fn take_over(&self) -> Vec<Vec<u8>> {
        let mut names = self.names();
        if names.over.len() < NAMES {
            return Vec::new();
        }
        names.over.drain(..NAMES).map(|unit| left_name(&self.name, &unit)).collect()
    }

    /// Forgets the names that former runs have left. Only while nothing is in doubt, and no task has a unit of work here.
    pub async fn forget_all(&self) {
        let (answer, receive) = oneshot::channel();
        if self.home.send(Errand::ForgetAll(answer)).is_ok() {
            // Those that stay are forgotten by the next run.
            let _ = in_time(receive).await;
        }
    }

    fn names(&self) -> std::sync::MutexGuard<'_, Names> {
        // As with keepers.
        self.names.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn keepers(&self) -> std::sync::MutexGuard<'_, HashMap<UnitName, mpsc::UnboundedSender<Order>>> {
        // A map that a panic interrupted is whole all the same.
        self.keepers.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Asks the keeper of a unit of work; what it answers where there is none.
    fn ask<T: Send + 'static>(
        &self,
        unit: &UnitName,
        order: impl FnOnce(oneshot::Sender<T>) -> Order,
        gone: T,
    ) -> Answer<'static, T> {
        let (send, receive) = oneshot::channel();
        let keeper = self.keepers().get(unit).cloned();
        let asked = keeper.is_some_and(|keeper| keeper.send(order(send)).is_ok());
        if !asked {
            return Answer::ready(gone);
        }
        Answer::later(async move { in_time(receive).await.unwrap_or(gone) })
    }

    /// Has a prepared unit of work ended.
    fn end(&self, unit: &UnitName, commit: bool) -> Answer<'static, Answered> {
        let (answer, receive) = oneshot::channel();
        let asked = self.home.send(Errand::End { unit: unit.clone(), commit, answer }).is_ok();
        if !asked {
            return Answer::ready(Answered::Unreachable);
        }
        Answer::later(async move { in_time(receive).await.unwrap_or(Answered::Unreachable) })
    }
}

/// An answer, if it comes while anybody should wait for it.
async fn in_time<T>(answer: oneshot::Receiver<T>) -> Option<T> {
    timeout(ANSWER, answer).await.ok()?.ok()
}

async fn prepare(thread: &Turns<Thread>, gid: &str) -> Vote {
    match thread.lock().await.prepare(gid).await {
        Ok(Ended::Committed) => Vote::Yes,
        Ok(Ended::ReadOnly) => Vote::ReadOnly,
        Ok(Ended::BackedOut) | Err(Failure::Refused(_) | Failure::Code(_)) => Vote::No,
        Err(Failure::Lost(_)) => Vote::Unreachable,
    }
}

/// Commits in one phase; where the answer was lost, the transaction's number tells what became of it.
async fn commit(thread: &Turns<Thread>) -> OnePhase {
    let mut thread = thread.lock().await;
    let (xid, tcb) = (thread.xid(), Rc::clone(&thread.tcb));
    match thread.commit().await {
        Ok(Ended::Committed | Ended::ReadOnly) => OnePhase::Committed,
        Ok(Ended::BackedOut) | Err(Failure::Refused(_) | Failure::Code(_)) => OnePhase::BackedOut,
        Err(Failure::Lost(_)) => {
            let Some(xid) = xid else { return OnePhase::BackedOut };
            let Ok(mut unit) = tcb.session().await else { return OnePhase::Unknown };
            let fate = resolve::resolve(unit.session(), xid).await;
            tcb.release(unit);
            match fate {
                Ok(resolve::Fate::Committed) => OnePhase::Committed,
                Ok(resolve::Fate::BackedOut) => OnePhase::BackedOut,
                Ok(resolve::Fate::InProgress | resolve::Fate::Forgotten) | Err(_) => OnePhase::Unknown,
            }
        }
    }
}

/// The facts that the keeper of a last resource knows.
struct LastResource {
    /// On whose data it works.
    system: u64,
    /// Names that it forgets.
    over: Vec<Vec<u8>>,
}

/// Asks for the fate of a last resource whose answer was lost. A server that was killed is mostly back in a moment:
/// then its task learns how its unit of work has ended.
async fn fate_soon(tcb: &Tcb, name: &[u8], system: u64) -> Fate {
    let asked = async {
        loop {
            if let Ok(mut unit) = tcb.session().await {
                let fate = fate(&mut unit, name, system).await;
                tcb.release(unit);
                if fate != Fate::Unreachable {
                    return fate;
                }
            }
            sleep(ASK_EVERY).await;
        }
    };
    timeout(BACK, asked).await.unwrap_or(Fate::Unreachable)
}

/// Asks for the fate of a last resource whose session is gone, over another one.
async fn fate(unit: &mut Unit, name: &[u8], system: u64) -> Fate {
    // A session that began while the server's schema was being made does not know it yet.
    if unit.system().is_none() && unit.identify().await.is_err() {
        return Fate::Unreachable;
    }
    match unit.system() {
        Some(now) if now == system => {}
        Some(_) => {
            return Fate::Unknowable(String::from("the server has other data than the one that committed"));
        }
        None => return Fate::Unreachable,
    }
    match ended::is_committed(unit.session(), name).await {
        Ok(true) => Fate::Committed,
        Ok(false) => Fate::BackedOut,
        Err(_) => Fate::Unreachable,
    }
}

impl Participant for Server {
    fn name(&self) -> &str {
        &self.name
    }

    fn prepare(&self, unit: &UnitName) -> Answer<'static, Vote> {
        self.ask(unit, Order::Prepare, Vote::Unreachable)
    }

    fn commit_one_phase(&self, unit: &UnitName) -> Answer<'static, OnePhase> {
        self.ask(unit, Order::Commit, OnePhase::Unknown)
    }

    fn evidence(&self, unit: &UnitName) -> Answer<'static, Option<Vec<u8>>> {
        self.ask(unit, Order::Evidence, None)
    }

    fn fate(&self, unit: &UnitName, evidence: &[u8]) -> Answer<'static, Fate> {
        // While its keeper is there it has not ended.
        if self.keepers().contains_key(unit) {
            return Answer::ready(Fate::Unreachable);
        }
        let Ok(system) = evidence.try_into().map(u64::from_be_bytes) else {
            return Answer::ready(Fate::Unknowable(String::from("its evidence cannot be read")));
        };
        let (answer, receive) = oneshot::channel();
        let asked = self.home.send(Errand::Fate { unit: unit.clone(), system, answer }).is_ok();
        if !asked {
            return Answer::ready(Fate::Unreachable);
        }
        Answer::later(async move { in_time(receive).await.unwrap_or(Fate::Unreachable) })
    }

    fn commit(&self, unit: &UnitName) -> Answer<'static, Answered> {
        self.end(unit, true)
    }

    fn backout(&self, unit: &UnitName) -> Answer<'static, Answered> {
        if self.keepers().contains_key(unit) {
            return self.ask(unit, Order::Backout, Answered::Unreachable);
        }
        self.end(unit, false)
    }

    fn forget(&self, unit: &UnitName) -> Answer<'static, Answered> {
        let mut names = self.names();
        if names.open.remove(unit) {
            names.over.push(unit.clone());
            return Answer::ready(Answered::Done);
        }
        drop(names);
        // A unit of work that only read, or that is over.
        self.ask(unit, Order::Backout, Answered::Done)
    }

    fn indoubt(&self) -> Answer<'static, Option<Vec<UnitName>>> {
        let (answer, receive) = oneshot::channel();
        let asked = self.home.send(Errand::Indoubt(answer)).is_ok();
        if !asked {
            return Answer::ready(None);
        }
        Answer::later(async move { in_time(receive).await.flatten() })
    }
}

impl Home {
    /// Runs errands for as long as there is the server.
    pub async fn run(mut self) {
        while let Some(errand) = self.errands.recv().await {
            let unit = self.tcb.session().await;
            match (errand, unit) {
                (Errand::End { unit: name, commit, answer }, Ok(mut unit)) => {
                    let ended = resolve::end_prepared(unit.session(), &gid(&self.name, &name), commit).await;
                    self.tcb.release(unit);
                    // One that is not there has ended so before.
                    let _ = answer.send(ended.map_or(Answered::Unreachable, |_| Answered::Done));
                }
                (Errand::Indoubt(answer), Ok(mut unit)) => {
                    let names = self.indoubt(unit.session()).await;
                    self.tcb.release(unit);
                    let _ = answer.send(names);
                }
                (Errand::Fate { unit: name, system, answer }, Ok(mut unit)) => {
                    let fate = fate(&mut unit, &left_name(&self.name, &name), system).await;
                    self.tcb.release(unit);
                    let _ = answer.send(fate);
                }
                (Errand::ForgetAll(answer), Ok(mut unit)) => {
                    let prefix = left_name(&self.name, &UnitName::new(&self.prefix));
                    if let Err(error) = ended::forget_all(unit.session(), &prefix).await {
                        tracing::warn!("what former units of work have left cannot be deleted: {error}");
                    }
                    self.tcb.release(unit);
                    let _ = answer.send(());
                }
                // The caller learns that there is no answer, and asks again.
                (_, Err(error)) => tracing::warn!("a participant cannot be asked: {error}"),
            }
        }
    }

    async fn indoubt(&self, session: &mut Session) -> Option<Vec<UnitName>> {
        let prefix = gid(&self.name, &UnitName::new(&self.prefix));
        let names = resolve::prepared(session, &prefix).await.ok()?;
        Some(names.iter().filter_map(|gid| unit_name(&self.name, gid)).collect())
    }
}

/// Returns the name of a unit of work at the server. It contains the participant's name: two participants may use one
/// server.
fn gid(participant: &str, unit: &UnitName) -> String {
    let digits: String = unit.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{MARK}{participant} {digits}")
}

/// The name that a unit of work leaves at the server as the last resource.
fn left_name(participant: &str, unit: &UnitName) -> Vec<u8> {
    [participant.as_bytes(), b" ", unit.as_bytes()].concat()
}

fn unit_name(participant: &str, gid: &str) -> Option<UnitName> {
    let digits = gid.strip_prefix(MARK)?.strip_prefix(participant)?.strip_prefix(' ')?.as_bytes();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
    Some(UnitName::new(&bytes?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_of_work_is_found_by_its_name_at_the_server() {
        let unit = UnitName::new(b"REGION\0\xFF");
        assert_eq!(gid("BANK", &unit), "syncpoint BANK 524547494f4e00ff");
        assert_eq!(unit_name("BANK", &gid("BANK", &unit)), Some(unit));
        assert_eq!((unit_name("BANK", "another's"), unit_name("BANK", "syncpoint BANK xy")), (None, None));
    }
}
