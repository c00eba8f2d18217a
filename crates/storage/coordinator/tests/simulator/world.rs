//! A coordinator at work, one step at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Waker};

use coordinator::{Coordinator, Limits, Outcome, Participant, UnitName};
use parking_lot::Mutex;
use records::sim::{Machine, Running};
use records::{Decider, Decision, Engine, Indoubt, Standing, StoreId};

use crate::engine::{EngineSite, changed, has, look, machine, start, store};
use crate::model::Model;
use crate::network::{Message, Network, Proxy};
use crate::site::Site;

/// The stores of the coordinator's machine.
const DECISIONS: &str = "decisions";
const OWN: &str = "own";
/// Note that displays show of units of work.
const NOTE: &[u8] = b"somebody";
/// Participants.
const SITES: usize = 3;
/// Decisions that a coordinator may have at a time: in one of five seeds they are so few that units of work are refused.
const FEW_DECISIONS: usize = 3;
const MANY_DECISIONS: usize = 100;
/// Units of work at a time.
const TASKS: usize = 4;
/// Rounds in which everybody is back, at most.
const ROUNDS: usize = 20_000;
/// Rounds after which a participant that is in doubt asks.
const ASKS_EVERY: usize = 50;

/// Counts of all events.
#[derive(Debug, Default)]
pub struct Counts {
    pub committed: usize,
    pub backed_out: usize,
    pub unknown: usize,
    /// Units of work whose task was cut off before it heard anything.
    pub cut_off: usize,
    pub coordinator_died: usize,
    pub participant_died: usize,
    pub lost: usize,
    pub forced: usize,
    pub forced_own: usize,
    /// Decisions and units of work in doubt that were left at the end, before everybody was back.
    pub resolved: usize,
    /// Own changes among them that waited for a last resource.
    pub resolved_own: usize,
}

impl Counts {
    pub fn add(&mut self, more: &Self) {
        self.committed += more.committed;
        self.backed_out += more.backed_out;
        self.unknown += more.unknown;
        self.cut_off += more.cut_off;
        self.coordinator_died += more.coordinator_died;
        self.participant_died += more.participant_died;
        self.lost += more.lost;
        self.forced += more.forced;
        self.forced_own += more.forced_own;
        self.resolved += more.resolved;
        self.resolved_own += more.resolved_own;
    }
}

/// A unit of work, and what was said of it.
#[derive(Default)]
struct Unit {
    own: bool,
    writes: Vec<usize>,
    /// Places where an operator has ended it.
    forced: Vec<usize>,
    own_forced: bool,
    said: Arc<Mutex<Option<Outcome>>>,
}

/// Names of units of work.
type Kept = Arc<Mutex<BTreeSet<Vec<u8>>>>;

/// A task that ends a unit of work, or a resynchronisation.
type Work = Pin<Box<dyn Future<Output = ()>>>;

pub struct World {
    machine: Machine,
    running: Running,
    own: StoreId,
    /// Own changes, kept in main storage: the units of work whose changes are there, since the last start.
    kept: Kept,
    coordinator: Arc<Coordinator>,
    limit: usize,
    network: Arc<Network>,
    proxies: Vec<Arc<Proxy>>,
    sites: Vec<Box<dyn Site>>,
    tasks: Vec<(UnitName, Work)>,
    /// Each participant for itself.
    resynchronising: BTreeMap<String, Work>,
    units: BTreeMap<UnitName, Unit>,
    /// Since the coordinator's start, a task was cut off that had not heard anything: its decision may be in the log.
    uncertain: bool,
    counts: Counts,
}

fn is_over(work: &mut Work) -> bool {
    work.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready()
}

impl World {
    pub fn new(seed: u64) -> Self {
        let machine = machine(seed);
        let running = start(&machine);
        let own = store(&running, OWN);
        let kept = keeps(&running, own, std::iter::empty());
        let network = Arc::<Network>::default();
        let proxies = (0..SITES).map(|place| {
            let (network, name) = (Arc::clone(&network), format!("site {place}"));
            Arc::new(Proxy { place, name, network, reads: Arc::default() })
        });
        let proxies: Vec<_> = proxies.collect();
        let limit = if seed.is_multiple_of(5) { FEW_DECISIONS } else { MANY_DECISIONS };
        let coordinator = coordinator(&running, limit, &proxies);
        let (first, second) = (Model::new(seed ^ 0xA5), Model::new(seed ^ 0x5A));
        let sites: Vec<Box<dyn Site>> =
            vec![Box::new(EngineSite::new(seed ^ 0xFF)), Box::new(first), Box::new(second)];
        let (tasks, resynchronising, units, uncertain, counts) = Default::default();
        Self {
            machine,
            running,
            own,
            kept,
            coordinator,
            limit,
            network,
            proxies,
            sites,
            tasks,
            resynchronising,
            units,
            uncertain,
            counts,
        }
    }

    pub fn chance(&self, bound: u64) -> u64 {
        self.machine.power().chance(bound)
    }

    fn place(&self) -> usize {
        self.chance(SITES as u64) as usize
    }

    /// One step of a region or a message, chosen by chance.
    pub fn step(&mut self) {
        match self.chance(40) {
            0..=3 if self.tasks.len() < TASKS => self.begin(),
            4..=11 => self.go_on(),
            12..=23 => self.deliver(),
            24 => self.lose(),
            25..=30 => self.write_group(),
            31..=36 => {
                let place = self.place();
                self.sites[place].work();
            }
            37 => self.resynchronise(),
            38 => match self.chance(8) {
                0 => self.restart(),
                1 => self.machine.power().fails_after(self.chance(5000)),
                2..=3 => {
                    let place = self.place();
                    self.sites[place].die();
                    self.counts.participant_died += 1;
                }
                4 => drop(self.running.engine.checkpoint()),
                _ => {}
            },
            39 => match self.chance(6) {
                0 => self.cut_off(),
                1 if self.chance(4) == 0 => self.force(),
                _ => {}
            },
            _ => {}
        }
        if self.machine.power().is_off() {
            self.restart();
        }
    }

    /// A task comes to the end of a unit of work that has changed and read this and that.
    fn begin(&mut self) {
        let name = UnitName::new(format!("unit {:06}", self.units.len()).as_bytes());
        let mut unit = Unit { own: self.chance(2) == 0, ..Unit::default() };
        let mut participants: Vec<Arc<dyn Participant>> = Vec::new();
        for place in 0..SITES {
            match self.chance(6) {
                0..=2 if self.sites[place].write(&name) => unit.writes.push(place),
                3 => {
                    self.sites[place].read(&name);
                    if self.chance(2) == 0 {
                        self.proxies[place].reads.lock().push(name.clone());
                    }
                }
                _ => continue,
            }
            participants.push(Arc::clone(&self.proxies[place]) as Arc<dyn Participant>);
        }
        let own = match unit.own.then(|| changed(&self.running, self.own, &name)) {
            None => None,
            Some(Ok(own)) => Some(own),
            // The power has failed.
            Some(Err(_)) => return,
        };
        let said = Arc::clone(&unit.said);
        let own_name = unit.own.then(|| (Arc::clone(&self.kept), name.as_bytes().to_vec()));
        let mut ending = if self.chance(10) == 0 {
            self.coordinator.backout(name.clone(), own, participants)
        } else {
            self.coordinator.commit(name.clone(), NOTE.to_vec(), own, participants)
        };
        self.units.insert(name.clone(), unit);
        let task = async move {
            let outcome = ending.outcome().await;
            if let (Outcome::Committed, Some((kept, name))) = (&outcome, own_name) {
                kept.lock().insert(name);
            }
            *said.lock() = Some(outcome);
            ending.settle().await;
        };
        self.tasks.push((name, Box::pin(task)));
    }

    fn go_on(&mut self) {
        if self.tasks.is_empty() {
            return;
        }
        let at = self.chance(self.tasks.len() as u64) as usize;
        if is_over(&mut self.tasks[at].1) {
            drop(self.tasks.swap_remove(at));
        }
    }

    /// A message arrives; perhaps once more later, perhaps after its sender has given up.
    fn deliver(&mut self) {
        let Some(message) = self.next_message() else { return };
        let fate = self.chance(12);
        if fate == 0 {
            message.slot.put(message.request.unanswered());
        }
        if fate == 1 {
            self.network.0.lock().push(message.clone());
        }
        self.arrive(message);
    }

    /// A message or its answer is lost; or it is late: it arrives when its sender no longer waits for the answer.
    fn lose(&mut self) {
        let Some(message) = self.next_message() else { return };
        self.counts.lost += 1;
        message.slot.put(message.request.unanswered());
        if self.chance(2) == 0 {
            self.network.0.lock().push(message);
        }
    }

    fn next_message(&self) -> Option<Message> {
        let count = self.network.0.lock().len() as u64;
        (count > 0).then(|| {
            let at = self.chance(count) as usize;
            self.network.0.lock().swap_remove(at)
        })
    }

    fn arrive(&mut self, message: Message) {
        if let Some(message) = self.sites[message.to].receive(message) {
            self.network.0.lock().push(message);
        }
    }

    fn write_group(&mut self) {
        if self.running.write_group().is_err() {
            self.restart();
        }
    }

    fn resynchronise(&mut self) {
        let mut forgetting: Work = {
            let coordinator = Arc::clone(&self.coordinator);
            Box::pin(async move { coordinator.forget_heard().await })
        };
        let _ = is_over(&mut forgetting);
        for participant in self.coordinator.concerned() {
            let (coordinator, name) = (Arc::clone(&self.coordinator), participant.name().to_owned());
            let work = async move {
                let _ = coordinator.resynchronise(&*participant).await;
            };
            self.resynchronising.insert(name, Box::pin(work));
        }
        self.resynchronising.retain(|_, work| !is_over(work));
    }

    /// The coordinator dies, and its tasks with it; then it comes back.
    fn restart(&mut self) {
        self.counts.coordinator_died += 1;
        self.tasks.clear();
        self.resynchronising.clear();
        self.uncertain = false;
        self.running = start(&self.machine);
        self.kept = keeps(&self.running, self.own, self.units.keys());
        self.coordinator = coordinator(&self.running, self.limit, &self.proxies);
    }

    /// A task is cut off, wherever it is.
    fn cut_off(&mut self) {
        if !self.tasks.is_empty() {
            let at = self.chance(self.tasks.len() as u64) as usize;
            let (name, _) = self.tasks.swap_remove(at);
            self.uncertain |= self.units[&name].said.lock().is_none();
        }
    }

    fn force(&mut self) {
        if self.chance(4) == 0 {
            return self.force_own();
        }
        let place = self.place();
        let decision = [Decision::Commit, Decision::Backout][self.chance(2) as usize];
        if let Some(unit) = self.sites[place].force(decision) {
            self.counts.forced += 1;
            self.units.get_mut(&unit).expect("one of ours").forced.push(place);
        }
    }

    /// An operator ends own changes that wait for a last resource, whether their task waits, too, or not.
    fn force_own(&mut self) {
        let decision = [Decision::Commit, Decision::Backout][self.chance(2) as usize];
        let Some(left) = self.own_indoubt().into_iter().find(|left| !is_forced(left)) else { return };
        let unit = self.units.iter_mut().find(|(name, _)| is_of(&left, name));
        // Whether the power fails before the force or behind it: it may be an operator's decision.
        unit.expect("one of ours").1.own_forced = true;
        let mut forced = self.running.engine.resolve(&left.name, decision, Decider::Operator);
        while look(&mut forced).is_pending() {
            if self.running.write_group().is_err() {
                return self.restart();
            }
        }
        self.counts.forced_own += 1;
    }

    /// Own changes that wait for a last resource, or were forced.
    fn own_indoubt(&self) -> Vec<Indoubt> {
        self.running.engine.indoubt().expect("a list")
    }

    /// Everybody is back, and nothing goes wrong any more: nothing is in doubt then, and what was said is so.
    pub fn end(mut self) -> Counts {
        self.machine.power().restore();
        self.quiet(|world| world.tasks.is_empty());
        self.resynchronising.clear();
        self.counts.resolved = self.coordinator.decided().len();
        self.counts.resolved_own = self.own_indoubt().len();
        self.counts.resolved += self.sites.iter_mut().map(|site| site.indoubt().len()).sum::<usize>();
        // A decision that was being written when its task was cut off is known at the next start.
        if self.uncertain {
            self.restart();
        }
        self.quiet(|world| world.is_resolved());
        self.check();
        self.counts
    }

    /// Goes on without trouble until something is so.
    fn quiet(&mut self, is_so: impl Fn(&mut Self) -> bool) {
        for round in 0..ROUNDS {
            if is_so(self) {
                return;
            }
            if round % ASKS_EVERY == 0 {
                self.ask();
            }
            self.tasks.retain_mut(|(_, task)| !is_over(task));
            if let Some(message) = self.next_message() {
                self.arrive(message);
            }
            self.sites.iter_mut().for_each(|site| site.work());
            self.write_group();
            self.resynchronise();
        }
        let left: Vec<_> = self.sites.iter_mut().map(|site| site.indoubt()).collect();
        panic!("in doubt for ever: {:?} {left:?}, {} tasks", self.coordinator.decided(), self.tasks.len());
    }

    /// A participant that is in doubt for long asks: a message may have come so late that no other region knows of it.
    fn ask(&mut self) {
        for (site, proxy) in self.sites.iter_mut().zip(&self.proxies) {
            if !site.indoubt().is_empty() {
                self.coordinator.introduce(Arc::clone(proxy) as Arc<dyn Participant>);
            }
        }
    }

    fn is_resolved(&mut self) -> bool {
        self.coordinator.decided().is_empty()
            && self.own_indoubt().is_empty()
            && self.sites.iter_mut().all(|site| site.indoubt().is_empty())
            && self.network.0.lock().is_empty()
    }

    fn check(&mut self) {
        for (name, unit) in &self.units {
            let mut places: Vec<bool> = (unit.own && !unit.own_forced)
                .then(|| has(&self.running, self.own, name))
                .into_iter()
                .collect();
            let kept = unit.writes.iter().filter(|place| !unit.forced.contains(place));
            places.extend(kept.map(|place| self.sites[*place].has(name)));
            let said = unit.said.lock().clone();
            // What is kept beside the records follows them, whatever became of the unit's task and whichever party ended it.
            if unit.own && !unit.own_forced && said.is_some() {
                let is_kept = self.kept.lock().contains(name.as_bytes());
                assert_eq!(
                    is_kept,
                    has(&self.running, self.own, name),
                    "{name}: {said:?}, kept in main storage"
                );
            }
            let all = |is: bool| places.iter().all(|place| *place == is);
            let as_said = match said {
                Some(Outcome::Committed) => all(true),
                Some(Outcome::BackedOut(_)) => all(false),
                Some(Outcome::Unknown(_)) | None => all(true) || all(false),
            };
            assert!(as_said, "{name}: {said:?}, and its changes are there: {places:?}");
            match said {
                Some(Outcome::Committed) => self.counts.committed += 1,
                Some(Outcome::BackedOut(_)) => self.counts.backed_out += 1,
                Some(Outcome::Unknown(_)) => self.counts.unknown += 1,
                None => self.counts.cut_off += 1,
            }
        }
    }
}

/// Keeps, from a start on, the changes that the records have then and those of which watchers hear.
fn keeps<'a>(running: &Running, own: StoreId, units: impl Iterator<Item = &'a UnitName>) -> Kept {
    let there = units.filter(|unit| has(running, own, unit)).map(|unit| unit.as_bytes().to_vec());
    let kept: Kept = Arc::new(Mutex::new(there.collect()));
    let hears = Arc::clone(&kept);
    running.engine.watch_resolved(Box::new(move |resolved| {
        let committed = resolved.of_store(own).filter(|_| resolved.decision == Decision::Commit);
        hears.lock().extend(committed.map(|change| change.key.clone()));
    }));
    kept
}

/// Returns true if own changes in doubt are of a unit of work.
fn is_of(left: &Indoubt, unit: &UnitName) -> bool {
    left.name.strip_prefix(NOTE).is_some_and(|rest| rest.starts_with(unit.as_bytes()))
}

fn is_forced(left: &Indoubt) -> bool {
    matches!(left.standing, Standing::Forced(_))
}

/// A coordinator that has read its decisions, and can reach everybody.
fn coordinator(running: &Running, limit: usize, proxies: &[Arc<Proxy>]) -> Arc<Coordinator> {
    let store = store(running, DECISIONS);
    let engine = Arc::clone(&running.engine) as Arc<dyn Engine>;
    let coordinator = Coordinator::new(engine, store, Limits { decisions: limit });
    let mut recovered = Box::pin(coordinator.recover());
    let polled = recovered.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(polled, std::task::Poll::Ready(Ok(_))), "decisions are read");
    drop(recovered);
    proxies.iter().for_each(|proxy| coordinator.introduce(Arc::clone(proxy) as Arc<dyn Participant>));
    coordinator
}
