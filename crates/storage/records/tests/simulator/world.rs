//! Tasks at work on a machine, one step at a time.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use records::sim::{Machine, READ_ERROR, Running};
use records::{
    Answer, Batch, Decider, Decision, Direction, Engine, Error, Origin, Recovery, Result, StoreId,
    UnitOfWork, Wait,
};

use crate::model::{Changes, Doubt, Effect, Key, Model, Records, apply_changes, is_listed};

/// The stores of the machine: two that are recoverable, one that is not, one that is loaded.
pub const STORES: [(&str, Recovery); 4] = [
    ("first", Recovery::Recoverable),
    ("second", Recovery::Recoverable),
    ("scratch", Recovery::NonRecoverable),
    ("loaded", Recovery::Recoverable),
];
const SCRATCH: usize = 2;
const LOADED: usize = 3;
const TASKS: usize = 4;
const KEYS: u64 = 12;
/// Units of work that may be in doubt at a time: so that keys are left for others.
const INDOUBT: usize = 3;

/// Changes that are durable when their answer says so.
type Awaited = (usize, Answer<'static, Result<()>>);

/// A task: a unit of work at a time.
#[derive(Default)]
struct Task {
    unit: Option<Box<dyn UnitOfWork>>,
    own: Changes,
    /// The name under which it is prepared.
    prepared: Option<Vec<u8>>,
    ending: Option<Awaited>,
}

/// A machine at work, and the model beside it.
pub struct World<'a> {
    machine: &'a Machine,
    running: Running,
    stores: Vec<StoreId>,
    tasks: Vec<Task>,
    /// Resolutions under way.
    resolving: Vec<Awaited>,
    /// A slow write is under way: no other task can write.
    slow: bool,
    pub model: &'a mut Model,
}

/// One look at an answer.
fn look<T: Unpin>(answer: &mut Answer<'_, T>) -> Poll<T> {
    Pin::new(answer).poll(&mut Context::from_waker(Waker::noop()))
}

/// The value of an answer that needs no waiting.
pub fn now<T: Unpin>(mut answer: Answer<'_, T>) -> T {
    match look(&mut answer) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("an answer that should be there is not"),
    }
}

/// A full disk is no reason to stop, and neither is a sector that cannot be read now.
pub fn unless_passing(error: Error) -> Result<()> {
    match error {
        Error::NoSpace(_) => Ok(()),
        Error::Io(text) if text.ends_with(READ_ERROR) => Ok(()),
        error => Err(error),
    }
}

impl<'a> World<'a> {
    /// A world that an engine was just started in.
    pub fn new(machine: &'a Machine, running: Running, model: &'a mut Model) -> Self {
        Self::open(machine, running, model).expect("reads")
    }

    /// The same, where reading may show damage.
    pub fn open(machine: &'a Machine, running: Running, model: &'a mut Model) -> Result<Self> {
        let stores = STORES.map(|(name, _)| running.engine.find(name).expect("the store is there")).into();
        let tasks = std::iter::repeat_with(Task::default).take(TASKS).collect();
        let world = Self { machine, running, stores, tasks, resolving: Vec::new(), slow: false, model };
        let found = world.everything()?;
        let indoubt = world.running.engine.indoubt()?;
        world.model.restart(found, &indoubt);
        Ok(world)
    }

    fn chance(&self, bound: u64) -> u64 {
        self.machine.power().chance(bound)
    }

    /// One step of a task or of the machine, chosen by chance. An error is the power cut, or what follows from it.
    pub fn step(&mut self) -> Result<()> {
        let power = self.machine.power();
        match self.chance(24) {
            0 => {
                let written = self.running.engine.checkpoint();
                self.wrote(written)
            }
            1..=3 => self.write_group(),
            4 if self.chance(4) == 0 => self.load(),
            5 => {
                power.set_disk_full(self.chance(3) == 0);
                Ok(())
            }
            6 => {
                power.set_read_errors(if self.chance(3) == 0 { 5 } else { 0 });
                Ok(())
            }
            7 => self.write_slowly(),
            8 => self.resolve_any(),
            _ => {
                let task = self.chance(TASKS as u64) as usize;
                self.step_task(task)
            }
        }
    }

    fn write_group(&mut self) -> Result<()> {
        let written = self.running.write_group().map(drop);
        self.wrote(written)
    }

    /// After something that may have written to the log.
    fn wrote(&mut self, written: Result<()>) -> Result<()> {
        self.acknowledge();
        if let Err(Error::NoSpace(_)) = written {
            self.machine.power().set_read_errors(0);
            let listed = self.running.engine.indoubt()?;
            self.model.lacked_room(&listed);
        }
        written.or_else(unless_passing)
    }

    /// A force that takes its time: the others go on meanwhile, and nothing is answered before its end.
    fn write_slowly(&mut self) -> Result<()> {
        let power = self.machine.power();
        power.slow_next_write();
        let running = self.running.clone();
        let writing = std::thread::spawn(move || running.write_group());
        let mut outcome = Ok(());
        if power.await_slow_write(|| writing.is_finished()) {
            self.slow = true;
            for _ in 0..self.chance(20) {
                let task = self.chance(TASKS as u64) as usize;
                outcome = self.step_task(task);
                if outcome.is_err() {
                    break;
                }
            }
        }
        self.slow = false;
        power.end_slow_write();
        let written = writing.join().expect("no panic").map(drop);
        let written = self.wrote(written);
        outcome.and(written)
    }

    /// Looks which units of work were answered as durable.
    fn acknowledge(&mut self) {
        let of_tasks = self.tasks.iter_mut().map(|task| &mut task.ending);
        for ending in of_tasks {
            let Some((entry, answer)) = ending else { continue };
            if let Poll::Ready(outcome) = look(answer) {
                self.model.settle(*entry, &outcome);
                *ending = None;
            }
        }
        let model = &mut self.model;
        self.resolving.retain_mut(|(entry, answer)| match look(answer) {
            Poll::Ready(outcome) => {
                model.settle(*entry, &outcome);
                false
            }
            Poll::Pending => true,
        });
    }

    fn step_task(&mut self, number: usize) -> Result<()> {
        let mut task = std::mem::take(&mut self.tasks[number]);
        let outcome = match (&task.ending, &task.prepared) {
            (Some(_), _) => Ok(()),
            (None, Some(_)) => self.end_prepared(&mut task),
            (None, None) => self.work(&mut task),
        };
        self.tasks[number] = task;
        outcome
    }

    fn work(&mut self, task: &mut Task) -> Result<()> {
        let locks = self.running.engine.locks();
        let mut unit = task.unit.take().unwrap_or_else(|| self.running.engine.begin(locks.new_owner()));
        match self.chance(14) {
            // A unit of work without changes has nothing in the log.
            0 | 1 if task.own.is_empty() => return now(unit.commit()),
            0 => {
                let effect = Effect::Changes(std::mem::take(&mut task.own));
                task.ending = self.begin(effect, unit.commit())?;
                return Ok(());
            }
            1 => {
                let effect = Effect::Changes(std::mem::take(&mut task.own));
                now(unit.commit_unforced())?;
                effect.apply(&mut self.model.visible);
                self.model.add(effect);
                return Ok(());
            }
            2 => {
                task.own.clear();
                return now(unit.backout());
            }
            3 if !task.own.is_empty() && self.model.visible.indoubt.len() < INDOUBT => {
                return self.prepare(task, unit);
            }
            4..=6 => self.check_range(&mut *unit, task).or_else(unless_passing)?,
            7..=8 => self.check_get(&mut *unit, task).or_else(unless_passing)?,
            _ => self.change(&mut *unit, task)?,
        }
        task.unit = Some(unit);
        Ok(())
    }

    /// Something is on its way into the log, unless its answer is there at once.
    fn begin(&mut self, effect: Effect, mut answer: Answer<'static, Result<()>>) -> Result<Option<Awaited>> {
        match look(&mut answer) {
            Poll::Ready(outcome) => outcome.or_else(unless_passing).map(|()| None),
            Poll::Pending => Ok(Some((self.model.add(effect), answer))),
        }
    }

    /// Prepares a unit of work, and waits for it or not.
    fn prepare(&mut self, task: &mut Task, mut unit: Box<dyn UnitOfWork>) -> Result<()> {
        self.model.names += 1;
        let name = format!("unit {:06}", self.model.names).into_bytes();
        let effect = Effect::Prepare(name.clone(), std::mem::take(&mut task.own));
        let patient = self.chance(3) > 0 && !self.slow;
        let mut answer = unit.prepare(&name);
        let mut outcome = look(&mut answer);
        // The engine refused it before anything was in the log.
        if let Poll::Ready(outcome) = outcome {
            return outcome.or_else(unless_passing);
        }
        let entry = self.model.add(effect);
        let mut failed = Ok(());
        while patient && outcome.is_pending() {
            let written = self.running.write_group().map(drop);
            outcome = look(&mut answer);
            if written.is_err() {
                failed = written;
                break;
            }
        }
        drop(answer);
        match outcome {
            // It will show in a listing, unless it was refused.
            Poll::Pending => {
                drop(unit);
                self.model.leave(entry);
            }
            Poll::Ready(outcome) => {
                self.model.settle(entry, &outcome);
                if outcome.is_ok() {
                    (task.unit, task.prepared) = (Some(unit), Some(name));
                }
            }
        }
        self.wrote(failed)
    }

    /// The task of a prepared unit of work hears of its coordinator, or is gone.
    fn end_prepared(&mut self, task: &mut Task) -> Result<()> {
        if task.prepared.as_ref().is_some_and(|name| self.is_being_resolved(name)) {
            return Ok(());
        }
        let (Some(unit), Some(name)) = (task.unit.take(), task.prepared.take()) else { return Ok(()) };
        let by = Decider::Coordinator;
        let decision = match self.chance(4) {
            0 => Decision::Backout,
            1 => Decision::Commit,
            2 => {
                drop(unit);
                return Ok(());
            }
            _ => {
                (task.unit, task.prepared) = (Some(unit), Some(name));
                return Ok(());
            }
        };
        let answer = if decision == Decision::Commit { unit.commit() } else { unit.backout() };
        task.ending = self.begin_resolve(name, decision, by, answer)?;
        Ok(())
    }

    fn begin_resolve(
        &mut self,
        name: Vec<u8>,
        decision: Decision,
        by: Decider,
        answer: Answer<'static, Result<()>>,
    ) -> Result<Option<Awaited>> {
        let forced = match self.model.visible.indoubt.get(&name) {
            Some(Doubt::Forced(decision)) => Some(*decision),
            _ => None,
        };
        let begun = self.begin(Effect::Resolve(name, decision, by), answer);
        match (begun, forced) {
            (Err(Error::Heuristic(made)), Some(forced)) => {
                assert!(made == forced && made != decision && by == Decider::Coordinator);
                Ok(None)
            }
            // Another task has forced it; or it is not indoubt yet, or no longer.
            (Err(Error::NotIndoubt), _) => Ok(None),
            (begun, _) => begun,
        }
    }

    /// Returns true if a task is about to end a unit of work: a task that comes then waits for that, and nothing of it is in the log.
    fn is_being_resolved(&self, name: &[u8]) -> bool {
        let of_tasks = self.tasks.iter().filter_map(|task| task.ending.as_ref());
        let mut entries = of_tasks.chain(&self.resolving).map(|(entry, _)| *entry);
        entries.any(|entry| self.model.resolves(entry, name))
    }

    /// Resolves a unit of work, with its task or without.
    fn resolve_any(&mut self) -> Result<()> {
        let listed = match self.running.engine.indoubt() {
            Ok(listed) => listed,
            Err(error) => return unless_passing(error),
        };
        // Who did not wait for a prepare can see it in the listing.
        self.model.see(listed.iter().map(|unit| unit.name.as_slice()));
        if self.resolving.is_empty() && self.tasks.iter().all(|task| task.ending.is_none()) {
            assert!(is_listed(&self.model.visible.indoubt, &listed), "{listed:?}");
        }
        let Some(unit) = listed.get(self.chance(listed.len().max(1) as u64) as usize) else { return Ok(()) };
        if self.is_being_resolved(&unit.name) {
            return Ok(());
        }
        let decision = [Decision::Commit, Decision::Backout][self.chance(2) as usize];
        let by = [Decider::Coordinator, Decider::Operator][self.chance(2) as usize];
        let answer = self.running.engine.resolve(&unit.name, decision, by);
        if let Some(awaited) = self.begin_resolve(unit.name.clone(), decision, by, answer)? {
            self.resolving.push(awaited);
        }
        Ok(())
    }

    fn any_key(&self) -> Key {
        (self.chance(LOADED as u64) as usize, vec![b'a' + self.chance(KEYS) as u8])
    }

    fn change(&mut self, unit: &mut dyn UnitOfWork, task: &mut Task) -> Result<()> {
        let key = self.any_key();
        let store = self.stores[key.0];
        match now(unit.lock(store, &key.1, Wait::No)) {
            Err(Error::Locked) => return Ok(()),
            Err(Error::Retained) => {
                assert!(self.model.may_be_retained(&key), "{key:?} is retained for nobody");
                return Ok(());
            }
            locked => locked?,
        }
        assert!(!self.model.is_indoubt(&key), "{key:?} is kept by a unit of work in doubt");
        let length = if self.chance(20) == 0 { 9000 } else { self.chance(30) };
        let record = (self.chance(4) > 0).then(|| vec![b'0' + self.chance(10) as u8; length as usize]);
        let changed = match &record {
            Some(record) => now(unit.put(store, &key.1, record)),
            None => now(unit.delete(store, &key.1)),
        };
        if key.0 == SCRATCH || changed.is_err() {
            unit.unlock(store, &key.1);
        }
        if let Err(error) = changed {
            return unless_passing(error);
        }
        if key.0 == SCRATCH {
            let effect = Effect::Changes(BTreeMap::from([(key, record)]));
            effect.apply(&mut self.model.visible);
            self.model.add(effect);
        } else {
            task.own.insert(key, record);
        }
        Ok(())
    }

    /// Records that a task must see.
    fn view(&self, task: &Task) -> Records {
        let mut view = self.model.visible.records.clone();
        apply_changes(&task.own, &mut view);
        view
    }

    fn check_get(&mut self, unit: &mut dyn UnitOfWork, task: &Task) -> Result<()> {
        let key = self.any_key();
        let mut record = Vec::new();
        let there = now(unit.get(self.stores[key.0], &key.1, &mut record))?;
        assert_eq!(there.then_some(record), self.view(task).get(&key).cloned(), "{key:?}");
        Ok(())
    }

    fn check_range(&mut self, unit: &mut dyn UnitOfWork, task: &Task) -> Result<()> {
        let (store, key) = self.any_key();
        let limit = 1 + self.chance(KEYS) as usize;
        let origin = [Origin::Start, Origin::At(&key), Origin::Beyond(&key)][self.chance(3) as usize];
        let direction = [Direction::Forward, Direction::Backward][self.chance(2) as usize];
        let mut batch = Batch::default();
        now(unit.range(self.stores[store], origin, direction, limit, &mut batch))?;

        let forward = direction == Direction::Forward;
        let view = self.view(task);
        let mut expected: Vec<_> = view
            .into_iter()
            .filter(|((of, at), _)| {
                *of == store
                    && match origin {
                        Origin::Start => true,
                        Origin::At(key) => *at == key || (at.as_slice() > key) == forward,
                        Origin::Beyond(key) => *at != key && (at.as_slice() > key) == forward,
                    }
            })
            .map(|((_, key), record)| (key, record))
            .collect();
        if !forward {
            expected.reverse();
        }
        expected.truncate(limit);
        assert_eq!(batch.to_vec(), expected, "{origin:?} {direction:?}");
        Ok(())
    }

    fn load(&mut self) -> Result<()> {
        let records: BTreeMap<_, _> = (0..self.chance(20))
            .map(|n| (vec![b'a' + n as u8], vec![b'0' + self.chance(10) as u8; 3]))
            .collect();
        let entry = self.model.add(Effect::Load(LOADED, records.clone()));
        let loaded = self.running.engine.load(self.stores[LOADED], &mut records.into_iter().map(Ok));
        self.acknowledge();
        match loaded.map(drop) {
            // What is in the queue may still get through.
            Err(Error::NoSpace(_)) => Err(Error::Stopped),
            outcome => {
                self.model.settle(entry, &outcome);
                outcome
            }
        }
    }

    /// Everything that is stored now.
    fn everything(&self) -> Result<Records> {
        let mut records = Records::new();
        let mut batch = Batch::default();
        let mut unit = self.running.engine.begin(self.running.engine.locks().new_owner());
        for (number, store) in self.stores.iter().enumerate() {
            now(unit.range(*store, Origin::Start, Direction::Forward, usize::MAX, &mut batch))?;
            records.extend(batch.to_vec().into_iter().map(|(key, record)| ((number, key), record)));
        }
        Ok(records)
    }
}

/// Makes the stores of a new machine.
pub fn create_stores(running: &Running) {
    let mut unit = running.engine.begin(running.engine.locks().new_owner());
    for (name, recovery) in STORES {
        unit.create_store(name, recovery).expect("a store");
    }
    now(unit.commit_unforced()).expect("a commit");
    while running.write_group().expect("the power is on") {}
}
