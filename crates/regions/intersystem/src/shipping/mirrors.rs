//! Requests of a partner: each goes to the mirror task of its conversation, which begins with the first one.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use kernel::dispatcher::{Attach, AttachError, Dispatcher};
use kernel::name::{Name8, TransactionName};
use kernel::recovery::Identity;
use kernel::region::Region;
use kernel::task::StartCode;
use kernel::transactions::Transactions;
use link::Asked;
use records::{Decider, Decision, Error};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use super::away::Away;
use super::doubts::{UNIT_LENGTH, in_doubt, log_of};
use super::mirror::{Inbox, Job, Order, PROGRAM, Told};
use super::{code, users};
use crate::asker::Asker;
use crate::build::{Build, Numbers};
use crate::limits::{MIRRORS_MAX, UNITS_MAX};
use crate::message::{Answer, Ask, Begins, Refusal, Work, of_bytes, to_bytes};
use crate::partner::{Partner, Sort};
use crate::received::InUse;
use crate::systems::Systems;

/// The mirror tasks of one link that a partner has made.
#[derive(Default)]
pub(crate) struct Mirrors {
    all: RefCell<HashMap<u64, MirrorEnd>>,
    numbers: OnceLock<Arc<Numbers>>,
    /// The partner's log, as its Hello has named it.
    log: OnceLock<u64>,
}

/// The other end of a mirror task.
struct MirrorEnd {
    task: u32,
    orders: UnboundedSender<Order>,
    /// The partner's session.
    #[expect(dead_code, reason = "it is given back with the mirror task")]
    session: InUse,
}

impl Mirrors {
    /// The partner has said Hello.
    pub fn begin(&self, ours: &Arc<Build>, theirs: &link::Hello) {
        let _ = self.numbers.set(Arc::new(Numbers::new(ours, theirs)));
        let _ = self.log.set(theirs.log);
    }

    /// The link has ended: mirror tasks back out, or stay in doubt.
    pub fn end(&self) {
        self.all.borrow_mut().clear();
    }

    /// Has a request answered.
    /// `asker`: the task behind it.
    pub fn ask(
        self: &Rc<Self>,
        region: &Arc<Region>,
        partner: &Arc<Partner>,
        (asked, asker): (Asked, Asker),
        body: &[u8],
    ) {
        let refuse = |asked: Asked, why| asked.reply(&to_bytes(&Answer::Refused(why)));
        let Some(ask) = of_bytes::<Ask>(body) else {
            partner.has_asked_in_vain();
            return refuse(asked, Refusal::NotUnderstood);
        };
        match ask {
            Ask::Do { conversation, begins, work } => {
                if let Some(begins) = begins
                    && let Err(why) = self.attach(region, partner, (conversation, asker), &begins, &work)
                {
                    return refuse(asked, why);
                }
                let job = match work {
                    Work::Command(shipped) => Job::Command(shipped, None),
                    Work::Followed(shipped, area) => Job::Command(shipped, Some(area)),
                    Work::Link(linked) => Job::Link(linked),
                };
                self.order(region, asked, conversation, job, true);
            }
            Ask::Prepare { conversation, unit } => {
                // The name has the log of the asker in it; another one than its own it cannot decide about.
                let is_own = unit.get(UNIT_LENGTH..)
                    == self.log.get().map(|log| log.to_le_bytes()).as_ref().map(<[u8; 8]>::as_slice);
                if !is_own || !unit.starts_with(partner.applid.as_bytes()) {
                    return refuse(asked, Refusal::NotUnderstood);
                }
                self.order(region, asked, conversation, Job::Prepare(unit), false);
            }
            Ask::Commit { conversation } => self.order(region, asked, conversation, Job::Commit, false),
            Ask::Forget { conversation } => self.order(region, asked, conversation, Job::Forget, false),
            Ask::Decide { conversation: Some(conversation), commits, .. }
                if self.all.borrow().contains_key(&conversation) =>
            {
                self.order(region, asked, conversation, Job::Decide(commits), false);
            }
            Ask::Decide { unit, commits, .. } => {
                let (region, partner) = (Arc::clone(region), Arc::clone(partner));
                drop(tokio::task::spawn_local(async move {
                    let answer = decide(&region, &partner, &unit, commits).await;
                    asked.reply(&to_bytes(&answer));
                }));
            }
            Ask::Forgotten { unit } => {
                let (region, partner) = (Arc::clone(region), Arc::clone(partner));
                drop(tokio::task::spawn_local(async move {
                    let is_meant =
                        |name: &Identity| name.coordinated_as.get(..UNIT_LENGTH) == unit.get(..UNIT_LENGTH);
                    let name = in_doubt(&region, &partner).find(|(name, _)| is_meant(name));
                    if let Some((name, _)) = name {
                        let _ = region.records.forget(&name.to_name()).await;
                    }
                    asked.reply(&to_bytes(&Answer::Heard(None)));
                }));
            }
            Ask::Indoubt { log } => asked.reply(&to_bytes(&units(region, partner, log))),
            Ask::Doubts => {
                region.coordinator.introduce(Away::of(region, partner.applid));
                asked.reply(&to_bytes(&Answer::Heard(None)));
            }
        }
    }

    /// Begins a mirror task.
    fn attach(
        &self,
        region: &Arc<Region>,
        partner: &Arc<Partner>,
        (conversation, asker): (u64, Asker),
        begins: &Begins,
        work: &Work,
    ) -> Result<(), Refusal> {
        if self.all.borrow().contains_key(&conversation) {
            return Err(Refusal::NotUnderstood);
        }
        if self.all.borrow().len() >= MIRRORS_MAX {
            return Err(Refusal::NoRoom);
        }
        let numbers = self.numbers.get().ok_or(Refusal::NotUnderstood)?;
        let user = users::of(region, partner, Name8::new(begins.user)).ok_or(Refusal::NotAuthorized)?;
        let (name, syncs) = match work {
            Work::Command(shipped) | Work::Followed(shipped, _) => {
                let command = numbers.command(shipped.command).ok_or(Refusal::NotUnderstood)?;
                (TransactionName::from(code::transaction_of(command.id)), false)
            }
            Work::Link(linked) => {
                let name = linked.transaction.map_or(TransactionName::from("CSMI"), TransactionName::new);
                (name, linked.syncs)
            }
        };
        let definition = Transactions::of(region).get(name).ok_or(Refusal::NotUnderstood)?;
        if definition.program != Name8::from(PROGRAM) {
            tracing::warn!(target: "IS", "{partner}: the program of TRANSACTION {name} is not {PROGRAM}, and LINK names it for its mirror task");
            return Err(Refusal::NotUnderstood);
        }
        let session = partner.received.begin().ok_or(Refusal::NoRoom)?;
        let (sender, orders) = unbounded_channel();
        let mut attach = Attach::new(name, StartCode::Linked(syncs), user.user);
        attach.here = true;
        (attach.parent, attach.origin) = (asker.parent, asker.origin);
        attach.over = partner.ipconn();
        attach.kept.put(Inbox {
            orders: Some(orders),
            numbers: Arc::clone(numbers),
            link: user.link,
            stays: stays(region, partner) && !syncs,
            is_clean: false,
            waits: None,
        });
        match Dispatcher::of(region).try_attach(region, attach) {
            Ok(task) => {
                self.all.borrow_mut().insert(conversation, MirrorEnd { task, orders: sender, session });
                partner.attached();
                Ok(())
            }
            Err(refused) => Err(match refused.why {
                AttachError::NotAuthorized => Refusal::NotAuthorized,
                AttachError::Unknown | AttachError::Remote | AttachError::Disabled => Refusal::NotUnderstood,
                _ => Refusal::NoRoom,
            }),
        }
    }

    /// Hands a job to a mirror task, and its answer to the partner. `cancels`: the task is purged if the partner no longer wants the
    /// answer.
    fn order(
        self: &Rc<Self>,
        region: &Arc<Region>,
        asked: Asked,
        conversation: u64,
        job: Job,
        cancels: bool,
    ) {
        let (answer, told) = oneshot::channel();
        let sent = match self.all.borrow().get(&conversation) {
            Some(mirror) => mirror.orders.send(Order { job, answer }).is_ok().then_some(mirror.task),
            None => None,
        };
        let Some(task) = sent else {
            self.all.borrow_mut().remove(&conversation);
            return asked.reply(&to_bytes(&Answer::Refused(Refusal::Gone)));
        };
        let (mirrors, region) = (Rc::clone(self), Arc::clone(region));
        drop(tokio::task::spawn_local(async move {
            let told = answered(&region, &asked, task, told, cancels).await;
            let (bytes, is_last) = told.unwrap_or_else(|| (to_bytes(&Answer::Refused(Refusal::Gone)), true));
            if is_last {
                mirrors.all.borrow_mut().remove(&conversation);
            }
            asked.reply(&bytes);
        }));
    }
}

/// Waits for the answer of a mirror task.
async fn answered(
    region: &Region,
    asked: &Asked,
    task: u32,
    mut told: oneshot::Receiver<Told>,
    cancels: bool,
) -> Option<Told> {
    if cancels {
        tokio::select! {
            biased;
            told = &mut told => return told.ok(),
            () = asked.cancelled() => {
                if let Some(task) = Dispatcher::of(region).task(task) {
                    task.purge();
                }
            }
        }
    }
    told.await.ok()
}

/// Returns true if a mirror task stays to the end of the unit of work in any case: MROLRM; MIRRORLIFE of an IPCONN.
fn stays(region: &Region, partner: &Partner) -> bool {
    match partner.sort {
        Sort::Connection => Systems::of(region).setup().long_running_mirrors,
        Sort::Ipconn => matches!(partner.text("MIRRORLIFE"), "UOW" | "TASK"),
    }
}

/// The units of work that are in doubt here, for the partner that decides about them and takes those for backed out of which it knows
/// nothing. Those of another log of it are none: it has forgotten what it has decided. Nor are those that have come here from a
/// backup: it may have forgotten them because this region had committed them before. Both hear a decision that the partner still
/// has; else an operator has to find out.
fn units(region: &Region, partner: &Partner, log: u64) -> Answer {
    let mut units = Vec::new();
    for (name, _) in in_doubt(region, partner).take(UNITS_MAX) {
        let unit = &name.coordinated_as[..UNIT_LENGTH];
        if Systems::of(region).is_of_backup(name.unit) {
            tracing::warn!(
                target: "IS",
                "unit of work {} is in doubt since before the restore: {} may have committed it, and have forgotten that (SET UOW)",
                name.unit, partner.applid
            );
        } else if log_of(&name) == log.to_le_bytes() {
            units.push(unit.to_vec());
        } else {
            tracing::warn!(
                target: "IS",
                "unit of work {} is in doubt, and {} has a new log: it does not know how it ends (SET UOW)",
                name.unit, partner.applid
            );
        }
    }
    Answer::Units(units)
}

/// Ends a unit of work in doubt that has no mirror task any more.
async fn decide(region: &Region, partner: &Partner, unit: &[u8], commits: bool) -> Answer {
    // A decision to commit counts whatever log it comes from: only backouts are guessed.
    let is_meant = |name: &Identity| match commits {
        true => name.coordinated_as.get(..UNIT_LENGTH) == unit.get(..UNIT_LENGTH),
        false => name.coordinated_as == unit,
    };
    let found = in_doubt(region, partner).find(|(name, _)| is_meant(name));
    let Some((name, _)) = found else { return Answer::Heard(None) };
    let decision = if commits { Decision::Commit } else { Decision::Backout };
    match region.records.resolve(&name.to_name(), decision, Decider::Coordinator).await {
        Ok(()) | Err(Error::NotIndoubt) => Answer::Heard(None),
        Err(Error::Heuristic(made)) => Answer::Heard(Some(made == Decision::Commit)),
        Err(error) => {
            tracing::error!(target: "RM", "unit of work {}: {error}", name.unit);
            Answer::NotHeard
        }
    }
}
