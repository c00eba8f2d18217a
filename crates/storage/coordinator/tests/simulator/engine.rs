//! The real record engine on a simulated machine: as a participant, and as what both sides have in common.

use std::collections::HashMap;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use coordinator::{Answered, Fate, OnePhase, UnitName, Vote};
use records::sim::{Machine, Running};
use records::{
    Answer, Decider, Decision, Engine, Error, Limits, Recovery, Result, StoreId, UnitOfWork, Wait,
};

use crate::network::{Message, Reply, Request};
use crate::site::Site;

/// The store in which a unit of work leaves a record under its name.
const CHANGES: &str = "changes";

/// A machine whose log is written when the simulation says so.
pub fn machine(seed: u64) -> Machine {
    let limits = Limits { segment_bytes: 64 * 1024, quick_force: Duration::ZERO, ..Limits::default() };
    Machine::new(seed, limits)
}

/// One look at an answer.
pub fn look<T: Unpin>(answer: &mut Answer<'_, T>) -> Poll<T> {
    Pin::new(answer).poll(&mut Context::from_waker(Waker::noop()))
}

/// The value of an answer that needs no waiting.
pub fn now<T: Unpin>(mut answer: Answer<'_, T>) -> T {
    match look(&mut answer) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("an answer that should be there is not"),
    }
}

/// Starts an engine with power that lasts.
pub fn start(machine: &Machine) -> Running {
    machine.power().restore();
    machine.start().expect("an engine")
}

/// A store by its name; it is made if it is not there.
pub fn store(running: &Running, name: &str) -> StoreId {
    if let Some(store) = running.engine.find(name) {
        return store;
    }
    let mut unit = running.engine.begin(running.engine.locks().new_owner());
    let store = unit.create_store(name, Recovery::Recoverable).expect("a store");
    now(unit.commit_unforced()).expect("a commit");
    while running.write_group().expect("the power is on") {}
    store
}

/// A unit of work that leaves its record.
pub fn changed(running: &Running, store: StoreId, unit: &UnitName) -> Result<Box<dyn UnitOfWork>> {
    let mut work = running.engine.begin(running.engine.locks().new_owner());
    now(work.lock(store, unit.as_bytes(), Wait::No))?;
    now(work.put(store, unit.as_bytes(), b"was here"))?;
    Ok(work)
}

/// Returns true if it has left its record.
pub fn has(running: &Running, store: StoreId, unit: &UnitName) -> bool {
    let mut work = running.engine.begin(running.engine.locks().new_owner());
    now(work.get(store, unit.as_bytes(), &mut Vec::new())).expect("a read")
}

/// Work under way for a unit of work; with the unit of work, if it goes on.
type UnderWay = Answer<'static, (Option<Box<dyn UnitOfWork>>, Reply)>;

/// A participant.
pub struct EngineSite {
    machine: Machine,
    running: Running,
    store: StoreId,
    /// In flight or prepared.
    units: HashMap<UnitName, Box<dyn UnitOfWork>>,
    under_way: Vec<(Message, UnderWay)>,
}

impl EngineSite {
    pub fn new(seed: u64) -> Self {
        let machine = machine(seed);
        let running = start(&machine);
        let store = store(&running, CHANGES);
        Self { machine, running, store, units: HashMap::new(), under_way: Vec::new() }
    }

    fn begin(&mut self, unit: &UnitName, request: Request) -> UnderWay {
        let engine = self.running.engine.clone();
        let (mut work, name) = (self.units.remove(unit), unit.clone());
        if let (Request::Commit, Some(work)) = (request, &mut work) {
            let prepared = now(work.get(self.store, unit.as_bytes(), &mut Vec::new()));
            assert_eq!(prepared, Err(Error::Prepared), "{unit} commits, and was not prepared");
        }
        match request {
            Request::Prepare => Answer::later(async move {
                let Some(mut work) = work else { return (None, Reply::Vote(Vote::No)) };
                match work.prepare(name.as_bytes()).await {
                    Ok(()) if work.is_clean() => (None, Reply::Vote(Vote::ReadOnly)),
                    // It was prepared before: this is the same message once more.
                    Ok(()) | Err(Error::Prepared) => (Some(work), Reply::Vote(Vote::Yes)),
                    Err(_) => (None, Reply::Vote(Vote::No)),
                }
            }),
            // Nothing is left of a unit of work that it has committed in one phase: it has to vote.
            Request::Evidence => Answer::ready((work, Reply::Evidence(None))),
            Request::Fate => Answer::ready((work, Reply::Fate(Fate::Unreachable))),
            Request::CommitOnePhase => Answer::later(async move {
                let Some(work) = work else { return (None, Reply::OnePhase(OnePhase::BackedOut)) };
                let done = match work.commit().await {
                    Ok(()) => OnePhase::Committed,
                    Err(Error::Io(_) | Error::Stopped) => OnePhase::Unknown,
                    Err(_) => OnePhase::BackedOut,
                };
                (None, Reply::OnePhase(done))
            }),
            Request::Commit | Request::Backout => Answer::later(async move {
                let decision = if request == Request::Commit { Decision::Commit } else { Decision::Backout };
                let ended = match work {
                    Some(work) if decision == Decision::Commit => work.commit().await,
                    Some(work) => work.backout().await,
                    None => engine.resolve(name.as_bytes(), decision, Decider::Coordinator).await,
                };
                (None, Reply::Answered(answered(ended)))
            }),
            Request::Forget => {
                drop(work);
                Answer::later(async move {
                    (None, Reply::Answered(answered(engine.forget(name.as_bytes()).await)))
                })
            }
            Request::Indoubt => {
                let listed = engine.indoubt().ok();
                let names = listed.map(|units| units.iter().map(|unit| UnitName::new(&unit.name)).collect());
                Answer::ready((None, Reply::Indoubt(names)))
            }
        }
    }

    fn is_busy(&self, unit: &UnitName) -> bool {
        self.under_way.iter().any(|(message, _)| message.unit == *unit)
    }
}

fn answered(ended: Result<()>) -> Answered {
    match ended {
        Ok(()) | Err(Error::NotIndoubt) => Answered::Done,
        Err(Error::Heuristic(made)) => Answered::Otherwise(made),
        Err(_) => Answered::Unreachable,
    }
}

impl Site for EngineSite {
    fn write(&mut self, unit: &UnitName) -> bool {
        match changed(&self.running, self.store, unit) {
            Ok(work) => self.units.insert(unit.clone(), work).is_none(),
            Err(_) => false,
        }
    }

    fn read(&mut self, unit: &UnitName) {
        let work = self.running.engine.begin(self.running.engine.locks().new_owner());
        self.units.insert(unit.clone(), work);
    }

    fn receive(&mut self, message: Message) -> Option<Message> {
        // A decision does not wait: it may have come over another link than what is under way, the order to prepare say.
        let is_decision = matches!(message.request, Request::Commit | Request::Backout);
        if self.is_busy(&message.unit) && !is_decision {
            return Some(message);
        }
        let under_way = self.begin(&message.unit, message.request);
        self.under_way.push((message, under_way));
        self.work();
        None
    }

    fn work(&mut self) {
        let chance = self.machine.power().chance(4);
        if chance == 0 && self.running.write_group().is_err() {
            return self.die();
        }
        let units = &mut self.units;
        self.under_way.retain_mut(|(message, under_way)| match look(under_way) {
            Poll::Ready((work, reply)) => {
                units.extend(work.map(|work| (message.unit.clone(), work)));
                message.slot.put(reply);
                false
            }
            Poll::Pending => true,
        });
        let power = self.machine.power();
        match power.chance(200) {
            0 => power.fails_after(power.chance(3000)),
            1 => drop(self.running.engine.checkpoint()),
            _ => {}
        }
        if power.is_off() {
            self.die();
        }
    }

    fn die(&mut self) {
        // Who waits for an answer sees the connection end.
        for (Message { request, slot, .. }, _) in self.under_way.drain(..) {
            slot.put(request.unanswered());
        }
        self.units.clear();
        self.running = start(&self.machine);
    }

    fn force(&mut self, decision: Decision) -> Option<UnitName> {
        let listed = self.running.engine.indoubt().ok()?;
        let free = listed.into_iter().map(|unit| UnitName::new(&unit.name));
        let unit = free.into_iter().find(|unit| !self.is_busy(unit))?;
        let mut forced = self.running.engine.resolve(unit.as_bytes(), decision, Decider::Operator);
        loop {
            match look(&mut forced) {
                Poll::Ready(forced) => return forced.is_ok().then_some(unit),
                Poll::Pending if self.running.write_group().is_err() => {
                    self.die();
                    let noted = self.running.engine.indoubt().expect("a list");
                    let is_forced = |noted: &records::Indoubt| {
                        noted.name == unit.as_bytes()
                            && matches!(noted.standing, records::Standing::Forced(_))
                    };
                    return noted.iter().any(is_forced).then_some(unit);
                }
                Poll::Pending => {}
            }
        }
    }

    fn indoubt(&mut self) -> Vec<UnitName> {
        let listed = self.running.engine.indoubt().expect("a list");
        listed.iter().map(|unit| UnitName::new(&unit.name)).collect()
    }

    fn has(&mut self, unit: &UnitName) -> bool {
        has(&self.running, self.store, unit)
    }
}
