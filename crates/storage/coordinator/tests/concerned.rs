//! A participant that does not answer keeps no other waiting, and a unit of work that cannot end just now no other one.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use coordinator::{Answered, Coordinator, Limits, OnePhase, Participant, UnitName, Vote};
use parking_lot::Mutex;
use records::sim::Machine;
use records::{Answer, Engine, Recovery};

/// A participant of which two units of work are in doubt; it hears nothing as long as the link is cut.
struct Region {
    name: &'static str,
    is_cut: bool,
    /// The one that cannot end just now.
    holds: Option<UnitName>,
    heard: Mutex<Vec<UnitName>>,
}

impl Region {
    fn new(name: &'static str, is_cut: bool) -> Arc<Self> {
        Arc::new(Self { name, is_cut, holds: None, heard: Mutex::default() })
    }

    fn answer<T: Send + Unpin + 'static>(&self, answer: T) -> Answer<'static, T> {
        if self.is_cut { Answer::later(std::future::pending()) } else { Answer::ready(answer) }
    }
}

fn unit(name: &str) -> UnitName {
    UnitName::new(name.as_bytes())
}

impl Participant for Region {
    fn name(&self) -> &str {
        self.name
    }

    fn prepare(&self, _: &UnitName) -> Answer<'static, Vote> {
        self.answer(Vote::No)
    }

    fn commit_one_phase(&self, _: &UnitName) -> Answer<'static, OnePhase> {
        self.answer(OnePhase::BackedOut)
    }

    fn commit(&self, unit: &UnitName) -> Answer<'static, Answered> {
        self.backout(unit)
    }

    fn backout(&self, unit: &UnitName) -> Answer<'static, Answered> {
        if self.holds.as_ref() == Some(unit) {
            return self.answer(Answered::NotNow);
        }
        self.heard.lock().push(unit.clone());
        self.answer(Answered::Done)
    }

    fn forget(&self, _: &UnitName) -> Answer<'static, Answered> {
        self.answer(Answered::Done)
    }

    fn indoubt(&self) -> Answer<'static, Option<Vec<UnitName>>> {
        self.answer(Some(vec![unit("first"), unit("second")]))
    }
}

fn coordinator() -> Arc<Coordinator> {
    let running = Machine::new(1, records::Limits::default()).start().expect("an engine");
    let mut work = running.engine.begin(running.engine.locks().new_owner());
    let store = work.create_store("decisions", Recovery::Recoverable).expect("a store");
    drop(work);
    Coordinator::new(Arc::clone(&running.engine) as Arc<dyn Engine>, store, Limits { decisions: 10 })
}

fn poll<T>(work: std::pin::Pin<&mut impl Future<Output = T>>) -> Poll<T> {
    work.poll(&mut Context::from_waker(Waker::noop()))
}

fn names(coordinator: &Coordinator) -> Vec<String> {
    coordinator.concerned().iter().map(|one| one.name().to_owned()).collect()
}

#[test]
fn one_that_does_not_answer_keeps_no_other_waiting() {
    let (coordinator, cut, there) = (coordinator(), Region::new("A", true), Region::new("B", false));
    coordinator.introduce(Arc::clone(&cut) as _);
    coordinator.introduce(Arc::clone(&there) as _);
    assert_eq!(names(&coordinator), ["A", "B"]);
    {
        let mut all = pin!(coordinator.resynchronise_all());
        assert!(poll(all.as_mut()).is_pending());
        assert_eq!(*there.heard.lock(), [unit("first"), unit("second")]);
        // Who becomes suspicious meanwhile is asked, and the other one is being asked.
        coordinator.introduce(Arc::clone(&there) as _);
        assert_eq!(names(&coordinator), ["B"]);
    }
    // No task waits for it any more: it is asked again.
    assert_eq!(names(&coordinator), ["A", "B"]);
}

#[test]
fn a_unit_of_work_that_cannot_end_just_now_keeps_no_other_waiting() {
    let coordinator = coordinator();
    let holds = Some(unit("first"));
    let there = Arc::new(Region { name: "B", is_cut: false, holds, heard: Mutex::default() });
    coordinator.introduce(Arc::clone(&there) as _);
    let done = poll(pin!(coordinator.resynchronise(&*there)));
    assert_eq!(done, Poll::Ready(None));
    assert_eq!(*there.heard.lock(), [unit("second")]);
    assert_eq!(names(&coordinator), ["B"], "it is asked again");
}
