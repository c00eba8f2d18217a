//! A partner as one that takes part in units of work of this region.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use coordinator::{Answered, OnePhase, Participant, UnitName, Vote};
use kernel::name::Name8;
use kernel::region::Region;
use link::{NoReply, Session};
use parking_lot::Mutex;
use records::{Answer as Later, Decision};

use crate::conversation::{Conversation, Line, Standing, now};
use crate::limits::{ANSWER_TIME, UNITS_MAX};
use crate::message::{Answer, Ask, Refusal, Voted, of_bytes, to_bytes};
use crate::systems::Systems;

/// The mirror tasks that units of work of this region have at a partner. It is there as long as the region.
pub(crate) struct Away {
    applid: Name8,
    name: String,
    region: Weak<Region>,
    open: Arc<Open>,
    numbers: AtomicU64,
    /// The partner is being asked for decisions.
    doubts: AtomicBool,
}

type Open = Mutex<HashMap<UnitName, Arc<Conversation>>>;

/// The partners with which units of work of a region have had something.
#[derive(Default)]
pub(crate) struct AllAway(Mutex<BTreeMap<Name8, Arc<Away>>>);

impl Away {
    /// A partner as one that takes part in units of work.
    pub fn of(region: &Arc<Region>, applid: Name8) -> Arc<Self> {
        let mut all = region.part::<AllAway>().0.lock();
        let made = || Arc::new(Self::new(applid, Arc::downgrade(region)));
        Arc::clone(all.entry(applid).or_insert_with(made))
    }

    /// A partner with which no unit of work has anything yet.
    fn new(applid: Name8, region: Weak<Region>) -> Self {
        let (open, numbers) = (Arc::default(), AtomicU64::new(1));
        Self { applid, name: applid.to_string(), region, open, numbers, doubts: AtomicBool::new(false) }
    }

    /// The conversation of a unit of work.
    pub(super) fn conversation(&self, unit: &UnitName) -> Option<Arc<Conversation>> {
        self.open.lock().get(unit).cloned()
    }

    /// Returns true if a unit of work has a mirror task here, or has had one that is lost.
    pub fn has(&self, unit: &UnitName) -> bool {
        self.open.lock().contains_key(unit)
    }

    /// A number that no other conversation has.
    pub(super) fn next(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// The unit of work has a mirror task from now on.
    pub(super) fn keeps(&self, unit: UnitName, conversation: &Arc<Conversation>) {
        self.open.lock().insert(unit, Arc::clone(conversation));
    }

    /// The unit of work has none any more.
    pub(super) fn forgets(&self, unit: &UnitName) {
        self.open.lock().remove(unit);
    }

    /// The name under which the partner keeps a unit of work in doubt: it has that of this region's log in it, so that a region
    /// which has forgotten its decisions does not decide about it.
    fn name_of(&self, unit: &UnitName) -> Vec<u8> {
        let log = self.region.upgrade().map_or(0, |region| Systems::of(&region).log());
        [unit.as_bytes(), &log.to_le_bytes()].concat()
    }

    /// The way to the partner now.
    fn line(&self) -> Option<Line> {
        let region = self.region.upgrade()?;
        Systems::of(&region).at(self.applid)?.line()
    }

    /// A session for a request that belongs to no conversation.
    fn session(&self) -> impl Future<Output = Option<Session>> + Send + 'static {
        let sessions = self
            .region
            .upgrade()
            .and_then(|region| Systems::of(&region).at(self.applid).map(|partner| partner.sessions.clone()));
        async move { sessions?.allocate(now(), true).await.ok() }
    }

    /// The time that the partner has for an answer.
    fn longest(&self) -> Duration {
        let configured = self.region.upgrade().and_then(|region| Systems::of(&region).setup().answer);
        configured.unwrap_or(ANSWER_TIME)
    }

    /// Asks the partner to say how units of work end that are in doubt here, unless it is being asked.
    pub fn asks_for_decisions(self: Arc<Self>) {
        if self.line().is_none() || self.doubts.swap(true, Ordering::Relaxed) {
            return;
        }
        drop(tokio::task::spawn_local(async move {
            // One that does not hear it hears it again.
            let _ = self.ask(&Ask::Doubts).await;
            self.doubts.store(false, Ordering::Relaxed);
        }));
    }

    /// Asks outside of a conversation.
    fn ask(&self, ask: &Ask) -> impl Future<Output = Option<Answer>> + Send + 'static {
        let (line, session, body) = (self.line(), self.session(), to_bytes(ask));
        in_time(self.longest(), async move {
            let reply = line?.ask(session.await?, body, false, None).await.ok()?;
            of_bytes(&reply)
        })
    }
}

/// Asks within a conversation. `Err(true)`: the request was not sent.
async fn ask_in(conversation: &Conversation, ask: &Ask) -> Result<Answer, bool> {
    let turn = conversation.turn().await;
    let asked = conversation.line.ask(conversation.session.clone(), to_bytes(ask), false, Some(turn)).await;
    match asked {
        Ok(bytes) => of_bytes(&bytes).ok_or(false),
        Err(NoReply::TooLong(_)) => Err(true),
        Err(_) => Err(false),
    }
}

/// The same, with an answer that comes in time. Behind that it goes on alone: the mirror task hears it whenever its turn comes, behind a
/// vote that takes its time, say.
async fn tell_in(
    longest: Duration,
    conversation: Arc<Conversation>,
    ask: Ask,
) -> Option<Result<Answer, bool>> {
    let mut telling = Box::pin(async move { ask_in(&conversation, &ask).await });
    let told = tokio::time::timeout(longest, &mut telling).await;
    if told.is_err() {
        drop(tokio::spawn(telling));
    }
    told.ok()
}

/// The answer, if it comes in time.
async fn in_time<T>(longest: Duration, answer: impl Future<Output = Option<T>>) -> Option<T> {
    tokio::time::timeout(longest, answer).await.ok().flatten()
}

impl Participant for Away {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_read_only(&self, unit: &UnitName) -> bool {
        match self.conversation(unit).map(|conversation| conversation.standing()) {
            None | Some(Standing::Holds | Standing::Lost(false)) => true,
            Some(Standing::Changes | Standing::Lost(true) | Standing::Prepared) => false,
        }
    }

    fn prepare(&self, unit: &UnitName) -> Later<'static, Vote> {
        let Some(conversation) = self.conversation(unit) else { return Later::ready(Vote::ReadOnly) };
        {
            let mut standing = conversation.standing.lock();
            if let Standing::Lost(_) = *standing {
                self.forgets(unit);
                return Later::ready(Vote::No);
            }
            *standing = Standing::Prepared;
        }
        let ask = Ask::Prepare { conversation: conversation.number, unit: self.name_of(unit) };
        let (open, unit, longest) = (Arc::clone(&self.open), unit.clone(), self.longest());
        Later::later(async move {
            let asked = in_time(longest, async { Some(ask_in(&conversation, &ask).await) }).await;
            let vote = match asked {
                Some(Ok(Answer::Voted(Voted::Yes))) => return Vote::Yes,
                Some(Ok(Answer::Voted(Voted::ReadOnly))) => Vote::ReadOnly,
                Some(Ok(
                    Answer::Voted(Voted::No)
                    | Answer::Abended(_)
                    | Answer::Undone(_)
                    | Answer::Refused(Refusal::Gone),
                )) => Vote::No,
                // Its mirror task may be there, and hears that it is backed out.
                _ => return Vote::Unreachable,
            };
            open.lock().remove(&unit);
            vote
        })
    }

    fn commit_one_phase(&self, unit: &UnitName) -> Later<'static, OnePhase> {
        let conversation = self.open.lock().remove(unit);
        let Some(conversation) = conversation else { return Later::ready(OnePhase::Committed) };
        if let Standing::Lost(_) = conversation.standing() {
            return Later::ready(OnePhase::BackedOut);
        }
        let (ask, longest) = (Ask::Commit { conversation: conversation.number }, self.longest());
        Later::later(async move {
            match in_time(longest, async { Some(ask_in(&conversation, &ask).await) }).await {
                Some(Ok(Answer::Ended(Some(true)))) => OnePhase::Committed,
                Some(Ok(Answer::Ended(Some(false)) | Answer::Refused(_)) | Err(true)) => OnePhase::BackedOut,
                _ => OnePhase::Unknown,
            }
        })
    }

    fn commit(&self, unit: &UnitName) -> Later<'static, Answered> {
        self.decide(unit, true)
    }

    fn backout(&self, unit: &UnitName) -> Later<'static, Answered> {
        self.decide(unit, false)
    }

    fn forget(&self, unit: &UnitName) -> Later<'static, Answered> {
        let conversation = self.open.lock().remove(unit);
        let Some(conversation) = conversation else {
            let asked = self.ask(&Ask::Forgotten { unit: self.name_of(unit) });
            return Later::later(
                async move { asked.await.map_or(Answered::Unreachable, |_| Answered::Done) },
            );
        };
        if let Standing::Lost(_) = conversation.standing() {
            return Later::ready(Answered::Done);
        }
        let (ask, longest) = (Ask::Forget { conversation: conversation.number }, self.longest());
        Later::later(async move {
            // It has changed nothing: no region has to hear that it is over.
            let _ = tell_in(longest, conversation, ask).await;
            Answered::Done
        })
    }

    fn indoubt(&self) -> Later<'static, Option<Vec<UnitName>>> {
        let log = self.region.upgrade().map_or(0, |region| Systems::of(&region).log());
        let asked = self.ask(&Ask::Indoubt { log });
        Later::later(async move {
            match asked.await {
                Some(Answer::Units(units)) if units.len() <= UNITS_MAX => {
                    Some(units.iter().map(|unit| UnitName::new(unit)).collect())
                }
                _ => None,
            }
        })
    }
}

impl Away {
    /// Tells the partner how a unit of work ends.
    fn decide(&self, unit: &UnitName, commits: bool) -> Later<'static, Answered> {
        let conversation = self.conversation(unit);
        let (open, name, applid) = (Arc::clone(&self.open), self.name_of(unit), self.applid);
        let unit = unit.clone();
        let Some(conversation) = conversation else {
            let asked = self.ask(&Ask::Decide { conversation: None, unit: name, commits });
            return Later::later(async move { heard(asked.await) });
        };
        match conversation.standing() {
            // What was never prepared is backed out with its mirror task.
            Standing::Lost(_) => {
                open.lock().remove(&unit);
                return Later::ready(Answered::Done);
            }
            _ if conversation.line.is_over() => {
                open.lock().remove(&unit);
                if conversation.standing() != Standing::Prepared && !commits {
                    return Later::ready(Answered::Done);
                }
                let asked = self.ask(&Ask::Decide { conversation: None, unit: name, commits });
                return Later::later(async move { heard(asked.await) });
            }
            _ => {}
        }
        let was_prepared = conversation.standing() == Standing::Prepared;
        let ask = Ask::Decide { conversation: Some(conversation.number), unit: name, commits };
        let longest = self.longest();
        Later::later(async move {
            let asked = tell_in(longest, conversation, ask).await;
            open.lock().remove(&unit);
            match asked {
                Some(Ok(answer)) => heard(Some(answer)),
                // The link is lost, and the mirror task with it.
                Some(Err(_)) if !was_prepared && !commits => Answered::Done,
                _ => {
                    tracing::info!(target: "IS", "unit of work {unit}: {applid} has not heard how it ends, and hears it later");
                    Answered::Unreachable
                }
            }
        })
    }
}

fn heard(answer: Option<Answer>) -> Answered {
    match answer {
        Some(Answer::Heard(None)) => Answered::Done,
        Some(Answer::Heard(Some(true))) => Answered::Otherwise(Decision::Commit),
        Some(Answer::Heard(Some(false))) => Answered::Otherwise(Decision::Backout),
        Some(Answer::NotHeard) => Answered::NotNow,
        _ => Answered::Unreachable,
    }
}
