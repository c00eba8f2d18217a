//! The protocol: presumed abort, as a state machine. What is heard goes in, orders come out; it waits for nothing.
//!
//! ```text
//!              ┌─ one participant with changes ─────────────► OnePhase ──────────────┐
//!  begin ──────┼─ several ──────────────────────► Voting ─┬─► Deciding ─► Telling ───┼─► Over
//!              ├─ own changes only ───────────────────────┼──────┘│ refused           │
//!              ├─ none ───────────────────────────────────┼───────┼──────────────────►┤
//!              │                                  a No    └───────┴─► BackingOut ─────┤
//!              └─ own changes and one participant ─► Asking ─┬─ no evidence ─► Voting │
//!                                                            └─► Preparing ─► OnePhase ─► Resolving
//! ```
//!
//! A participant by whose evidence its own end can be found out later is the *last resource*: own changes are prepared, it
//! commits in one phase, own changes end as it did. That saves its first phase, a force and the record of a decision.
//!
//! Own changes are those in the record engine that keeps the coordinator's decisions: they and the decision are committed
//! together, so they have no first phase.

use records::Decision;

use crate::participant::{Answered, OnePhase, Vote};

/// Stages of a unit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Participants were asked for their votes.
    Voting,
    /// The only participant was asked for evidence.
    Asking,
    /// Own changes become in doubt, for the last resource.
    Preparing,
    /// The only participant decides.
    OnePhase,
    /// It has: own changes end so, too.
    Resolving,
    /// Own changes and the decision are on their way into the log.
    Deciding,
    /// The decision is commit, and durable; those who voted yes hear of it.
    Telling,
    /// The decision is backout; those who may be in doubt hear of it.
    BackingOut,
    /// No participant is waited for.
    Over,
}

/// Ends of a unit of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Committed,
    /// By whom it was refused: a participant, or else the coordinator's own engine.
    BackedOut(Option<usize>),
    /// Only a participant, or a restart, can tell.
    Unknown,
}

/// Orders of the protocol. Participants go by their places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Prepare(usize),
    /// Ask for evidence.
    Show(usize),
    /// Make own changes in doubt, under a name with the evidence.
    PrepareOwn,
    CommitOnePhase(usize),
    /// End own changes, which are in doubt, as the last resource did.
    EndOwn(Decision),
    /// Commit own changes, and with them the decision for these participants, if there are any.
    Decide(Vec<usize>),
    Commit(usize),
    Backout(usize),
    Forget(usize),
}

/// Events for the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    Vote(usize, Vote),
    /// True if it has shown evidence.
    Shown(usize, bool),
    /// True if own changes are in doubt now.
    Prepared(bool),
    OnePhase(usize, OnePhase),
    /// True if own changes have ended as the last resource did; if not, they wait for a resynchronisation that asks
    /// it.
    Resolved(bool),
    Written(Written),
    Answered(usize, Answered),
}

/// Results of writing own changes and the decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// They are durable.
    Forced,
    /// They are not there, and never will be.
    Refused,
    /// Only a restart can tell.
    Unknown,
}

/// States of a participant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// It was asked, and has not answered.
    Asked,
    /// It has voted yes: it is in doubt.
    Yes,
    /// It has not answered: it may be in doubt.
    Perhaps,
    /// It was told the decision.
    Told,
    /// It has ended, or needs nothing any more.
    Out,
    /// It was told, and has not answered: it is shunted.
    Shunted,
}

/// A unit of work at its end.
#[derive(Clone, Debug)]
pub(crate) struct Protocol {
    own: bool,
    stage: Stage,
    end: Option<End>,
    participants: Vec<Standing>,
    /// The first that has refused.
    refused_by: Option<usize>,
    /// The last resource.
    last: Option<usize>,
}

impl Protocol {
    /// Begins. `own`: there are changes in the coordinator's own engine; `read_only`: which participants have none.
    pub fn begin(own: bool, read_only: &[bool]) -> (Self, Vec<Order>) {
        let standing = |reads: &bool| if *reads { Standing::Out } else { Standing::Asked };
        let participants: Vec<_> = read_only.iter().map(standing).collect();
        let readers = (0..read_only.len()).filter(|at| read_only[*at]).map(Order::Forget);
        let mut orders: Vec<_> = readers.collect();
        let writers: Vec<_> = (0..read_only.len()).filter(|at| !read_only[*at]).collect();
        let mut begun =
            Self { own, stage: Stage::Voting, end: None, participants, refused_by: None, last: None };
        match writers[..] {
            [] => orders.extend(begun.voted()),
            [only] if !own => {
                begun.stage = Stage::OnePhase;
                orders.push(Order::CommitOnePhase(only));
            }
            [only] => {
                begun.stage = Stage::Asking;
                orders.push(Order::Show(only));
            }
            _ => orders.extend(writers.into_iter().map(Order::Prepare)),
        }
        (begun, orders)
    }

    /// Begins to back out, whatever participants have done.
    pub fn refuse(participants: usize) -> (Self, Vec<Order>) {
        let participants = vec![Standing::Perhaps; participants];
        let mut begun =
            Self { own: false, stage: Stage::Voting, end: None, participants, refused_by: None, last: None };
        let orders = begun.back_out();
        (begun, orders)
    }

    /// Begins behind a decision to commit that another region has made: all participants have voted yes.
    pub fn committed(participants: usize) -> (Self, Vec<Order>) {
        let participants = vec![Standing::Yes; participants];
        let end = Some(End::Committed);
        let mut begun =
            Self { own: false, stage: Stage::Telling, end, participants, refused_by: None, last: None };
        let orders = begun.tell(Stage::Telling, Order::Commit);
        (begun, orders)
    }

    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// Its end, as soon as that is certain.
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// Takes note of something, and says what is to be done about it.
    pub fn hear(&mut self, heard: Heard) -> Vec<Order> {
        match (self.stage, heard) {
            (Stage::Voting, Heard::Vote(at, vote)) => self.vote(at, vote),
            (Stage::Asking, Heard::Shown(at, true)) => {
                (self.stage, self.last) = (Stage::Preparing, Some(at));
                // If own changes cannot be prepared, it hears so.
                self.participants[at] = Standing::Perhaps;
                vec![Order::PrepareOwn]
            }
            (Stage::Asking, Heard::Shown(at, false)) => {
                self.stage = Stage::Voting;
                vec![Order::Prepare(at)]
            }
            (Stage::Preparing, Heard::Prepared(false)) => self.back_out(),
            (Stage::Preparing, Heard::Prepared(true)) => {
                self.stage = Stage::OnePhase;
                self.last.map(Order::CommitOnePhase).into_iter().collect()
            }
            (Stage::OnePhase, Heard::OnePhase(at, done)) => self.decided(at, done),
            (Stage::Resolving, Heard::Resolved(has_ended)) => match self.refused_by {
                Some(at) => self.over(End::BackedOut(Some(at))),
                None => {
                    self.over(End::Committed);
                    // No participant will ask for its evidence.
                    self.last.filter(|_| has_ended).map(Order::Forget).into_iter().collect()
                }
            },
            (Stage::Deciding, Heard::Written(Written::Forced)) => {
                self.end = Some(End::Committed);
                self.tell(Stage::Telling, Order::Commit)
            }
            (Stage::Deciding, Heard::Written(Written::Refused)) => self.back_out(),
            (Stage::Deciding, Heard::Written(Written::Unknown)) => self.over(End::Unknown),
            (Stage::Telling | Stage::BackingOut, Heard::Answered(at, answered)) => {
                self.answered(at, answered)
            }
            // What a reader says to being forgotten.
            _ => Vec::new(),
        }
    }

    fn vote(&mut self, at: usize, vote: Vote) -> Vec<Order> {
        self.participants[at] = match vote {
            Vote::Yes => Standing::Yes,
            Vote::No | Vote::ReadOnly => Standing::Out,
            Vote::Unreachable => Standing::Perhaps,
        };
        if matches!(vote, Vote::No | Vote::Unreachable) {
            self.refused_by.get_or_insert(at);
        }
        if self.participants.contains(&Standing::Asked) { Vec::new() } else { self.voted() }
    }

    /// The only participant has decided; own changes follow, if it is the last resource.
    fn decided(&mut self, at: usize, done: OnePhase) -> Vec<Order> {
        let (end, decision) = match done {
            OnePhase::Committed => (End::Committed, Decision::Commit),
            OnePhase::BackedOut => (End::BackedOut(Some(at)), Decision::Backout),
            OnePhase::Unknown => return self.over(End::Unknown),
        };
        if self.last.is_none() {
            return self.over(end);
        }
        self.stage = Stage::Resolving;
        self.refused_by = (decision == Decision::Backout).then_some(at);
        vec![Order::EndOwn(decision)]
    }

    /// All votes are there.
    fn voted(&mut self) -> Vec<Order> {
        if self.refused_by.is_some() {
            return self.back_out();
        }
        let yes = self.of(|standing| standing == Standing::Yes);
        if yes.is_empty() && !self.own {
            return self.over(End::Committed);
        }
        self.stage = Stage::Deciding;
        vec![Order::Decide(yes)]
    }

    fn back_out(&mut self) -> Vec<Order> {
        self.end = Some(End::BackedOut(self.refused_by));
        self.tell(Stage::BackingOut, Order::Backout)
    }

    /// Tells the decision to all who may be in doubt.
    fn tell(&mut self, stage: Stage, order: fn(usize) -> Order) -> Vec<Order> {
        let waiting = self.of(|standing| matches!(standing, Standing::Yes | Standing::Perhaps));
        waiting.iter().for_each(|at| self.participants[*at] = Standing::Told);
        self.stage = if waiting.is_empty() { Stage::Over } else { stage };
        waiting.into_iter().map(order).collect()
    }

    fn answered(&mut self, at: usize, answered: Answered) -> Vec<Order> {
        if self.participants[at] != Standing::Told {
            return Vec::new();
        }
        let (standing, orders) = match answered {
            Answered::Done => (Standing::Out, Vec::new()),
            Answered::Otherwise(_) => (Standing::Out, vec![Order::Forget(at)]),
            Answered::NotNow | Answered::Unreachable => (Standing::Shunted, Vec::new()),
        };
        self.participants[at] = standing;
        if !self.participants.contains(&Standing::Told) {
            self.stage = Stage::Over;
        }
        orders
    }

    fn over(&mut self, end: End) -> Vec<Order> {
        (self.stage, self.end) = (Stage::Over, Some(end));
        Vec::new()
    }

    fn of(&self, is: impl Fn(Standing) -> bool) -> Vec<usize> {
        (0..self.participants.len()).filter(|at| is(self.participants[*at])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VOTES: [Vote; 4] = [Vote::Yes, Vote::No, Vote::ReadOnly, Vote::Unreachable];
    const WRITTEN: [Written; 3] = [Written::Forced, Written::Refused, Written::Unknown];
    const ANSWERED: [Answered; 3] = [Answered::Done, Answered::NotNow, Answered::Unreachable];
    const ONE_PHASE: [OnePhase; 3] = [OnePhase::Committed, OnePhase::BackedOut, OnePhase::Unknown];

    /// Orders and events so far.
    #[derive(Clone, Default)]
    struct Told {
        orders: Vec<Order>,
        heard: Vec<Heard>,
    }

    /// Goes every way that a unit of work can go from here; `see` looks at its end. Returns how many there are.
    fn every_way(
        protocol: Protocol,
        open: &[Order],
        told: &Told,
        see: &mut dyn FnMut(&Protocol, &Told),
    ) -> usize {
        let Some((order, rest)) = open.split_first() else {
            see(&protocol, told);
            return 1;
        };
        let answers: Vec<Heard> = match *order {
            Order::Prepare(at) => VOTES.map(|vote| Heard::Vote(at, vote)).into(),
            Order::CommitOnePhase(at) => ONE_PHASE.map(|done| Heard::OnePhase(at, done)).into(),
            Order::Show(at) => [false, true].map(|has| Heard::Shown(at, has)).into(),
            Order::PrepareOwn => [false, true].map(Heard::Prepared).into(),
            Order::EndOwn(_) => [false, true].map(Heard::Resolved).into(),
            Order::Decide(_) => WRITTEN.map(Heard::Written).into(),
            Order::Commit(at) | Order::Backout(at) | Order::Forget(at) => {
                ANSWERED.map(|answered| Heard::Answered(at, answered)).into()
            }
        };
        let mut ways = 0;
        for heard in answers {
            let (mut next, mut told) = (protocol.clone(), told.clone());
            let orders = next.hear(heard);
            told.heard.push(heard);
            told.orders.extend(orders.iter().cloned());
            ways += every_way(next, &[rest, &orders].concat(), &told, see);
        }
        ways
    }

    #[test]
    fn whatever_is_heard_all_commit_or_all_back_out() {
        let mut ways = 0;
        for own in [false, true] {
            for count in 0..=3 {
                for mask in 0..1 << count {
                    let read_only: Vec<bool> = (0..count).map(|at| mask & (1 << at) != 0).collect();
                    let (protocol, orders) = Protocol::begin(own, &read_only);
                    let told = Told { orders: orders.clone(), heard: Vec::new() };
                    ways += every_way(protocol, &orders, &told, &mut check);
                }
            }
        }
        assert!(ways > 1000, "{ways}");
    }

    fn check(protocol: &Protocol, told: &Told) {
        let shown = format!("{protocol:?} {:?} {:?}", told.orders, told.heard);
        assert_eq!(protocol.stage(), Stage::Over, "{shown}");
        let end = protocol.end().expect("an end");
        let forced = told.heard.contains(&Heard::Written(Written::Forced));
        let decides = told.orders.iter().find_map(|order| match order {
            Order::Decide(participants) => Some(participants),
            _ => None,
        });
        for order in &told.orders {
            match order {
                Order::Commit(_) => assert!(forced && end == End::Committed, "{shown}"),
                Order::Backout(_) => assert!(!forced && matches!(end, End::BackedOut(_)), "{shown}"),
                _ => {}
            }
        }
        check_last(told, end, &shown);
        for heard in &told.heard {
            let Heard::Vote(at, vote) = heard else { continue };
            let ordered = |order: Order| told.orders.contains(&order);
            match vote {
                // Who is in doubt hears how it ends, and a commit is decided for all of those.
                Vote::Yes => match end {
                    End::Committed => {
                        assert!(ordered(Order::Commit(*at)), "{shown}");
                        assert!(decides.is_some_and(|decides| decides.contains(at)), "{shown}");
                    }
                    End::BackedOut(_) => assert!(ordered(Order::Backout(*at)), "{shown}"),
                    End::Unknown => assert!(!ordered(Order::Commit(*at)) && !ordered(Order::Backout(*at))),
                },
                Vote::No => assert!(matches!(end, End::BackedOut(Some(_))), "{shown}"),
                Vote::Unreachable => assert!(ordered(Order::Backout(*at)), "{shown}"),
                Vote::ReadOnly => assert!(!ordered(Order::Commit(*at)) && !ordered(Order::Backout(*at))),
            }
        }
    }

    /// The last resource commits behind own changes that are in doubt, and they end as it did.
    fn check_last(told: &Told, end: End, shown: &str) {
        let is_last = told.heard.iter().any(|heard| matches!(heard, Heard::Shown(_, true)));
        if !is_last {
            assert!(!told.orders.iter().any(|order| matches!(order, Order::EndOwn(_))), "{shown}");
            return;
        }
        let commits = told.orders.iter().any(|order| matches!(order, Order::CommitOnePhase(_)));
        assert_eq!(commits, told.heard.contains(&Heard::Prepared(true)), "{shown}");
        let backs_out = told.orders.iter().any(|order| matches!(order, Order::Backout(_)));
        assert_eq!(backs_out, !commits, "{shown}");
        let ended = told.orders.iter().find_map(|order| match order {
            Order::EndOwn(decision) => Some(*decision),
            _ => None,
        });
        let expected = match end {
            End::Committed => Some(Decision::Commit),
            End::BackedOut(_) if commits => Some(Decision::Backout),
            // Own changes that were not prepared go with the unit of work; else they stay in doubt.
            End::BackedOut(_) | End::Unknown => None,
        };
        assert_eq!(ended, expected, "{shown}");
    }

    #[test]
    fn one_with_changes_has_one_phase_and_a_decision_is_for_several() {
        let begin = |own, read_only: &[bool]| Protocol::begin(own, read_only).1;
        assert_eq!(begin(true, &[]), [Order::Decide(vec![])]);
        assert_eq!(begin(false, &[]), []);
        assert_eq!(begin(false, &[false]), [Order::CommitOnePhase(0)]);
        assert_eq!(begin(false, &[true, false]), [Order::Forget(0), Order::CommitOnePhase(1)]);
        assert_eq!(begin(true, &[true]), [Order::Forget(0), Order::Decide(vec![])]);
        assert_eq!(begin(true, &[false]), [Order::Show(0)]);
        assert_eq!(begin(true, &[false, true]), [Order::Forget(1), Order::Show(0)]);
        assert_eq!(begin(true, &[false, false]), [Order::Prepare(0), Order::Prepare(1)]);
        assert_eq!(begin(false, &[false, false]), [Order::Prepare(0), Order::Prepare(1)]);
        // Where all of them turn out to have read only, there is nothing to decide.
        let (mut protocol, _) = Protocol::begin(false, &[false, false]);
        assert_eq!(protocol.hear(Heard::Vote(0, Vote::ReadOnly)), []);
        assert_eq!(protocol.hear(Heard::Vote(1, Vote::ReadOnly)), []);
        assert_eq!(protocol.end(), Some(End::Committed));
    }
}
