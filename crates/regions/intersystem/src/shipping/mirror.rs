//! DFHMIRS: the program of a mirror task, which does for a task of another region what that asks for.

use std::sync::Arc;

use kernel::catalog::SuppliedTransaction;
use kernel::channels::Channel;
use kernel::dispatcher::{Context, SuppliedWaiting};
use kernel::exec::{Content, Flow, Followed, Parcel, is_allowed};
use kernel::raise::{AbendCode, Outcome, Raise};
use kernel::recovery::{Prepared, Remains};
use kernel::security::User;
use kernel::task::TaskPart;
use kernel::transactions::Supplied;
use spec::{CommandId, Condition, cmd, cond, opt};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;

use super::{code, linked, operator, waits};
use crate::build::Numbers;
use crate::dypds::followed;
use crate::message::{Answer, Done, Keeps, Linked, Refusal, Shipped, Voted, to_bytes};

/// The program of mirror tasks.
pub(super) const PROGRAM: &str = "DFHMIRS";
/// The abend of a mirror that no other region has asked for.
const NOT_ASKED: &str = "AISP";

const fn mirror_of(name: &'static str) -> SuppliedTransaction {
    SuppliedTransaction { name, program: PROGRAM, supplied: Supplied::Open, run: program }
}

/// The transactions of mirror tasks.
pub(crate) const TRANSACTIONS: &[SuppliedTransaction] = &[
    mirror_of("CPMI"),
    mirror_of("CSMI"),
    mirror_of("CSM1"),
    mirror_of("CSM2"),
    mirror_of("CSM3"),
    mirror_of("CSM5"),
    mirror_of("CVMI"),
];

/// Something that a mirror task is to do.
pub(super) enum Job {
    /// A command; a routing program hears of the task that it starts, with this area.
    Command(Shipped, Option<Vec<u8>>),
    Link(Linked),
    Prepare(Vec<u8>),
    Commit,
    Decide(bool),
    Forget,
}

impl Job {
    /// Returns true if it is a part of the end of the unit of work.
    fn ends(&self) -> bool {
        matches!(self, Self::Prepare(_) | Self::Commit | Self::Decide(_) | Self::Forget)
    }
}

/// An answer, and whether it is the last one of the mirror task.
pub(super) type Told = (Vec<u8>, bool);

/// A job, and who waits for its answer.
pub(super) struct Order {
    pub job: Job,
    pub answer: oneshot::Sender<Told>,
}

/// A mirror task's side of its conversation.
pub(super) struct Inbox {
    /// The orders; the program takes them.
    pub orders: Option<UnboundedReceiver<Order>>,
    /// The numbers on the link to the partner.
    pub numbers: Arc<Numbers>,
    /// The user of the link, who must have the same rights.
    pub link: Option<Arc<User>>,
    /// It stays to the end of the unit of work, even if it holds nothing.
    pub stays: bool,
    /// It has failed, and had changed nothing.
    pub is_clean: bool,
    /// The one who waits for the answer to what is being done.
    pub waits: Option<oneshot::Sender<Told>>,
}

impl TaskPart for Inbox {
    fn refused(&mut self) -> bool {
        if let Some(orders) = &mut self.orders
            && let Ok(order) = orders.try_recv()
        {
            let _ = order.answer.send((to_bytes(&Answer::Refused(Refusal::NoRoom)), true));
        }
        true
    }

    fn task_ends(&mut self, abend: Option<AbendCode>, _: Option<&str>) {
        let code = abend.unwrap_or(AbendCode::from("????"));
        if let Some(waits) = self.waits.take() {
            let code = *code.as_bytes();
            let answer = if self.is_clean { Answer::Abended(code) } else { Answer::Undone(code) };
            let _ = waits.send((to_bytes(&answer), true));
        }
    }
}

/// The program.
fn program<'a>(context: &'a mut Context<'_>) -> SuppliedWaiting<'a> {
    Box::pin(mirror(context))
}

async fn mirror(context: &mut Context<'_>) -> Outcome<Flow> {
    let inbox = context.kept.get_mut::<Inbox>().and_then(|inbox| {
        Some((inbox.orders.take()?, Arc::clone(&inbox.numbers), inbox.link.clone(), inbox.stays))
    });
    let Some((orders, numbers, link, stays)) = inbox else { return Err(Raise::abend(NOT_ASKED)) };
    let mut mirror = Mirror { orders, numbers, link, stays, is_prepared: false };
    mirror.work(context).await
}

struct Mirror {
    orders: UnboundedReceiver<Order>,
    numbers: Arc<Numbers>,
    link: Option<Arc<User>>,
    stays: bool,
    /// Its unit of work is in doubt.
    is_prepared: bool,
}

impl Mirror {
    async fn work(&mut self, context: &mut Context<'_>) -> Outcome<Flow> {
        loop {
            let control = Arc::clone(&context.control);
            // Once it is prepared it can wait for the decision alone; before that the request itself tells.
            let kind = if self.is_prepared { &waits::SYNCPOINT } else { &waits::REQUEST };
            let ends = |order: &Option<Order>| order.as_ref().is_some_and(|order| order.job.ends());
            let turns_out = |order: &Option<Order>| ends(order).then(|| waits::SYNCPOINT.kind());
            let order = match control.wait_told(kind.kind(), self.orders.recv(), turns_out).await {
                Ok(Some(order)) => order,
                Ok(None) => {
                    self.is_alone(context).await;
                    return Ok(Flow::Return);
                }
                Err(purged) => {
                    if self.is_prepared {
                        context.shunt();
                    }
                    return Err(purged);
                }
            };
            if let Some(inbox) = context.kept.get_mut::<Inbox>() {
                inbox.waits = Some(order.answer);
            }
            let answered = self.answer(context, order.job).await;
            if answered.is_err() {
                let is_clean = context.remains() != Remains::Changes;
                if let Some(inbox) = context.kept.get_mut::<Inbox>() {
                    inbox.is_clean = is_clean;
                }
            }
            let (answer, is_last) = answered?;
            let waits = context.kept.get_mut::<Inbox>().and_then(|inbox| inbox.waits.take());
            if let Some(waits) = waits {
                let _ = waits.send((to_bytes(&answer), is_last));
            }
            if is_last {
                return Ok(Flow::Return);
            }
        }
    }

    /// The link is lost. A prepared unit of work stays in doubt; any other is backed out.
    async fn is_alone(&self, context: &mut Context<'_>) {
        if self.is_prepared {
            tracing::warn!(target: "IS", "task {}: the link is lost, and its unit of work is in doubt", context.number);
            context.shunt();
            // With WAIT(NO) it has ended before anybody finds it locked.
            return operator::end_overdue(&context.region).await;
        }
        context.rollback().await;
    }

    /// Does a job: its answer; and true if the task ends with it.
    async fn answer(&mut self, context: &mut Context<'_>, job: Job) -> Outcome<(Answer, bool)> {
        Ok(match job {
            // Nothing changes what is in doubt but its decision.
            Job::Command(..) | Job::Link(_) | Job::Prepare(_) | Job::Commit | Job::Forget
                if self.is_prepared =>
            {
                (Answer::Refused(Refusal::NotUnderstood), false)
            }
            Job::Command(shipped, area) => self.command(context, &shipped, area).await?,
            Job::Link(linked) => self.link(context, linked).await?,
            Job::Prepare(unit) => self.prepare(context, &unit).await,
            Job::Commit => {
                let ended = context.syncpoint().await;
                let is_known = ended != Err(Raise::abend(kernel::recovery::NOT_KNOWN));
                (Answer::Ended(is_known.then_some(ended.is_ok())), true)
            }
            Job::Decide(true) => match context.syncpoint().await {
                Ok(()) => (Answer::Heard(None), true),
                // It is in doubt still.
                Err(_) => (Answer::NotHeard, true),
            },
            Job::Decide(false) | Job::Forget => {
                context.rollback().await;
                (Answer::Heard(None), true)
            }
        })
    }

    async fn prepare(&mut self, context: &mut Context<'_>, unit: &[u8]) -> (Answer, bool) {
        match context.task().prepare(unit).await {
            // The link has ended before the vote was sent: no region can have decided to commit.
            Prepared::Yes if self.orders.is_closed() => {
                context.rollback().await;
                (Answer::Voted(Voted::No), true)
            }
            Prepared::Yes => {
                self.is_prepared = true;
                (Answer::Voted(Voted::Yes), false)
            }
            Prepared::ReadOnly => {
                context.rollback().await;
                (Answer::Voted(Voted::ReadOnly), true)
            }
            Prepared::No => {
                context.rollback().await;
                (Answer::Voted(Voted::No), true)
            }
        }
    }

    /// Returns the state of the task behind an answer. It ends if it holds nothing.
    fn keeps(&self, context: &Context<'_>) -> Keeps {
        match context.remains() {
            Remains::Changes => Keeps::Changes,
            Remains::Holds => Keeps::Holds,
            Remains::Nothing if self.stays => Keeps::Holds,
            Remains::Nothing => Keeps::Nothing,
        }
    }

    fn done(&self, context: &Context<'_>, done: Done) -> (Answer, bool) {
        let keeps = self.keeps(context);
        (Answer::Done(Done { keeps, ..done }), keeps == Keeps::Nothing)
    }

    /// A command that was not carried out.
    fn refused(&self, context: &Context<'_>, condition: Condition, resp2: i32) -> (Answer, bool) {
        self.done(context, Done { condition: condition.0, resp2, ..Done::default() })
    }

    /// Returns true if the user of the link may do what a command is.
    fn link_may(&self, context: &mut Context<'_>, parcel: &Parcel) -> bool {
        let Some(link) = &self.link else { return true };
        let task = context.task();
        let user = std::mem::replace(&mut task.user, Arc::clone(link));
        let allowed = is_allowed(task, parcel);
        task.user = user;
        allowed.is_ok()
    }

    async fn command(
        &mut self,
        context: &mut Context<'_>,
        shipped: &Shipped,
        area: Option<Vec<u8>>,
    ) -> Outcome<(Answer, bool)> {
        let Some(parcel) = code::read(shipped, &self.numbers) else {
            return Ok(self.refused(context, cond::ISCINVREQ, 0));
        };
        if !self.link_may(context, &parcel) {
            return Ok(self.refused(context, cond::NOTAUTH, NOT_AUTHORIZED));
        }
        if let Some(bytes) = &shipped.channel {
            let Some(channel) = Channel::from_bytes(bytes) else {
                return Ok(self.refused(context, cond::ISCINVREQ, 0));
            };
            context.level_mut().channel = Some(channel);
        }
        if let Some(area) = area {
            let Some(followed) = followed(&area).filter(|_| STARTS.contains(&parcel.command().id)) else {
                return Ok(self.refused(context, cond::ISCINVREQ, 0));
            };
            context.task().kept.put(followed);
        }
        let issued = context.issue(&parcel).await;
        // A START that was refused has left it.
        let _ = context.task().kept.take::<Followed>();
        issued.map_err(|abend| Raise::Abend(abend.code))?;
        context.level_mut().channel = None;
        let (condition, resp2) = parcel.response().unwrap_or((cond::ISCINVREQ, 0));
        let results = parcel.results().filter_map(|(option, content)| {
            Some((self.numbers.ours().option(option)?, code::wire(content)?))
        });
        let done = Done {
            condition: condition.0,
            resp2,
            results: results.collect(),
            request: *context.level().eib.request().as_bytes(),
            ..Done::default()
        };
        Ok(self.done(context, done))
    }

    async fn link(&mut self, context: &mut Context<'_>, linked: Linked) -> Outcome<(Answer, bool)> {
        let Some((parcel, given)) = parcel_of(&linked) else {
            return Ok(self.refused(context, cond::ISCINVREQ, 0));
        };
        if !self.link_may(context, &parcel) {
            return Ok(self.refused(context, cond::NOTAUTH, NOT_AUTHORIZED));
        }
        let channel = given.as_ref().map(|channel| channel.snapshot());
        context.level_mut().channel = channel.clone();
        context.issue(&parcel).await.map_err(|abend| Raise::Abend(abend.code))?;
        context.level_mut().channel = None;
        let (mut condition, mut resp2) = parcel.response().unwrap_or((cond::PGMIDERR, 0));
        if linked.syncs && context.syncpoint().await.is_err() {
            (condition, resp2) = (cond::ROLLEDBACK, NOT_COMMITTED);
        }
        let commarea = match parcel.content(opt::COMMAREA) {
            Some(Content::Bytes(bytes)) => Some(bytes),
            _ => None,
        };
        let channel = given.zip(channel).map(|(given, now)| {
            let (changed, deleted) = linked::changes(&given, &now);
            (changed.to_bytes().into(), deleted)
        });
        let done = Done { condition: condition.0, resp2, commarea, channel, ..Done::default() };
        Ok(self.done(context, done))
    }
}

/// The commands whose tasks a routing program may hear of.
const STARTS: [CommandId; 2] = [cmd::START, cmd::START_CHANNEL];

/// RESP2 of NOTAUTH of a resource; and of ROLLEDBACK of LINK: SYNCONRETURN, and the unit of work could not be committed.
const NOT_AUTHORIZED: i32 = 101;
const NOT_COMMITTED: i32 = 29;

/// The LINK as a command, and its channel. `None`: it is none.
fn parcel_of(linked: &Linked) -> Option<(Parcel, Option<Arc<Channel>>)> {
    let mut parcel = Parcel::new(cmd::LINK);
    parcel.give(opt::PROGRAM, Content::Bytes(linked.program.to_vec())).ok()?;
    if let Some((bytes, length)) = &linked.commarea {
        let length = usize::from(*length);
        if bytes.len() > length {
            return None;
        }
        let mut area = bytes.to_vec();
        area.resize(length, 0);
        parcel.give(opt::COMMAREA, Content::Bytes(area)).ok()?;
    }
    let channel = match &linked.channel {
        Some(bytes) => Some(Channel::from_bytes(bytes)?),
        None => None,
    };
    if let Some(channel) = &channel {
        parcel.give(opt::CHANNEL, Content::Bytes(channel.name.as_bytes().to_vec())).ok()?;
    }
    Some((parcel, channel))
}
