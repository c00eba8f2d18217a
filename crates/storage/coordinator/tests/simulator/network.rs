//! Messages between the coordinator and its participants. They go when the simulation says so, or never, or twice.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use coordinator::{Answered, Fate, OnePhase, Participant, UnitName, Vote};
use parking_lot::Mutex;
use records::Answer;

/// Requests to a participant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    Prepare,
    Evidence,
    CommitOnePhase,
    Fate,
    Commit,
    Backout,
    Forget,
    Indoubt,
}

/// Replies of a participant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Vote(Vote),
    Evidence(Option<Vec<u8>>),
    OnePhase(OnePhase),
    Fate(Fate),
    Answered(Answered),
    Indoubt(Option<Vec<UnitName>>),
}

impl Request {
    /// Reply that the coordinator hears when no answer comes.
    pub fn unanswered(self) -> Reply {
        match self {
            Self::Prepare => Reply::Vote(Vote::Unreachable),
            Self::Evidence => Reply::Evidence(None),
            Self::Fate => Reply::Fate(Fate::Unreachable),
            Self::CommitOnePhase => Reply::OnePhase(OnePhase::Unknown),
            Self::Commit | Self::Backout | Self::Forget => Reply::Answered(Answered::Unreachable),
            Self::Indoubt => Reply::Indoubt(None),
        }
    }
}

/// Place where the one who waits for an answer looks.
#[derive(Clone, Default)]
pub struct Slot(Arc<Mutex<Option<Reply>>>);

impl Slot {
    /// The first answer counts.
    pub fn put(&self, reply: Reply) {
        self.0.lock().get_or_insert(reply);
    }
}

/// A question on its way.
#[derive(Clone)]
pub struct Message {
    pub to: usize,
    pub unit: UnitName,
    pub request: Request,
    pub slot: Slot,
}

/// The messages that are on their way.
#[derive(Default)]
pub struct Network(pub Mutex<Vec<Message>>);

/// A participant, as the coordinator has it: what it is asked becomes a message.
pub struct Proxy {
    pub place: usize,
    pub name: String,
    pub network: Arc<Network>,
    /// The units of work in which it only reads, and says so.
    pub reads: Arc<Mutex<Vec<UnitName>>>,
}

impl Proxy {
    fn ask<T: Send + 'static>(
        &self,
        request: Request,
        unit: &UnitName,
        read: fn(Reply) -> Option<T>,
    ) -> Answer<'static, T> {
        let slot = Slot::default();
        let message = Message { to: self.place, unit: unit.clone(), request, slot: slot.clone() };
        self.network.0.lock().push(message);
        Answer::later(poll_fn(move |_| match slot.0.lock().take() {
            Some(reply) => Poll::Ready(read(reply).expect("an answer to the question")),
            None => Poll::Pending,
        }))
    }

    fn tell(&self, request: Request, unit: &UnitName) -> Answer<'static, Answered> {
        self.ask(request, unit, |reply| match reply {
            Reply::Answered(answered) => Some(answered),
            _ => None,
        })
    }
}

impl Participant for Proxy {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_read_only(&self, unit: &UnitName) -> bool {
        self.reads.lock().contains(unit)
    }

    fn prepare(&self, unit: &UnitName) -> Answer<'static, Vote> {
        self.ask(Request::Prepare, unit, |reply| match reply {
            Reply::Vote(vote) => Some(vote),
            _ => None,
        })
    }

    fn commit_one_phase(&self, unit: &UnitName) -> Answer<'static, OnePhase> {
        self.ask(Request::CommitOnePhase, unit, |reply| match reply {
            Reply::OnePhase(done) => Some(done),
            _ => None,
        })
    }

    fn evidence(&self, unit: &UnitName) -> Answer<'static, Option<Vec<u8>>> {
        self.ask(Request::Evidence, unit, |reply| match reply {
            Reply::Evidence(evidence) => Some(evidence),
            _ => None,
        })
    }

    fn fate(&self, unit: &UnitName, evidence: &[u8]) -> Answer<'static, Fate> {
        assert_eq!(evidence, unit.as_bytes(), "what it has shown");
        self.ask(Request::Fate, unit, |reply| match reply {
            Reply::Fate(fate) => Some(fate),
            _ => None,
        })
    }

    fn commit(&self, unit: &UnitName) -> Answer<'static, Answered> {
        self.tell(Request::Commit, unit)
    }

    fn backout(&self, unit: &UnitName) -> Answer<'static, Answered> {
        self.tell(Request::Backout, unit)
    }

    fn forget(&self, unit: &UnitName) -> Answer<'static, Answered> {
        self.tell(Request::Forget, unit)
    }

    fn indoubt(&self) -> Answer<'static, Option<Vec<UnitName>>> {
        self.ask(Request::Indoubt, &UnitName::new(b""), |reply| match reply {
            Reply::Indoubt(units) => Some(units),
            _ => None,
        })
    }
}
