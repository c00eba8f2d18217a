//! Commands of this region's tasks that lead to another region.

use std::sync::Arc;

use kernel::exec::{Call, Followed, Leads, Parcel, SystemReason};
use kernel::lines::often;
use kernel::name::{Name8, TransactionName};
use kernel::raise::{AbendCode, Outcome, Raise, RaiseCondition};
use kernel::spans::ClientSpan;
use kernel::task::{Task, TaskControl, TaskPart};
use link::{NoReply, NotAllocated};
use otlp::Value;
use spec::{Condition, cmd, cond, opt};

use super::away::Away;
use super::code;
use super::waits;
use crate::asker;
use crate::build::{Build, Numbers};
use crate::conversation::{Conversation, Standing, now};
use crate::message::{Answer, Ask, Begins, Done, Keeps, Refusal, Shipped, Work, of_bytes, to_bytes};
use crate::partner::{Partner, Sort};
use crate::shipped::{Asks, Sum};
use crate::systems::Systems;
use crate::work;

/// RESP2 of NOTAUTH, as of a resource of this region.
const NOT_AUTHORIZED: i32 = 101;
/// RESP2 of TERMERR of LINK: the partner or the link has failed meanwhile. Recalled, not read.
const FAILED: i32 = 17;
/// The reason in EIBRCODE behind SYSIDERR: the link is not available.
const UNAVAILABLE: SystemReason = SystemReason([0x08, 0x00]);

/// RESP2 of LINK: the system is not there.
pub(crate) const NO_SUCH_SYSTEM: i32 = 18;

/// The reason why a request was not sent, or not begun by the partner: another one may take it. A router looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotTaken {
    /// No CONNECTION and no IPCONN has that name.
    Unknown,
    /// The link is not there.
    NoLink,
    /// No session is free.
    NoSession,
    /// The request waited for a session, and the queue was purged.
    Purged,
    /// The partner takes no more tasks.
    NoRoom,
}

impl TaskPart for NotTaken {}

/// Has a command other than LINK answered by the region to which it leads.
pub(super) async fn ship(task: &mut Task, call: &Call<'_>, to: &Leads) -> Outcome {
    let parcel = Parcel::of_shipped(call, to)?;
    let build = Arc::clone(Systems::of(&task.region).build());
    let mut shipped = code::written(&build, &parcel).ok_or_else(|| cond::ISCINVREQ.raise(0))?;
    if let Some(name) = call.name(opt::CHANNEL)? {
        let channel = task.channel(name).ok_or_else(|| cond::CHANNELERR.raise(2))?;
        shipped.channel = Some(channel.to_bytes());
    }
    let followed = task.kept.take::<Followed>();
    let may_change = !READS.contains(&call.command());
    let mut asking = Asking::begin(task, to, Asks::of(call.command())).await?.changes(may_change);
    asking.is_understood(task, &shipped)?;
    asking.is_mirror(TransactionName::from(code::transaction_of(call.command())));
    // A request with an identifier may be one of the unit of work, by a TSMODEL of the partner.
    let waits = !call.keyword(opt::NOCHECK) || call.keyword(opt::PROTECT) || call.has(opt::REQID);
    let work = match followed {
        Some(Followed(area)) => Work::Followed(shipped, area.to_vec()),
        None => Work::Command(shipped),
    };
    if !waits {
        return asking.send_off(task, work).await;
    }
    let done = asking.ask(task, work).await.map_err(|lost| lost.of_command(&asking.partner))?;
    if [cmd::START, cmd::START_CHANNEL].contains(&call.command()) {
        task.level_mut().eib.set_request(Name8::new(done.request));
    }
    let numbers = Arc::clone(&asking.numbers);
    let results = done.results.iter().filter_map(|(option, wire)| {
        let result = (numbers.option(parcel.command(), *option)?, code::content(wire.clone()));
        // What the command has not changed is not written: it may be a constant of the program.
        (parcel.content(result.0).as_ref() != Some(&result.1)).then_some(result)
    });
    parcel.hand_over(task, call, results.collect::<Vec<_>>())?;
    outcome(&build, &done)
}

/// The outcome that a partner has told. One that this build does not know is none that a program could be told.
pub(super) fn outcome(build: &Build, done: &Done) -> Outcome {
    match Condition(done.condition) {
        cond::NORMAL => Ok(()),
        condition if build.knows(condition) => Err(condition.raise(done.resp2)),
        _ => Err(cond::ISCINVREQ.raise(0)),
    }
}

/// The reason for which there is no answer, though the request was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lost {
    /// The task itself ends.
    Own(Raise),
    /// The link or the partner has failed.
    Link,
    /// The mirror task has ended with an abend.
    Mirror(AbendCode),
    /// The partner's answer is none, or it does not take the request.
    Answer,
    /// The user may not have the mirror task.
    NotAuthorized,
    /// The partner takes no more tasks.
    NoRoom,
}

impl Lost {
    /// The outcome of a command on a resource.
    fn of_command(self, partner: &Partner) -> Raise {
        match self {
            Self::Own(raise) => raise,
            Self::Link | Self::Mirror(_) => Raise::abend(mirror_abend(partner)),
            Self::Answer => cond::ISCINVREQ.raise(0),
            Self::NotAuthorized => cond::NOTAUTH.raise(NOT_AUTHORIZED),
            Self::NoRoom => cond::SYSIDERR.raise(0),
        }
    }

    /// The outcome of a LINK.
    pub fn of_link(self) -> Raise {
        match self {
            Self::Own(raise) => raise,
            Self::Link => cond::TERMERR.raise(FAILED),
            Self::Mirror(code) => Raise::Abend(code),
            // No mirror task was there that could have been refused the program.
            Self::Answer | Self::NotAuthorized => cond::TERMERR.raise(FAILED),
            Self::NoRoom => cond::SYSIDERR.raise(NO_SUCH_SYSTEM),
        }
    }
}

/// The abend of a task whose mirror task is gone: of a region of this machine, and of another one.
fn mirror_abend(partner: &Partner) -> &'static str {
    match partner.sort {
        Sort::Connection => "AZI6",
        Sort::Ipconn => "AIPM",
    }
}

/// The span of a request that goes to a partner.
fn span(task: &Task, to: &Leads, partner: &Partner) -> Option<Box<ClientSpan>> {
    let command = spec::command(to.command()).name;
    let mut span = task.asks(|| command.to_owned())?;
    span.tells("rpc.system", Value::text("cics"));
    span.tells("rpc.method", Value::text(command));
    span.tells("server.address", Value::text(partner.applid.to_string().trim_end()));
    Some(span)
}

/// A task that asks a partner, in the conversation of its unit of work.
pub(super) struct Asking {
    pub partner: Arc<Partner>,
    pub numbers: Arc<Numbers>,
    away: Arc<Away>,
    conversation: Arc<Conversation>,
    /// The conversation begins with the request.
    begins: bool,
    asks: Asks,
    /// The request may change something in the unit of work.
    may_change: bool,
    /// The span of the request.
    span: Option<Box<ClientSpan>>,
}

impl Asking {
    /// Finds the conversation of a task, or gets a session for a new one.
    ///
    /// # Errors
    /// SYSIDERR; the abend of a task that is purged; of one whose mirror task is gone, what that means.
    pub async fn begin(task: &mut Task, to: &Leads, asks: Asks) -> Outcome<Self> {
        let region = Arc::clone(&task.region);
        let systems = Systems::of(&region);
        let Some(partner) = systems.of_system(to.system) else {
            return Err(unavailable(task, to, NotTaken::Unknown));
        };
        let span = span(task, to, &partner);
        let away = Away::of(&region, partner.applid);
        let unit = task.work.name();
        if let Some(conversation) = away.conversation(&unit) {
            if conversation.line.is_over() {
                conversation.is_lost();
            }
            let numbers = Arc::clone(&conversation.line.numbers);
            return match conversation.standing() {
                Standing::Holds | Standing::Changes => {
                    let begins = false;
                    Ok(Self { partner, numbers, away, conversation, begins, asks, may_change: true, span })
                }
                _ if to.otherwise == cond::SYSIDERR.raise(NO_SUCH_SYSTEM) => Err(Lost::Link.of_link()),
                _ => Err(Lost::Link.of_command(&partner)),
            };
        }
        let now = now();
        waits::allocates(task, partner.sort);
        let allocated =
            task.wait(waits::session(partner.sort), partner.sessions.allocate(now, to.waits)).await?;
        let session = match allocated {
            Ok(session) => session,
            Err(NotAllocated::NoLink) => return Err(unavailable(task, to, NotTaken::NoLink)),
            Err(NotAllocated::Purged) => return Err(unavailable(task, to, NotTaken::Purged)),
            Err(_) => return Err(unavailable(task, to, NotTaken::NoSession)),
        };
        let Some(line) = work::line(&region, &partner) else {
            return Err(unavailable(task, to, NotTaken::NoLink));
        };
        let numbers = Arc::clone(&line.numbers);
        let conversation = Arc::new(Conversation::new(away.next(), session, line));
        Ok(Self { partner, numbers, away, conversation, begins: true, asks, may_change: true, span })
    }

    /// Looks at a command before anything of it is sent.
    ///
    /// # Errors
    /// ISCINVREQ: the partner's build does not know what it has; the log has the names.
    fn is_understood(&self, task: &Task, shipped: &Shipped) -> Outcome {
        let Some(names) = self.numbers.lacks(shipped) else { return Ok(()) };
        let (applid, theirs) = (self.partner.applid, self.numbers.their_build());
        often!(warn, target: "IS", "task {}: {applid} is of another build ({theirs}), which does not know {names}: ISCINVREQ", task.number);
        Err(cond::ISCINVREQ.raise(0))
    }

    /// Notes if the request may change something in the unit of work.
    pub fn changes(mut self, may_change: bool) -> Self {
        self.may_change = may_change;
        self
    }

    /// The request is for this program: its span says so.
    pub fn names_program(&mut self, program: Name8) {
        if let Some(span) = &mut self.span {
            span.tells("cics.program", Value::text(program.to_string().trim_end()));
        }
    }

    /// Returns true if the mirror task is one of this transaction, or is going to be.
    pub fn is_mirror(&self, transaction: TransactionName) -> bool {
        *self.conversation.mirror.get_or_init(|| transaction) == transaction
    }

    /// Returns true if the conversation has begun before.
    pub fn goes_on(&self) -> bool {
        !self.begins
    }

    /// The request as bytes; it counts from here on.
    fn message(&self, task: &Task, work: Work) -> Vec<u8> {
        let begins = self.begins.then(|| Begins { user: *task.user.id.as_bytes() });
        let channel = match &work {
            Work::Command(shipped) | Work::Followed(shipped, _) => &shipped.channel,
            Work::Link(linked) => &linked.channel,
        };
        if let Some(channel) = channel {
            let sum = Sum { requests: 1, sent: channel.len() as u64, received: 0 };
            self.partner.shipped.add_channel(self.asks, sum);
        }
        let body = to_bytes(&Ask::Do { conversation: self.conversation.number, begins, work });
        self.partner.shipped.add(self.asks, Sum { requests: 1, sent: body.len() as u64, received: 0 });
        if !self.begins {
            return body;
        }
        let place = task.passes_on(self.span.as_deref());
        let (asker, applid): (&TaskControl, _) = (&task.control, task.region.options.applid);
        asker::written((asker, applid), place.as_ref(), self.conversation.line.takes, body)
    }

    /// Sends a request without waiting for its answer; a failure at the partner does not reach the task. The request takes its
    /// turn here, so that the end of the unit of work comes after it.
    async fn send_off(&self, task: &mut Task, work: Work) -> Outcome {
        let body = self.message(task, work);
        let turn = task.wait(waits::answer(self.partner.sort), self.conversation.turn()).await?;
        let (line, session) = (self.conversation.line.clone(), self.conversation.session.clone());
        let (conversation, begins) = (Arc::clone(&self.conversation), self.begins);
        let (partner, asks) = (Arc::clone(&self.partner), self.asks);
        drop(tokio::spawn(async move {
            let reply = line.ask(session.clone(), body, false, Some(turn)).await;
            let received = reply.as_ref().map_or(0, |bytes| bytes.len() as u64);
            partner.shipped.add(asks, Sum { received, ..Sum::default() });
            let answer = reply.ok().and_then(|bytes| of_bytes::<Answer>(&bytes));
            if let Some(Answer::Done(Done { keeps: Keeps::Holds | Keeps::Changes, .. })) = answer
                && begins
            {
                // No other region knows of this mirror task.
                let forget = to_bytes(&Ask::Forget { conversation: conversation.number });
                let _ = line.ask(session, forget, false, None).await;
            }
        }));
        Ok(())
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// See [`Lost`].
    pub async fn ask(&mut self, task: &mut Task, work: Work) -> Result<Done, Lost> {
        let done = self.asked(task, work).await;
        if let Some(mut span) = self.span.take() {
            match &done {
                Ok(done) => span.tells("cics.resp", u64::from(done.condition).into()),
                Err(lost) => span.fails(format!("{lost:?}")),
            }
        }
        done
    }

    async fn asked(&mut self, task: &mut Task, work: Work) -> Result<Done, Lost> {
        let body = self.message(task, work);
        let asked = {
            let conversation = &self.conversation;
            async move {
                let turn = conversation.turn().await;
                conversation.line.ask_here(conversation.session.clone(), body, Some(turn)).await
            }
        };
        let reply = match task.wait(waits::answer(self.partner.sort), asked).await {
            Ok(reply) => reply,
            Err(purged) => {
                // Its mirror task is purged, too, or has been quicker.
                self.conversation.is_lost();
                self.conversation.lets_go();
                return Err(Lost::Own(purged));
            }
        };
        let answer = match reply {
            Ok(bytes) => {
                let received = bytes.len() as u64;
                self.partner.shipped.add(self.asks, Sum { received, ..Sum::default() });
                of_bytes::<Answer>(&bytes)
            }
            Err(NoReply::TooLong(_)) => return Err(Lost::Answer),
            Err(NoReply::Unanswered(_)) => None,
            Err(NoReply::Ended(_)) => return Err(self.lost(task, Lost::Link)),
        };
        match answer {
            Some(Answer::Done(done)) => {
                self.stands(task, done.keeps);
                if let Some((channel, _)) = &done.channel {
                    let sum = Sum { received: channel.len() as u64, ..Sum::default() };
                    self.partner.shipped.add_channel(self.asks, sum);
                }
                Ok(done)
            }
            Some(Answer::Abended(code)) => Err(self.has_abended(task, code, false)),
            Some(Answer::Undone(code)) => Err(self.has_abended(task, code, true)),
            Some(Answer::Refused(Refusal::NotAuthorized)) => {
                often!(warn, target: "IS", "task {}: {} refuses its mirror task: no right to the transaction, or no such user", task.number, self.partner.applid);
                Err(Lost::NotAuthorized)
            }
            Some(Answer::Refused(Refusal::NoRoom)) => {
                task.kept.put(NotTaken::NoRoom);
                Err(Lost::NoRoom)
            }
            Some(Answer::Refused(Refusal::NotUnderstood)) => Err(Lost::Answer),
            Some(Answer::Refused(Refusal::Gone)) => Err(self.lost(task, Lost::Link)),
            _ => {
                self.conversation.lets_go();
                Err(self.lost(task, Lost::Answer))
            }
        }
    }

    fn has_abended(&mut self, task: &mut Task, code: [u8; 4], had_changes: bool) -> Lost {
        let code = AbendCode::new(code);
        let (number, applid) = (task.number, self.partner.applid);
        often!(warn, target: "IS", "task {number}: its mirror task at {applid} has ended with abend {code}");
        self.may_change &= had_changes;
        self.lost(task, Lost::Mirror(code))
    }

    /// The mirror task is gone with what it has done. If that may have been a change, the unit of work cannot commit without it.
    fn lost(&mut self, task: &mut Task, lost: Lost) -> Lost {
        if self.may_change {
            let mut standing = self.conversation.standing.lock();
            if *standing == Standing::Holds {
                *standing = Standing::Changes;
            }
            drop(standing);
            self.keeps(task);
        }
        self.conversation.is_lost();
        lost
    }

    /// The unit of work has the conversation from now on.
    fn keeps(&mut self, task: &mut Task) {
        if std::mem::take(&mut self.begins) {
            self.away.keeps(task.work.name(), &self.conversation);
            task.work.enlist(Arc::<Away>::clone(&self.away));
        }
    }

    /// Notes what the mirror task holds for the unit of work.
    fn stands(&mut self, task: &mut Task, keeps: Keeps) {
        match keeps {
            Keeps::Nothing => self.away.forgets(&task.work.name()),
            Keeps::Holds | Keeps::Changes => {
                let standing = if keeps == Keeps::Holds { Standing::Holds } else { Standing::Changes };
                *self.conversation.standing.lock() = standing;
                self.keeps(task);
            }
        }
    }
}

/// Commands that change nothing in a unit of work.
const READS: &[spec::CommandId] = &[
    cmd::READ,
    cmd::READNEXT,
    cmd::READPREV,
    cmd::STARTBR,
    cmd::RESETBR,
    cmd::ENDBR,
    cmd::UNLOCK,
    cmd::READQ_TS,
];

/// The outcome of a command that leads to a system that cannot be asked.
fn unavailable(task: &mut Task, to: &Leads, why: NotTaken) -> Raise {
    task.kept.put(why);
    task.kept.put(UNAVAILABLE);
    to.otherwise
}
