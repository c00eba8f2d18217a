//! A region in the middle: another region decides about a unit of work that it has changes of, and so has a participant of its own. Power
//! fails at any byte of its log, it dies between any two steps, and its participant does not always hear: in the end both have the
//! changes or none, and nothing is in doubt. 300 seeds, or as many as `COORDINATOR_SEEDS=0..10000`
//! says; one that fails names itself.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use coordinator::{Answered, Coordinator, Limits, OnePhase, Participant, UnitName, Vote};
use parking_lot::Mutex;
use records::sim::{Machine, Running};
use records::{Answer, Decider, Decision, Engine, Recovery, StoreId, UnitOfWork, Wait};

const SEEDS: std::ops::Range<u64> = 0..300;
const UNITS: u64 = 12;
/// Bytes of the log after which power may fail.
const BYTES: u64 = 2_500;
/// Looks at something that only the log keeps from its end.
const LOOKS_MAX: usize = 10_000;

/// The participant: what it has outlives the region in the middle.
#[derive(Default)]
struct Below(Mutex<State>);

#[derive(Default)]
struct State {
    indoubt: BTreeSet<UnitName>,
    committed: BTreeSet<UnitName>,
    refuses: bool,
    deaf: bool,
}

impl Below {
    fn end(&self, unit: &UnitName, commits: bool) -> Answer<'static, Answered> {
        let mut state = self.0.lock();
        if state.deaf {
            return Answer::ready(Answered::Unreachable);
        }
        if state.indoubt.remove(unit) && commits {
            state.committed.insert(unit.clone());
        }
        Answer::ready(Answered::Done)
    }
}

impl Participant for Below {
    fn name(&self) -> &str {
        "BELOW"
    }

    fn prepare(&self, unit: &UnitName) -> Answer<'static, Vote> {
        let mut state = self.0.lock();
        if state.refuses {
            return Answer::ready(Vote::No);
        }
        state.indoubt.insert(unit.clone());
        // It may be in doubt, and not be heard.
        Answer::ready(if state.deaf { Vote::Unreachable } else { Vote::Yes })
    }

    fn commit_one_phase(&self, _: &UnitName) -> Answer<'static, OnePhase> {
        unreachable!("somebody else decides")
    }

    fn commit(&self, unit: &UnitName) -> Answer<'static, Answered> {
        self.end(unit, true)
    }

    fn backout(&self, unit: &UnitName) -> Answer<'static, Answered> {
        self.end(unit, false)
    }

    fn forget(&self, _: &UnitName) -> Answer<'static, Answered> {
        Answer::ready(Answered::Done)
    }

    fn indoubt(&self) -> Answer<'static, Option<Vec<UnitName>>> {
        let state = self.0.lock();
        Answer::ready((!state.deaf).then(|| state.indoubt.iter().cloned().collect()))
    }
}

/// The region in the middle.
struct Middle {
    machine: Machine,
    running: Running,
    coordinator: Arc<Coordinator>,
    own: StoreId,
    below: Arc<Below>,
}

/// Waits for something, and writes the log meanwhile. `None`: the power has failed.
fn done<F: Future>(running: &Running, future: F) -> Option<F::Output> {
    let mut future = std::pin::pin!(future);
    for _ in 0..LOOKS_MAX {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return Some(value);
        }
        let _ = running.write_group().ok()?;
    }
    panic!("it never ends");
}

fn store(running: &Running, name: &str) -> StoreId {
    if let Some(store) = running.engine.find(name) {
        return store;
    }
    let mut unit = running.engine.begin(running.engine.locks().new_owner());
    let store = unit.create_store(name, Recovery::Recoverable).expect("a store");
    done(running, unit.commit()).expect("the power is on").expect("a commit");
    store
}

impl Middle {
    fn start(machine: Machine, below: &Arc<Below>) -> Self {
        machine.power().restore();
        let running = machine.start().expect("an engine");
        let (decisions, own) = (store(&running, "decisions"), store(&running, "own"));
        let engine: Arc<dyn Engine> = running.engine.clone();
        let coordinator = Coordinator::new(Arc::clone(&engine), decisions, Limits { decisions: 100 });
        done(&running, coordinator.recover()).expect("the power is on").expect("decisions");
        let hears = Arc::downgrade(&coordinator);
        engine.watch_resolved(Box::new(move |resolved| {
            if let Some(coordinator) = hears.upgrade() {
                coordinator.resolved(resolved);
            }
        }));
        coordinator.introduce(Arc::clone(below) as Arc<dyn Participant>);
        Self { machine, running, coordinator, own, below: Arc::clone(below) }
    }

    fn restart(self) -> Self {
        let Self { machine, running, below, coordinator, .. } = self;
        drop((running, coordinator));
        Self::start(machine, &below)
    }

    fn chance(&self, bound: u64) -> u64 {
        self.machine.power().chance(bound)
    }

    /// Prepares a unit of work: true if it votes yes; `None`: the power has failed.
    fn votes(&self, unit: &UnitName) -> Option<Option<(Box<dyn UnitOfWork>, coordinator::Voters)>> {
        let mut own = self.running.engine.begin(self.running.engine.locks().new_owner());
        done(&self.running, own.lock(self.own, unit.as_bytes(), Wait::No))?.ok()?;
        done(&self.running, own.put(self.own, unit.as_bytes(), b"was here"))?.ok()?;
        let below: coordinator::Voters = vec![Arc::clone(&self.below) as Arc<dyn Participant>];
        match done(&self.running, self.coordinator.ask_for_votes(unit, below))? {
            Err(telling) => {
                done(&self.running, telling.settle())?;
                Some(None)
            }
            Ok(voters) => {
                let put = self.coordinator.put_decision(&mut *own, unit, b"note".to_vec(), &voters);
                done(&self.running, put)?.ok()?;
                done(&self.running, own.prepare(unit.as_bytes()))?.ok()?;
                Some(Some((own, voters)))
            }
        }
    }

    fn has(&self, unit: &UnitName) -> bool {
        let mut work = self.running.engine.begin(self.running.engine.locks().new_owner());
        let read = done(&self.running, work.get(self.own, unit.as_bytes(), &mut Vec::new()));
        read.expect("the power is on").expect("a read")
    }

    /// The one who decides and the one below are there: everything ends as was decided.
    fn settle(&self, decided: &dyn Fn(&[u8]) -> Decision) {
        for unit in self.running.engine.indoubt().expect("a list") {
            let name = UnitName::new(&unit.name);
            assert_eq!(self.coordinator.decision(&name), None, "{name}: one that asks is put off");
            let resolved = self.running.engine.resolve(&unit.name, decided(&unit.name), Decider::Coordinator);
            done(&self.running, resolved).expect("the power is on").expect("resolved");
        }
        done(&self.running, self.coordinator.resynchronise_all()).expect("the power is on");
    }
}

fn run(seed: u64) -> [usize; 3] {
    let limits = records::Limits {
        segment_bytes: 64 * 1024,
        quick_force: Duration::ZERO,
        ..records::Limits::default()
    };
    let below = Arc::new(Below::default());
    let mut middle = Middle::start(Machine::new(seed, limits), &below);
    // The decisions of the one above: only what has voted yes may commit.
    let mut decided: std::collections::BTreeMap<UnitName, bool> = std::collections::BTreeMap::new();
    let mut counts = [0; 3];
    for number in 0..UNITS {
        let unit = UnitName::new(format!("unit {number}").as_bytes());
        {
            let mut state = below.0.lock();
            (state.refuses, state.deaf) = (middle.chance(8) == 0, middle.chance(4) == 0);
        }
        if middle.chance(3) == 0 {
            middle.machine.power().fails_after(middle.chance(BYTES));
        }
        let voted = middle.votes(&unit);
        let commits = matches!(voted, Some(Some(_))) && middle.chance(3) != 0;
        decided.insert(unit.clone(), commits);
        below.0.lock().deaf = middle.chance(4) == 0;
        match (voted, middle.chance(3)) {
            // Its task hears the decision.
            (Some(Some((own, voters))), 0..=1) if commits => {
                if let Some(Ok(())) = done(&middle.running, own.commit()) {
                    let telling = middle.coordinator.passes_on(unit.clone(), b"note".to_vec(), voters);
                    let _ = done(&middle.running, telling.settle());
                }
            }
            (Some(Some((own, voters))), 0..=1) => {
                if let Some(Ok(())) = done(&middle.running, own.backout()) {
                    let _ =
                        done(&middle.running, middle.coordinator.takes_back(unit.clone(), voters).settle());
                }
            }
            // It is gone before.
            (Some(Some(_)), _) => counts[2] += 1,
            _ => {}
        }
        if middle.machine.power().is_off() || middle.chance(3) == 0 {
            middle = middle.restart();
            counts[1] += 1;
        }
    }
    below.0.lock().deaf = false;
    middle.machine.power().restore();
    middle = middle.restart();
    let decision = |name: &[u8]| match decided.get(&UnitName::new(name)) {
        Some(true) => Decision::Commit,
        _ => Decision::Backout,
    };
    for _ in 0..3 {
        middle.settle(&decision);
    }
    assert!(middle.running.engine.indoubt().expect("a list").is_empty());
    assert!(below.0.lock().indoubt.is_empty(), "in doubt for ever: {:?}", below.0.lock().indoubt);
    assert!(middle.coordinator.decided().is_empty());
    for (unit, commits) in &decided {
        let both = (middle.has(unit), below.0.lock().committed.contains(unit));
        assert_eq!(both, (*commits, *commits), "{unit}");
        counts[0] += usize::from(*commits);
    }
    counts
}

#[test]
fn what_another_region_decides_is_so_here_and_below() {
    let asked = std::env::var("COORDINATOR_SEEDS").ok();
    let asked = asked.as_deref().and_then(|text| text.split_once(".."));
    let seeds =
        asked.map_or(SEEDS, |(first, end)| first.parse().expect("a number")..end.parse().expect("a number"));
    let mut all = [0; 3];
    for seed in seeds {
        let counts = std::panic::catch_unwind(|| run(seed)).unwrap_or_else(|why| {
            eprintln!("seed {seed}");
            std::panic::resume_unwind(why)
        });
        all.iter_mut().zip(counts).for_each(|(all, one)| *all += one);
    }
    let [committed, restarts, shunted] = all;
    assert!(committed > 0 && restarts > 0 && shunted > 0, "{all:?}");
}
