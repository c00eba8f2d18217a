//! The end of one unit of work: carries out what the protocol orders, and tells it what has come of that.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use records::{Answer, Decision, Error, UnitOfWork};

use crate::coordinator::Coordinator;
use crate::decisions::Decided;
use crate::gate::Passage;
use crate::last;
use crate::news::{News, Tried, UnderWay};
use crate::participant::{Answered, OnePhase, Participant, UnitName};
use crate::protocol::{End, Heard, Order, Protocol, Stage, Written};

/// Ends of a unit of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Its changes stay, everywhere: what a participant has not heard yet it will.
    Committed,
    /// They are undone, everywhere.
    BackedOut(Cause),
    /// The only one who decides has not answered: the one participant that has changes, or the log.
    Unknown(Cause),
}

/// Whose doing it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It was asked for.
    Asked,
    /// This participant's: it has voted no, or did not answer.
    Participant(String),
    /// The record engine's, with its own changes or the decision.
    Engine(Error),
    /// There are too many decisions of which participants have not heard ([`crate::Limits::decisions`]).
    Limit,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Asked => f.write_str("its backout was asked for"),
            Self::Participant(name) => write!(f, "{name} cannot commit"),
            Self::Engine(error) => error.fmt(f),
            Self::Limit => f.write_str("too many participants have not heard of decisions yet"),
        }
    }
}

/// A unit of work at its end.
///
/// First [`Self::voted`] for those who may change their minds, then [`Self::outcome`], then [`Self::settle`]. It may be dropped at any time. As long as there is no decision, that
/// backs out; behind one, participants that have not heard of it are shunted: [`Coordinator::resynchronise_all`] tells
/// them. While the decision is being written no participant knows it, and participants that ask are put off until the next start.
pub struct Ending {
    coordinator: Arc<Coordinator>,
    unit: UnitName,
    note: Vec<u8>,
    own: Option<Box<dyn UnitOfWork>>,
    participants: Vec<Arc<dyn Participant>>,
    protocol: Protocol,
    /// Those with a part in the decision.
    decides: Vec<usize>,
    cause: Option<Cause>,
    /// The name under which own changes are prepared for a last resource.
    prepared_as: Vec<u8>,
    under_way: Vec<UnderWay>,
    passage: Passage,
    /// The first orders, while the gate is closed.
    put_off: Vec<Order>,
}

impl Coordinator {
    /// Begins to commit a unit of work. `own` are its changes in the engine of the coordinator, if it has any; `note` is
    /// shown with its decision as long as that is kept.
    pub fn commit(
        self: &Arc<Self>,
        unit: UnitName,
        note: Vec<u8>,
        own: Option<Box<dyn UnitOfWork>>,
        participants: Vec<Arc<dyn Participant>>,
    ) -> Ending {
        Ending::commit(Arc::clone(self), unit, note, own, participants)
    }

    /// Begins to back out a unit of work.
    pub fn backout(
        self: &Arc<Self>,
        unit: UnitName,
        own: Option<Box<dyn UnitOfWork>>,
        participants: Vec<Arc<dyn Participant>>,
    ) -> Ending {
        Ending::backout(Arc::clone(self), unit, own, participants)
    }
}

impl Ending {
    pub(crate) fn commit(
        coordinator: Arc<Coordinator>,
        unit: UnitName,
        note: Vec<u8>,
        own: Option<Box<dyn UnitOfWork>>,
        participants: Vec<Arc<dyn Participant>>,
    ) -> Self {
        let changes = own.as_ref().is_some_and(|own| !own.is_clean());
        let read_only: Vec<bool> = participants.iter().map(|one| one.is_read_only(&unit)).collect();
        let (mut protocol, mut orders) = Protocol::begin(changes, &read_only);
        let mut cause = None;
        let votes = |order: &Order| matches!(order, Order::Prepare(_) | Order::Show(_));
        if orders.iter().any(votes) && !coordinator.begin(&unit) {
            (protocol, orders) = Protocol::refuse(participants.len());
            cause = Some(Cause::Limit);
        }
        let passage = if participants.is_empty() { Passage::Needless } else { coordinator.gate.enter() };
        Self::carry_out(coordinator, (unit, note), own, participants, (protocol, orders, cause), passage)
    }

    pub(crate) fn backout(
        coordinator: Arc<Coordinator>,
        unit: UnitName,
        own: Option<Box<dyn UnitOfWork>>,
        participants: Vec<Arc<dyn Participant>>,
    ) -> Self {
        let (protocol, orders) = Protocol::refuse(participants.len());
        let begun = (protocol, orders, Some(Cause::Asked));
        // Where nothing is committed the gate does not matter.
        Self::carry_out(coordinator, (unit, Vec::new()), own, participants, begun, Passage::Needless)
    }

    /// Tells participants that have voted what another region has decided: to commit.
    pub(crate) fn tell(
        coordinator: Arc<Coordinator>,
        unit: UnitName,
        participants: Vec<Arc<dyn Participant>>,
    ) -> Self {
        let (protocol, orders) = Protocol::committed(participants.len());
        let begun = (protocol, orders, None);
        Self::carry_out(coordinator, (unit, Vec::new()), None, participants, begun, Passage::Needless)
    }

    fn carry_out(
        coordinator: Arc<Coordinator>,
        (unit, note): (UnitName, Vec<u8>),
        own: Option<Box<dyn UnitOfWork>>,
        participants: Vec<Arc<dyn Participant>>,
        (protocol, orders, cause): (Protocol, Vec<Order>, Option<Cause>),
        passage: Passage,
    ) -> Self {
        let mut ending = Self {
            coordinator,
            unit,
            note,
            own,
            participants,
            protocol,
            decides: Vec::new(),
            cause,
            prepared_as: Vec::new(),
            under_way: Vec::new(),
            passage,
            put_off: Vec::new(),
        };
        match ending.passage.waits() {
            true => ending.put_off = orders,
            false => ending.begin(orders),
        }
        ending
    }

    /// Waits until no vote is waited for any more. As long as this goes on, the unit of work may still be backed out by
    /// dropping it: later its end is a matter of moments, except where its only participant decides.
    pub async fn voted(&mut self) {
        poll_fn(|context| {
            self.poll(context);
            let may_change = matches!(self.protocol.stage(), Stage::Voting | Stage::Asking);
            if may_change { Poll::Pending } else { Poll::Ready(()) }
        })
        .await;
    }

    /// Waits until only a participant knows how the unit of work ends, or that is certain. True: only a participant knows. What the
    /// log is asked for is waited for in any case.
    pub async fn participant_decides(&mut self) -> bool {
        poll_fn(|context| {
            self.poll(context);
            match self.protocol.stage() {
                Stage::OnePhase => Poll::Ready(true),
                _ if self.protocol.end().is_some() => Poll::Ready(false),
                _ => Poll::Pending,
            }
        })
        .await
    }

    /// Waits until it is certain how the unit of work ends; and if that is a commit, until it is durable.
    pub async fn outcome(&mut self) -> Outcome {
        let end = poll_fn(|context| {
            self.poll(context);
            self.protocol.end().map_or(Poll::Pending, Poll::Ready)
        })
        .await;
        // Own changes that are not committed are backed out, before anybody hears of it.
        self.own = None;
        let whose = |ending: &Self, at: usize| Cause::Participant(ending.participants[at].name().to_owned());
        let cause = |ending: &Self| ending.cause.clone();
        match end {
            End::Committed => Outcome::Committed,
            End::BackedOut(Some(at)) => Outcome::BackedOut(whose(self, at)),
            End::BackedOut(None) => Outcome::BackedOut(cause(self).unwrap_or(Cause::Asked)),
            End::Unknown => Outcome::Unknown(cause(self).unwrap_or_else(|| whose(self, self.decides[0]))),
        }
    }

    /// Waits until all participants have been told, and have answered or cannot be reached.
    pub async fn settle(mut self) {
        poll_fn(|context| {
            self.poll(context);
            let is_over = self.protocol.stage() == Stage::Over && self.under_way.is_empty();
            if is_over { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// Looks at everything that is under way, until nothing more has come of it.
    fn poll(&mut self, context: &mut Context<'_>) {
        if self.passage.opens(context) {
            let orders = std::mem::take(&mut self.put_off);
            self.begin(orders);
        }
        let mut at = 0;
        while at < self.under_way.len() {
            match Pin::new(&mut self.under_way[at]).poll(context) {
                Poll::Pending => at += 1,
                Poll::Ready(news) => {
                    drop(self.under_way.swap_remove(at));
                    self.hear(news);
                    // What was ordered of that may be there at once.
                    at = 0;
                }
            }
        }
    }

    fn hear(&mut self, news: News) {
        let heard = match news {
            News::Heard(heard) => heard,
            News::Written(written) => Heard::Written(self.written(written)),
            News::Shown(at, evidence) => Heard::Shown(at, self.shown(at, evidence)),
            News::Prepared(own, Ok(())) => {
                self.own = Some(own);
                Heard::Prepared(true)
            }
            News::Prepared(_, Err(error)) => {
                self.cause = Some(Cause::Engine(error));
                Heard::Prepared(false)
            }
            News::Resolved(resolved) => {
                if let Err(error) = &resolved {
                    tracing::error!(target: "RM", "unit of work {}: {error}: its records stay locked", self.unit);
                    self.suspect_all();
                }
                Heard::Resolved(resolved.is_ok())
            }
            News::Forgotten(at, answered) => {
                if !answered.is_heard() {
                    let name = self.participants[at].name();
                    self.coordinator.with_decisions(|decisions| decisions.suspect(name));
                }
                return;
            }
            News::Erased(erased) => {
                if erased {
                    self.coordinator.with_decisions(|decisions| decisions.forget(&self.unit));
                }
                return;
            }
        };
        let stage = self.protocol.stage();
        let orders = self.protocol.hear(heard);
        if stage != Stage::BackingOut && matches!(self.protocol.end(), Some(End::BackedOut(_))) {
            // Own changes and locks go first: a participant that asks gets the answer of one that hears the decision.
            self.own = None;
            self.coordinator.with_decisions(|decisions| decisions.drop_undecided(&self.unit));
        }
        match heard {
            Heard::Answered(at, answered) => self.answered(at, answered, stage),
            // Own changes are shunted first: an inquiry from now on finds them so.
            Heard::OnePhase(_, OnePhase::Unknown) if self.own.take().is_some() => self.suspect_all(),
            _ => {}
        }
        self.begin(orders);
    }

    /// Returns true if the only participant can be the last resource: it has shown by what it will be asked.
    fn shown(&mut self, at: usize, evidence: Option<Vec<u8>>) -> bool {
        let participant = self.participants[at].name();
        self.prepared_as = evidence
            .and_then(|evidence| last::name(&self.note, &self.unit, participant, &evidence))
            .unwrap_or_default();
        let is_last = !self.prepared_as.is_empty();
        if is_last {
            // It is no decision of the coordinator's.
            self.coordinator.with_decisions(|decisions| decisions.drop_undecided(&self.unit));
        }
        is_last
    }

    fn written(&mut self, written: Result<(), Tried>) -> Written {
        let (written, error) = match written {
            Ok(()) => {
                let names = self.decides.iter().map(|at| self.participants[*at].name().to_owned());
                let decided =
                    Decided::new(self.unit.clone(), std::mem::take(&mut self.note), names.collect());
                self.coordinator.with_decisions(|decisions| match decided.waiting.is_empty() {
                    true => decisions.drop_undecided(&decided.unit),
                    false => decisions.decide(decided),
                });
                return Written::Forced;
            }
            Err(Tried::Commit(error @ (Error::Io(_) | Error::Stopped))) => (Written::Unknown, error),
            Err(Tried::Put(error) | Tried::Commit(error)) => (Written::Refused, error),
        };
        self.cause = Some(Cause::Engine(error));
        written
    }

    /// A participant has answered to the decision.
    fn answered(&mut self, at: usize, answered: Answered, stage: Stage) {
        let name = self.participants[at].name();
        if let Answered::Otherwise(made) = answered {
            tell_damage(&self.unit, name, made);
        }
        let has_heard = answered.is_heard();
        match stage {
            Stage::BackingOut if !has_heard => self.suspect(at),
            Stage::Telling if has_heard && self.coordinator.heard(&self.unit, name) => {
                let erased = self.coordinator.erase(&self.unit);
                self.under_way.push(Answer::later(async move { News::Erased(erased.await.is_ok()) }));
            }
            _ => {}
        }
    }

    /// A participant has not heard that the unit of work is backed out.
    fn suspect(&self, at: usize) {
        let name = self.participants[at].name();
        self.coordinator.with_decisions(|decisions| decisions.suspect_of(name, &self.unit));
    }

    /// Participants are asked by the next resynchronisation.
    fn suspect_all(&self) {
        self.coordinator.with_decisions(|decisions| {
            self.participants.iter().for_each(|participant| decisions.suspect(participant.name()));
        });
    }

    fn begin(&mut self, orders: Vec<Order>) {
        for order in orders {
            let begun = match order {
                Order::Prepare(at) => news(self.participants[at].prepare(&self.unit), at, |at, vote| {
                    News::Heard(Heard::Vote(at, vote))
                }),
                Order::CommitOnePhase(at) => {
                    self.decides = vec![at];
                    let done = self.participants[at].commit_one_phase(&self.unit);
                    news(done, at, |at, done| News::Heard(Heard::OnePhase(at, done)))
                }
                Order::Show(at) => news(self.participants[at].evidence(&self.unit), at, News::Shown),
                Order::PrepareOwn => self.prepare_own(),
                Order::EndOwn(decision) => self.end_own(decision),
                Order::Decide(participants) => self.decide(participants),
                Order::Commit(at) => news(self.participants[at].commit(&self.unit), at, told),
                Order::Backout(at) => news(self.participants[at].backout(&self.unit), at, told),
                Order::Forget(at) => news(self.participants[at].forget(&self.unit), at, News::Forgotten),
            };
            self.under_way.push(begun);
        }
    }

    /// Makes own changes durable as in doubt, under a name that says what decides about them.
    fn prepare_own(&mut self) -> UnderWay {
        let (mut own, name) = (self.take_own(), std::mem::take(&mut self.prepared_as));
        Answer::later(async move {
            let prepared = own.prepare(&name).await;
            News::Prepared(own, prepared)
        })
    }

    /// Ends own changes as the last resource did. Without a force: it has the evidence.
    fn end_own(&mut self, decision: Decision) -> UnderWay {
        let own = self.take_own();
        let ended = match decision {
            Decision::Commit => own.commit_unforced(),
            Decision::Backout => own.backout(),
        };
        Answer::later(async move { News::Resolved(ended.await) })
    }

    fn take_own(&mut self) -> Box<dyn UnitOfWork> {
        let engine = &self.coordinator.engine;
        self.own.take().unwrap_or_else(|| engine.begin(engine.locks().new_owner()))
    }

    /// Commits own changes, and with them the decision.
    fn decide(&mut self, participants: Vec<usize>) -> UnderWay {
        let names = participants.iter().map(|at| self.participants[*at].name().to_owned()).collect();
        self.decides = participants;
        let mut own = self.take_own();
        let store = self.coordinator.store;
        let decided = Decided::new(self.unit.clone(), self.note.clone(), names);
        Answer::later(async move {
            if !decided.waiting.is_empty() {
                let put = own.put(store, decided.unit.as_bytes(), &decided.to_bytes()).await;
                if let Err(error) = put {
                    return News::Written(Err(Tried::Put(error)));
                }
            }
            News::Written(own.commit().await.map_err(Tried::Commit))
        })
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        // Own changes are shunted or backed out first: an inquiry from now on finds them so.
        self.own = None;
        if self.passage.waits() {
            // None of them has been asked: they hear that it is backed out as soon as they can.
            for participant in &self.participants {
                drop(participant.backout(&self.unit));
            }
        }
        let under_way = std::mem::take(&mut self.under_way);
        match self.protocol.stage() {
            Stage::Voting | Stage::Asking | Stage::BackingOut => {
                self.coordinator.with_decisions(|decisions| decisions.drop_undecided(&self.unit));
            }
            Stage::Preparing => self.coordinator.abandoned.lock().extend(under_way),
            Stage::OnePhase | Stage::Resolving => {
                drop(under_way);
                return self.suspect_all();
            }
            Stage::Deciding | Stage::Telling | Stage::Over => return,
        }
        (0..self.participants.len()).for_each(|at| self.suspect(at));
    }
}

fn told(at: usize, answered: Answered) -> News {
    News::Heard(Heard::Answered(at, answered))
}

/// Meaning of a participant's answer.
fn news<T: Unpin + Send + 'static>(
    answer: Answer<'static, T>,
    at: usize,
    means: fn(usize, T) -> News,
) -> UnderWay {
    match answer.now() {
        Ok(value) => Answer::ready(means(at, value)),
        Err(later) => Answer::later(async move { means(at, later.await) }),
    }
}

/// A participant's operator has decided otherwise: changes that belong together are not.
pub(crate) fn tell_damage(unit: &UnitName, participant: &str, made: Decision) {
    tracing::error!(
        target: "RM",
        "unit of work {unit}: the operator of {participant} has ended it with a {made}, and its coordinator has decided \
         otherwise: what it has changed there does not fit what it has changed elsewhere"
    );
}
