//! The gate that units of work with participants pass: while it is closed none is committed, and a unit of work that gives up is backed out.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use coordinator::{Answered, Coordinator, Limits, OnePhase, Outcome, Participant, UnitName, Vote};
use parking_lot::Mutex;
use records::sim::Machine;
use records::{Answer, Engine, Recovery};

/// A participant that does at once what it is asked for, and notes it.
#[derive(Default)]
struct Obedient(Mutex<Vec<&'static str>>);

impl Obedient {
    fn note(&self, order: &'static str) {
        self.0.lock().push(order);
    }
}

impl Participant for Obedient {
    fn name(&self) -> &str {
        "DB2"
    }

    fn prepare(&self, _: &UnitName) -> Answer<'static, Vote> {
        self.note("prepare");
        Answer::ready(Vote::Yes)
    }

    fn commit_one_phase(&self, _: &UnitName) -> Answer<'static, OnePhase> {
        self.note("commit in one phase");
        Answer::ready(OnePhase::Committed)
    }

    fn commit(&self, _: &UnitName) -> Answer<'static, Answered> {
        self.note("commit");
        Answer::ready(Answered::Done)
    }

    fn backout(&self, _: &UnitName) -> Answer<'static, Answered> {
        self.note("backout");
        Answer::ready(Answered::Done)
    }

    fn forget(&self, _: &UnitName) -> Answer<'static, Answered> {
        Answer::ready(Answered::Done)
    }

    fn indoubt(&self) -> Answer<'static, Option<Vec<UnitName>>> {
        Answer::ready(Some(Vec::new()))
    }
}

/// One look at a future.
fn look<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

#[track_caller]
fn now<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    match look(future.as_mut()) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("it waits"),
    }
}

#[test]
fn nothing_with_participants_is_committed_while_the_gate_is_closed() {
    let machine = Machine::new(1, records::Limits::default());
    let running = machine.start().expect("an engine");
    let mut unit = running.engine.begin(running.engine.locks().new_owner());
    let store = unit.create_store("decisions", Recovery::Recoverable).expect("a store");
    now(unit.commit_unforced()).expect("a commit");
    while running.write_group().expect("the power is on") {}
    let coordinator = Coordinator::new(Arc::clone(&running.engine) as _, store, Limits { decisions: 10 });
    let participant = Arc::new(Obedient::default());
    let unit = |name: &[u8]| {
        coordinator.commit(UnitName::new(name), Vec::new(), None, vec![Arc::clone(&participant) as _])
    };
    let told = || std::mem::take(&mut *participant.0.lock());
    // One is at its end: the gate is closed behind it, and no other unit of work overtakes.
    let mut first = unit(b"first");
    let mut closing = std::pin::pin!(coordinator.still());
    assert!(look(closing.as_mut()).is_pending());
    let (mut second, third) = (unit(b"second"), unit(b"third"));
    assert_eq!(told(), ["commit in one phase"]);
    assert_eq!(now(first.outcome()), Outcome::Committed);
    now(first.settle());
    let Poll::Ready(still) = look(closing.as_mut()) else { panic!("nobody is at its end") };
    assert!(look(std::pin::pin!(second.outcome())).is_pending());
    assert!(told().is_empty());
    // One that gives up is backed out.
    drop(third);
    assert_eq!(told(), ["backout"]);
    drop(still);
    assert_eq!(now(second.outcome()), Outcome::Committed);
    assert_eq!(told(), ["commit in one phase"]);
}
